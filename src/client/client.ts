import { call, type Sha256 } from './call.ts';
import type { Operations } from './generated/operations.ts';
import { table } from './generated/table.ts';
import type { AuthenticatorAdded, Session } from './generated/views.ts';
import type { Added, ClientModule, ModuleName, ModuleParts } from './modules.ts';
import type { Operation } from './operation.ts';
import type { NoOwnData, OwnData } from './own.ts';
import { createPasskey, getPasskey, type PasskeyRequest } from './passkey.ts';
import { ownSelection } from './requests.ts';
import { createSession, type SessionOptions } from './session.ts';
import type { CallOptions, Json } from './types.ts';

export interface ClientOptions<Own extends OwnData = NoOwnData, Name extends ModuleName = ModuleName>
  extends SessionOptions {
  /** The URL of the API: `https://example.org/api/auth`, or `/api/auth` on the same origin. */
  url: string;
  /** The interface that calls go through, by default REST; they mean the same. */
  door?: 'rest' | 'graphql' | undefined;
  /** Modules that add operations to those of sign-in and the own account: `[administration]`. */
  with?: readonly ClientModule<Name>[] | undefined;
  /** The own fields of users that the server has and this client uses, each with its type: `{ company: 'string' }`. */
  userFields?: Own['userFields'] | undefined;
  /** The roles that the server's configuration names. */
  roles?: Own['roles'] | undefined;
  /** The language in which the server speaks to people: `document.documentElement.lang`. That of the browser when absent. */
  locale?: string | undefined;
  /** Whether the server offers several languages, so that users have `locale` in GraphQL, too. */
  hasLocales?: boolean | undefined;
  /** Names GraphQL documents by this hash, for a server with `graphql_trusted_documents` (docs/client.md). */
  sha256?: Sha256 | undefined;
}

export interface Client<Own extends OwnData = NoOwnData> extends Operations<Own> {
  /** The session token, to be sent to a server of your own as `Authorization: Bearer <token>`; null without a session. */
  readonly token: string | null;
  /**
   * Calls the listener when this client has stored or removed a token, until the returned function is called.
   * @example const stop = client.subscribe(() => render(client.token !== null));
   */
  subscribe(listener: () => void): () => void;
  /**
   * Has the browser sign in with a passkey.
   * @throws {GatehouseError} passkey_cancelled, passkey_unsupported, and what `loginWithPasskey` refuses with
   * @example const { accessToken } = await client.signInWithPasskey();
   */
  signInWithPasskey(request?: PasskeyRequest): Promise<Session>;
  /**
   * Has the browser create a passkey, and adds it to the account.
   * @throws {GatehouseError} passkey_cancelled, passkey_known, passkey_unsupported, and what `confirmPasskeySetup` refuses with
   * @example const { authenticator } = await client.addPasskey({ name: 'Laptop' });
   */
  addPasskey(passkey?: NewPasskey, options?: CallOptions): Promise<AuthenticatorAdded>;
}

/** A passkey to be created. */
export interface NewPasskey {
  /** The name that its owner gives it. */
  name?: string | null | undefined;
  /** True ends the other sessions of the account. */
  endOtherSessions?: boolean | null | undefined;
}

/**
 * Returns a client of one API. It stores the session token, and sends it where an operation needs it.
 * @example
 * const client = createClient({ url: '/api/auth' });
 * const result = await client.login({ email, password });
 * if ('accessToken' in result) console.log(await client.me());
 */
export function createClient<
  const Fields extends OwnData['userFields'] = NoOwnData['userFields'],
  const Roles extends OwnData['roles'] = NoOwnData['roles'],
  Name extends ModuleName = never,
>({
  url,
  door = 'rest',
  with: modules = [],
  userFields,
  roles,
  locale,
  hasLocales,
  sha256,
  ...options
}: ClientOptions<{ userFields: Fields; roles: Roles }, Name>): Client<{ userFields: Fields; roles: Roles }> &
  Added<Name, { userFields: Fields; roles: Roles }> {
  const api = {
    url: url.replace(/\/+$/, ''),
    isRest: door === 'rest',
    own: ownSelection(userFields, roles, hasLocales),
    locale,
    sha256,
  };
  const logout = table.find(([name]) => name === 'logout')!;
  // A session that another has replaced ends without the cookie, which is of the other.
  const session = createSession(options, token => call(api, logout, {}, token, undefined, 'omit'));
  const method =
    (operation: Operation) =>
    (input: Json = {}, { signal }: CallOptions = {}) =>
      session.run(operation, token => call(api, operation, input, token, signal));
  const every = [...table, ...modules.flatMap(({ operations }) => operations)];
  const parts: ModuleParts = {
    async call(name, input) {
      const operation = every.find(each => each[0] === name)!;
      let used: string | null = null;
      const result = await session.run(operation, token => {
        used = token;
        return call(api, operation, input, token);
      });
      return { result, token: used };
    },
    session: session.token,
    subscribe: session.subscribe,
  };
  const client = Object.assign(
    Object.fromEntries(every.map(operation => [operation[0], method(operation)])),
    ...modules.map(module => module.methods?.(parts)),
  ) as unknown as Operations<{ userFields: Fields; roles: Roles }> &
    Added<Name, { userFields: Fields; roles: Roles }>;

  return {
    ...client,
    get token() {
      return session.token();
    },
    subscribe: session.subscribe,
    async signInWithPasskey(request: PasskeyRequest = {}) {
      const { id, options } = await client.startPasskeyLogin({}, request);
      return client.loginWithPasskey({ id, credential: await getPasskey(options, request) }, request);
    },
    async addPasskey(passkey: NewPasskey = {}, more: CallOptions = {}) {
      const { id, options } = await client.startPasskeySetup({}, more);
      const credential = await createPasskey(options, more);
      return client.confirmPasskeySetup({ ...passkey, id, credential }, more);
    },
  };
}
