'use client';

import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useMemo,
  useSyncExternalStore,
} from 'react';
import type { Client } from '../client/index.ts';
import { createSessionStore, type SessionStore } from './session-store.ts';
import { createSignInFlow, type MfaMethod, type SignInState } from './sign-in-flow.ts';

export type { MfaMethod, SignInState };

interface Gatehouse {
  client: Client;
  session: SessionStore;
}

const Context = createContext<Gatehouse | null>(null);

/**
 * Gives the components below it a client and its session.
 * @example <GatehouseProvider client={client}><App /></GatehouseProvider>
 */
export function GatehouseProvider(props: { client: Client; children?: ReactNode }): ReactElement {
  const { client, children } = props;
  const value = useMemo(() => ({ client, session: createSessionStore(client) }), [client]);
  return createElement(Context.Provider, { value }, children);
}

/** @throws {Error} outside a provider */
function useGatehouse(): Gatehouse {
  const value = useContext(Context);
  if (!value) throw new Error('useSession and useSignIn need a GatehouseProvider above them.');
  return value;
}

/** The user of a client's session, with the own fields that the client was told of. */
type UserOfClient<C extends Client> = Awaited<ReturnType<C['me']>>;

/** The session as a component sees it, with the acts on it. */
export interface UseSession<C extends Client = Client> {
  /** `loading` until the browser has been asked, and on a server that renders. */
  status: 'loading' | 'signed-in' | 'signed-out';
  /** Null unless somebody is signed in. */
  user: UserOfClient<C> | null;
  /**
   * Ends the session, and takes the cookie away by which pages of a server know it.
   * @throws {GatehouseError} when the server could not be told
   * @example await signOut().then(() => location.assign('/'));
   */
  signOut(): Promise<void>;
  /**
   * Reads the user again.
   * @throws {GatehouseError}
   * @example
   * await client.updateProfile({ fullName });
   * await refresh();
   */
  refresh(): Promise<void>;
}

/**
 * Returns the session. It follows every sign-in and sign-out, those of other tabs too. `useSession<typeof client>()` knows
 * the own fields of that client.
 * @example const { status, user, signOut } = useSession();
 */
export function useSession<C extends Client = Client>(): UseSession<C> {
  const { session } = useGatehouse();
  const { status, user } = useSyncExternalStore(session.subscribe, session.get, session.getOnServer);
  const { signOut, refresh } = session;
  return useMemo(
    () => ({ status, user: user as UserOfClient<C> | null, signOut, refresh }),
    [status, user, signOut, refresh],
  );
}

/** A sign-in, and the acts that take it further. They reject for no refusal: `error` has it. */
export interface UseSignIn extends SignInState {
  /**
   * Signs in with the password; a second step may be due then.
   * @example await withPassword(email, password);
   */
  withPassword(email: string, password: string): Promise<void>;
  /**
   * Signs in with a passkey, or takes the second step with one.
   * @example <button onClick={() => void withPasskey()}>Sign in with a passkey</button>
   */
  withPasskey(): Promise<void>;
  /**
   * Takes the second step with a code of a method.
   * @example await withCode('totp', code);
   */
  withCode(method: MfaMethod, code: string): Promise<void>;
  /**
   * Sends a code by text message.
   * @example if (methods.includes('sms')) await sendCode();
   */
  sendCode(): Promise<void>;
  /**
   * Begins anew.
   * @example <button onClick={restart}>Use another account</button>
   */
  restart(): void;
}

/**
 * Returns a sign-in of its own for the component.
 * @example const { step, methods, error, pending, withPassword, withCode } = useSignIn();
 */
export function useSignIn(): UseSignIn {
  const { client } = useGatehouse();
  const { status } = useSession();
  const flow = useMemo(() => createSignInFlow(client), [client]);
  const state = useSyncExternalStore(flow.subscribe, flow.get, flow.getOnServer);
  return useMemo(() => {
    // A person who has signed out since may sign in again.
    const step = state.step === 'done' && status === 'signed-out' ? 'credentials' : state.step;
    return { ...state, step, ...flow.acts };
  }, [state, status, flow]);
}
