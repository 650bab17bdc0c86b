import type { App, Reply } from './app.ts';

const session = '{ accessToken expiresIn }';
const challenge = '{ status mfaPendingToken delivery methods }';
const added = '{ authenticator { id kind name isSynced lastUsedAt } recoveryCodes session { accessToken } }';

/** The operations of passkeys: method and path, name of the field, and what GraphQL selects. */
const operations = {
  login: ['POST /login', 'login', `{ ... on Session ${session} ... on MfaChallenge ${challenge} }`],
  startPasskeySetup: ['POST /passkeys/start', 'startPasskeySetup', '{ id options }'],
  confirmPasskeySetup: ['POST /passkeys/confirm', 'confirmPasskeySetup', added],
  startPasskeyLogin: ['POST /login/passkey/start', 'startPasskeyLogin', '{ id options }'],
  loginWithPasskey: ['POST /login/passkey', 'loginWithPasskey', session],
  startMfaPasskey: ['POST /login/mfa-passkey/start', 'startMfaPasskey', '{ id options }'],
  confirmLoginMfa: ['POST /login/mfa-confirm', 'confirmLoginMfa', session],
  reauthenticate: [
    'POST /reauthenticate',
    'reauthenticate',
    `{ ... on Session ${session} ... on MfaChallenge ${challenge} }`,
  ],
  renameAuthenticator: ['PATCH /authenticators/:id', 'renameAuthenticator', '{ id name }'],
  removeAuthenticator: ['DELETE /authenticators/:id', 'removeAuthenticator', '{ message }'],
} as const;

export type PasskeyOperation = keyof typeof operations;

/** Calls an operation through one door. The answer has the names of REST; what is JSON for a browser stays as it is. */
export type CallPasskeys = (
  operation: PasskeyOperation,
  input?: Record<string, unknown>,
  by?: { token: string },
) => Promise<Pick<Reply, 'status' | 'body'>>;

export type PasskeyDoor = (app: App) => CallPasskeys;

const rest: PasskeyDoor =
  app =>
  async (operation, input = {}, by) => {
    const [method, pattern] = operations[operation][0].split(' ') as [string, string];
    const { id, ...others } = input;
    const isPlaced = pattern.includes(':id');
    const body = isPlaced ? others : input;
    const { status, body: answer } = await app.rest(
      method,
      pattern.replace(':id', encodeURIComponent(String(id))),
      method === 'DELETE' ? undefined : body,
      by,
    );
    return { status, body: answer };
  };

const graphql: PasskeyDoor = app => async (operation, input, by) => {
  const [, field, selection] = operations[operation];
  const type = `${field.charAt(0).toUpperCase()}${field.slice(1)}Input!`;
  const query = input
    ? `mutation ($input: ${type}) { ${field}(input: $input) ${selection} }`
    : `mutation { ${field} ${selection} }`;
  const { status, body } = await app.graphql(query, input && { input: renamed(input, camelCase) }, by);
  const [error] = body.errors ?? [];
  if (!error && body.data) return { status, body: renamed(body.data[field], snakeCase) };
  const { code, status: refused, attemptsRemaining } = error?.extensions ?? body;
  return {
    status: refused ?? status,
    body: {
      code,
      detail: error?.message,
      ...(attemptsRemaining !== undefined && { attempts_remaining: attemptsRemaining }),
    },
  };
};

export const passkeyDoors: [name: string, door: PasskeyDoor][] = [
  ['REST', rest],
  ['GraphQL', graphql],
];

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map(item => renamed(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  const isJson = (key: string) => key === 'options' || key === 'credential';
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([key, inner]) => [rename(key), isJson(key) ? inner : renamed(inner, rename)]),
  );
}

const camelCase = (name: string) => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
const snakeCase = (name: string) => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
