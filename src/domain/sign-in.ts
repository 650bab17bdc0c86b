import type { MfaChallengeView, SessionView } from '../contract/views/sign-in.ts';
import { GatehouseError } from '../errors.ts';
import type { User } from '../tables/user.ts';
import type { Dependencies } from './dependencies.ts';
import { type Proof, replacedSession } from './proof.ts';
import type { SecondStep } from './second-step.ts';
import type { Session } from './session.ts';

export type SignIn = ReturnType<typeof createSignIn>;

/** How a sign-in goes on. `user` is set with a session: the user after the sign-in. */
export interface Entered {
  answer: SessionView | MfaChallengeView;
  user: User | null;
}

/**
 * The rest of a sign-in that is allowed: begins the second step, or starts the session. Returns null when the account
 * changed since it was read, or when the session has ended that the new one replaces: then the caller reads again what it
 * starts from.
 * @throws {GatehouseError} rate_limited, account_locked
 */
export type Enter = () => Promise<Entered | null>;

interface Parts extends Pick<Dependencies, 'config' | 'events' | 'hooks' | 'limits' | 'sessions' | 'views'> {
  secondStep: SecondStep | undefined;
}

/** The end of every sign-in: the second step where one is due, and the session. */
export function createSignIn({ config, sessions, limits, events, hooks, secondStep, views }: Parts) {
  const { issuing } = sessions;
  const { lockout } = limits;
  const { toUserPublic } = views;

  /** Starts the session, and clears the counts of failed sign-ins. */
  async function begin(user: User, proof: Proof): Promise<Entered | null> {
    const { method, caller } = proof;
    // Before the session: after it, its place is a known one.
    const isFromKnownPlace = proof.isFromKnownPlace ?? (await lockout.spares(user.id, caller));
    const started = await issuing.startSession(user, proof, async signedIn => {
      await lockout.clearSignIn(signedIn, { hadSecondStep: method === 'mfa', isFromKnownPlace });
      await events.emit('user_logged_in', { user: toUserPublic(signedIn), method });
    });
    return started && { answer: started.session, user: started.user };
  }

  /**
   * Asks the host whether a user, as it was read, may have a session, when everything that is required was proved. Every
   * session of a sign-in passes here; nothing has been stored for it yet.
   * @throws {GatehouseError} refused_by_host, unavailable
   */
  async function allow(user: User, proof: Proof): Promise<Enter> {
    await hooks.beforeSignIn(user, proof.method);
    return () => begin(user, proof);
  }

  /**
   * As `allow` after an accepted first factor, for a caller that stores something before it continues. Where a second step
   * is due the host is not asked yet.
   */
  async function prepare(user: User, proof: Proof): Promise<Enter> {
    const methods = (await secondStep?.methodsOf(user, proof)) ?? [];
    if (methods.length === 0) return allow(user, proof);
    return async () => {
      const challenge = await secondStep!.begin(user, methods, proof);
      return challenge && { answer: challenge, user: null };
    };
  }

  const start = async (user: User, proof: Proof) => (await allow(user, proof))();

  const takesSession = config.replaceSessionAtSignIn;

  return {
    allow,
    prepare,

    /** Whether an operation that signs in takes the session that the new one supersedes. */
    takesSession,

    /** Returns the session that ends once the new one has begun: the one that was sent with the sign-in, of any account. */
    async supersededBy(findSession: () => Promise<Session | null>): Promise<Pick<Proof, 'supersedes'>> {
      const session = takesSession ? await findSession() : null;
      return session ? { supersedes: replacedSession(session.claims) } : {};
    },

    /** Starts a session when everything that is required was proved. @throws {GatehouseError} refused_by_host, unavailable */
    start,

    /**
     * Rejects an account that may not sign in, whatever it proves.
     * @throws {GatehouseError} account_disabled, email_not_verified
     */
    assertAllowed({ isActive, isVerified }: User): void {
      if (!isActive) throw new GatehouseError('account_disabled');
      if (config.requireVerification && !isVerified) throw new GatehouseError('email_not_verified');
    },

    /** As `start`, where only a session can follow. */
    async startSession(user: User, proof: Proof): Promise<SessionView | null> {
      const entered = await start(user, proof);
      return entered && (entered.answer as SessionView);
    },

    /**
     * Continues after an accepted first factor: begins the second step where one is due, or starts the session. Returns
     * null as `Enter` does.
     * @throws {GatehouseError} rate_limited, account_locked, refused_by_host, unavailable
     */
    enter: async (user: User, proof: Proof) => (await prepare(user, proof))(),
  };
}
