import {
  type CallOptions,
  type Client,
  type GatehouseError,
  getPasskey,
  type MfaChallenge,
  type Session,
} from '../client/index.ts';
import { createState } from './state.ts';

/** A way to take the second step. */
export type MfaMethod = MfaChallenge['methods'][number];

/** Where a sign-in is. */
export interface SignInState {
  step: 'credentials' | 'second-step' | 'done';
  /** How the second step can be taken, strongest first; empty before it. */
  methods: readonly MfaMethod[];
  /** Why the last act failed; null when it did not. */
  error: GatehouseError | null;
  /** Whether an act is under way. Another one is ignored meanwhile. */
  pending: boolean;
}

const beginning: SignInState = { step: 'credentials', methods: [], error: null, pending: false };

/** Returns a sign-in, from the password or passkey to its end. Its acts never reject because of a refusal: `error` has it. */
export function createSignInFlow(client: Client) {
  const state = createState(beginning);
  let challenge: MfaChallenge | null = null;
  /** The act under way. */
  let current: AbortController | undefined;

  async function act(work: (options: CallOptions) => Promise<Session | MfaChallenge | null>): Promise<void> {
    if (state.get().pending) return;
    const own = new AbortController();
    current = own;
    state.set({ ...state.get(), error: null, pending: true });
    let next: Partial<SignInState> = {};
    try {
      const result = await work(own);
      if (own !== current) return;
      if (!result) return;
      challenge = 'mfaPendingToken' in result ? result : null;
      next = challenge
        ? { step: 'second-step', methods: challenge.methods }
        : { step: 'done', methods: beginning.methods };
    } catch (error) {
      if (own !== current) return;
      if ((error as Error).name !== 'GatehouseError') throw error;
      next = { error: error as GatehouseError };
    } finally {
      if (own === current) state.set({ ...state.get(), ...next, pending: false });
    }
  }

  /** @throws {TypeError} before the second step: there is nothing to act on */
  function pendingToken(): { mfaPendingToken: string } {
    if (!challenge) throw new TypeError('There is no second step yet.');
    return { mfaPendingToken: challenge.mfaPendingToken };
  }

  return {
    get: state.get,
    getOnServer: () => beginning,
    subscribe: state.subscribe,
    acts: {
      withPassword: (email: string, password: string) =>
        act(options => client.login({ email, password }, options)),
      /** Signs in with a passkey, or takes the second step with one. */
      withPasskey: () =>
        act(async call => {
          if (!challenge) return client.signInWithPasskey(call);
          const { id, options } = await client.startMfaPasskey(pendingToken(), call);
          const credential = await getPasskey(options, call);
          return client.confirmLoginMfa({ ...pendingToken(), method: 'passkey', id, credential }, call);
        }),
      withCode: (method: MfaMethod, code: string) =>
        act(async call => client.confirmLoginMfa({ ...pendingToken(), method, code }, call)),
      /** Sends a code by text message. */
      sendCode: () =>
        act(async call => {
          await client.sendMfaCode(pendingToken(), call);
          return null;
        }),
      /** Begins anew, and aborts what is under way. */
      restart(): void {
        current?.abort();
        current = undefined;
        challenge = null;
        state.set(beginning);
      },
    },
  };
}
