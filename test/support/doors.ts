import type { App, Reply } from './app.ts';

/** What an operation answered, in the names of the REST interface, whichever door it came through. */
export type Answer =
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of it, it also expects
  { ok: true; value: any } | ({ ok: false } & Failure);

export interface Failure {
  code: string;
  status: number;
  /** Input errors; the paths too are those of REST. */
  errors?: { path: string; message: string }[];
  /** In seconds. */
  retryAfter?: number;
  attemptsRemaining?: number;
}

export type OperationName = keyof typeof operations;

/** Calls an operation with its input in snake_case. */
export type Call = (
  operation: OperationName,
  input?: unknown,
  options?: { token?: string },
) => Promise<Answer>;

/** One of the ways into the service, behind one interface, so that a story is told once and runs through each. */
export interface Door {
  name: 'REST' | 'GraphQL';
  /** Goes through this door of an app. */
  at(app: App): Call;
}

interface Operation {
  /** Method and path. */
  rest: string;
  field: string;
  /** The type of its `input` argument, when it has one. */
  input?: string;
  graphql: string;
}

const user = `{ id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled
  createdAt updatedAt lastLogin tokensInvalidatedAfter }`;
const message = '{ message }';
const session = '{ accessToken tokenType expiresIn }';
const stats = '{ totalUsers activeUsers verifiedUsers superusers pendingRegistrations }';
const registerResult = `{ ... on PendingRegistration { status email expiresAt } ... on User ${user} }`;
const loginResult = `{ ... on Session ${session}
  ... on MfaChallenge { status mfaPendingToken expiresIn delivery } }`;

const exchangeResult = `{ ... on OAuthSession { accessToken tokenType expiresIn redirectTo wasNewAccount }
  ... on MfaChallenge { status mfaPendingToken expiresIn delivery redirectTo wasNewAccount } }`;

/** Every operation, a line each: where REST has it, and how GraphQL asks for it. */
export const operations = {
  register: mutation('POST /register', 'register', 'RegisterInput!', registerResult),
  verify: mutation('POST /verify', 'verify', 'VerifyInput!', user),
  resendVerification: mutation(
    'POST /resend-verification',
    'resendVerification',
    'ResendVerificationInput!',
    message,
  ),
  login: mutation('POST /login', 'login', 'LoginInput!', loginResult),
  logout: mutation('POST /logout', 'logout', 'LogoutInput', message),
  me: query('GET /me', 'me', user),
  updateProfile: mutation('PATCH /me', 'updateProfile', 'UpdateProfileInput!', user),
  changePassword: mutation('POST /change-password', 'changePassword', 'ChangePasswordInput!', message),
  forgotPassword: mutation('POST /forgot-password', 'forgotPassword', 'ForgotPasswordInput!', message),
  resetPassword: mutation('POST /reset-password', 'resetPassword', 'ResetPasswordInput!', message),
  changeEmail: mutation('POST /change-email', 'changeEmail', 'ChangeEmailInput!', message),
  confirmEmailChange: mutation(
    'POST /confirm-email-change',
    'confirmEmailChange',
    'ConfirmEmailChangeInput!',
    user,
  ),
  deleteAccount: mutation('DELETE /account', 'deleteAccount', 'DeleteAccountInput!', message),
  adminStats: query('GET /admin/stats', 'adminStats', stats),
  user: query('GET /admin/users/:id', 'user', user, { id: 'ID!' }),
  adminUpdateUser: mutation('PATCH /admin/users/:id', 'adminUpdateUser', 'AdminUpdateUserInput!', user),
  adminDeleteUser: mutation('DELETE /admin/users/:id', 'adminDeleteUser', 'AdminUserInput!', message),
  adminResendVerification: mutation(
    'POST /admin/users/:id/resend-verification',
    'adminResendVerification',
    'AdminUserInput!',
    message,
  ),
  adminUnlock: mutation('POST /admin/users/:id/unlock', 'adminUnlock', 'AdminUserInput!', message),
  adminRevokeSessions: mutation(
    'POST /admin/users/:id/revoke-sessions',
    'adminRevokeSessions',
    'AdminUserInput!',
    user,
  ),
  adminPromotePending: mutation(
    'POST /admin/pending/:email/promote',
    'adminPromotePending',
    'AdminPromotePendingInput!',
    user,
  ),
  confirmLoginMfa: mutation('POST /login/mfa-confirm', 'confirmLoginMfa', 'ConfirmLoginMfaInput!', session),
  startPhoneSetup: mutation(
    'POST /phone/start',
    'startPhoneSetup',
    'StartPhoneSetupInput!',
    '{ status pendingToken expiresIn }',
  ),
  confirmPhoneSetup: mutation('POST /phone/confirm', 'confirmPhoneSetup', 'ConfirmPhoneSetupInput!', user),
  disablePhone: mutation('DELETE /phone', 'disablePhone', 'DisablePhoneInput!', message),
  adminDisablePhone: mutation('DELETE /admin/users/:id/phone', 'adminDisablePhone', 'AdminUserInput!', user),
  startOAuthSignIn: mutation(
    'GET /oauth/:provider/start',
    'startOAuthSignIn',
    'StartOAuthSignInInput!',
    '{ authorizationUrl }',
  ),
  exchangeOAuth: mutation('POST /oauth/exchange', 'exchangeOAuth', 'ExchangeOAuthInput!', exchangeResult),
  startOAuthLink: mutation(
    'POST /oauth/:provider/link/start',
    'startOAuthLink',
    'StartOAuthLinkInput!',
    '{ authorizationUrl }',
  ),
  unlinkOAuth: mutation('DELETE /oauth/:provider/link', 'unlinkOAuth', 'UnlinkOAuthInput!', message),
  oauthProviders: query(
    'GET /oauth/providers',
    'oauthProviders',
    '{ available linked { provider email linkedAt lastUsedAt } }',
  ),
} satisfies Record<string, Operation>;

function mutation(rest: string, field: string, input: string, selection: string): Operation {
  const graphql = `mutation ($input: ${input}) { ${field}(input: $input) ${selection} }`;
  return { rest, field, input, graphql };
}

function query(rest: string, field: string, selection: string, args: Record<string, string> = {}): Operation {
  const names = Object.keys(args);
  if (names.length === 0) return { rest, field, graphql: `query { ${field} ${selection} }` };
  const declared = names.map(name => `$${name}: ${args[name]}`).join(', ');
  const passed = names.map(name => `${name}: $${name}`).join(', ');
  return { rest, field, graphql: `query (${declared}) { ${field}(${passed}) ${selection} }` };
}

const rest: Door = {
  name: 'REST',
  at: app => async (name, input, options) => {
    const [method, pattern] = operations[name].rest.split(' ') as [string, string];
    const { path, body } = placed(pattern, input);
    if (method !== 'GET') return fromRest(await app.rest(method, path, body, options));
    const search = new URLSearchParams(body as Record<string, string> | undefined);
    return fromRest(await app.rest(method, `${path}?${search}`, undefined, options));
  },
};

/** Takes what the path names out of the input: `id` for `/admin/users/:id`. */
function placed(pattern: string, input: unknown): { path: string; body: unknown } {
  if (!pattern.includes(':') || !isObject(input)) return { path: pattern, body: input };
  const body = { ...input };
  const path = pattern.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(body[name]);
    delete body[name];
    return encodeURIComponent(value);
  });
  return { path, body: Object.keys(body).length > 0 ? body : undefined };
}

function fromRest({ status, headers, body }: Reply): Answer {
  // Where GraphQL answers an address, REST sends the browser there.
  if (status === 302) return { ok: true, value: { authorization_url: headers.get('Location') } };
  if (status < 400) return { ok: true, value: body };
  const { code, errors, attempts_remaining } = body;
  return {
    ok: false,
    ...failure(code, status, errors, headers.get('Retry-After')),
    ...(attempts_remaining !== undefined && { attemptsRemaining: attempts_remaining }),
  };
}

const graphql: Door = {
  name: 'GraphQL',
  at: app => async (name, input, options) => {
    const { field, graphql, input: hasInput } = operations[name];
    const named = renamed(input, camelCase);
    // A query has arguments of its own in place of an `input`.
    const variables = input === undefined ? undefined : hasInput ? { input: named } : (named as object);
    const { body } = await app.graphql(graphql, variables, options);
    const [error] = body.errors ?? [];
    if (!error) return { ok: true, value: renamed(body.data[field], snakeCase) };
    const { code, status, errors, retryAfter, attemptsRemaining } = error.extensions;
    const inRestNames = errors?.map((e: { path: string }) => ({ ...e, path: snakeCase(e.path) }));
    return {
      ok: false,
      ...failure(code, status, inRestNames, retryAfter),
      ...(attemptsRemaining !== undefined && { attemptsRemaining }),
    };
  },
};

/** Both ways in. */
export const doors: Door[] = [rest, graphql];

/** What an operation answered. @throws when it failed */
export async function resultOf(answer: Promise<Answer>) {
  const result = await answer;
  if (!result.ok) throw new Error(`The operation failed: ${JSON.stringify(result)}`);
  return result.value;
}

function failure(
  code: string,
  status: number,
  errors: Failure['errors'] | undefined,
  retryAfter: string | number | null | undefined,
): Failure {
  return { code, status, ...(errors && { errors }), ...(retryAfter && { retryAfter: Number(retryAfter) }) };
}

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map(item => renamed(item, rename));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [rename(key), renamed(inner, rename)]),
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const camelCase = (name: string) => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
const snakeCase = (name: string) => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
