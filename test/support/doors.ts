import { inject } from 'vitest';
import { featuresShown } from '../../src/feature-parts.ts';
import { camelCase } from '../../src/names.ts';
import type { App, Reply } from './app.ts';
import type { Backend } from './backends.ts';
import { featureTests } from './feature-tests.ts';
import { authenticator, message, mutation, type Operation, query, session } from './operations.ts';

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
  /** Goes through this door of an app. GraphQL selects own fields and roles by `own`. */
  at(app: App, own?: string): Call;
}

const user = `{ id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled
  createdAt updatedAt lastLogin tokensInvalidatedAfter }`;
const startOfUser = '{ id email fullName';
const features = `{ appName registration verificationRequired passwordReset accountDeletion sms2fa
  mfaRequired sessionList userFields { name type label required maxLength } oauth
  oauthProviders { name label kind } passwordMinLength admin defaultLocale locales { tag name direction } ${Object.keys(featuresShown).map(camelCase).join(' ')} }`;
const stats = '{ totalUsers activeUsers verifiedUsers superusers pendingRegistrations }';
const registerResult = `{ ... on PendingRegistration { status email expiresAt } ... on User ${user} }`;
const loginResult = `{ ... on Session ${session}
  ... on MfaChallenge { status mfaPendingToken expiresIn delivery methods } }`;
const sessionList = '{ items { id createdAt lastSeenAt expiresAt ip device method isCurrent } }';

const exchangeResult = `{ ... on OAuthSession { accessToken tokenType expiresIn redirectTo wasNewAccount }
  ... on MfaChallenge { status mfaPendingToken expiresIn delivery methods redirectTo wasNewAccount } }`;

const { operations: ofFeatures } = featureTests;

/** Every operation, a line each: where REST has it, and how GraphQL asks for it. */
export const operations = {
  features: query('GET /features', 'features', features),
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
  acceptInvitation: mutation('POST /accept-invitation', 'acceptInvitation', 'AcceptInvitationInput!', user),
  changeEmail: mutation('POST /change-email', 'changeEmail', 'ChangeEmailInput!', message),
  confirmEmailChange: mutation(
    'POST /confirm-email-change',
    'confirmEmailChange',
    'ConfirmEmailChangeInput!',
    user,
  ),
  deleteAccount: mutation('DELETE /account', 'deleteAccount', 'DeleteAccountInput!', message),
  adminStats: query('GET /admin/stats', 'adminStats', stats),
  adminOverview: query(
    'GET /admin/overview',
    'adminOverview',
    '{ since signIns refusals lockouts deadDeliveries webhooksOff }',
  ),
  user: query('GET /admin/users/:id', 'user', user.replace(' }', ' reportedAt lockedUntil }'), { id: 'ID!' }),
  adminCreateUser: mutation('POST /admin/users', 'adminCreateUser', 'AdminCreateUserInput!', user),
  adminUpdateUser: mutation('PATCH /admin/users/:id', 'adminUpdateUser', 'AdminUpdateUserInput!', user),
  adminDeleteUser: mutation('DELETE /admin/users/:id', 'adminDeleteUser', 'AdminUserInput!', message),
  adminResendVerification: mutation(
    'POST /admin/users/:id/resend-verification',
    'adminResendVerification',
    'AdminUserInput!',
    message,
  ),
  adminSendReset: mutation('POST /admin/users/:id/send-reset', 'adminSendReset', 'AdminUserInput!', message),
  adminChangeEmail: mutation(
    'POST /admin/users/:id/change-email',
    'adminChangeEmail',
    'AdminChangeEmailInput!',
    user,
  ),
  adminRequireNewPassword: mutation(
    'POST /admin/users/:id/require-new-password',
    'adminRequireNewPassword',
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
  userAuthenticators: query(
    'GET /admin/users/:id/authenticators',
    'userAuthenticators',
    `{ items ${authenticator} recoveryCodesLeft phoneNeedsConfirmation }`,
    { id: 'ID!' },
  ),
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
  finishOAuthLink: mutation(
    'POST /oauth/link/finish',
    'finishOAuthLink',
    'FinishOAuthLinkInput!',
    '{ provider email linkedAt lastUsedAt isDistrusted }',
  ),
  unlinkOAuth: mutation('DELETE /oauth/:provider/link', 'unlinkOAuth', 'UnlinkOAuthInput!', message),
  oauthProviders: query(
    'GET /oauth/providers',
    'oauthProviders',
    '{ available linked { provider email linkedAt lastUsedAt isDistrusted } hasPassword }',
  ),
  authenticators: query(
    'GET /authenticators',
    'authenticators',
    `{ items ${authenticator} recoveryCodesLeft phoneNeedsConfirmation }`,
  ),
  renameAuthenticator: mutation(
    'PATCH /authenticators/:id',
    'renameAuthenticator',
    'RenameAuthenticatorInput!',
    authenticator,
  ),
  removeAuthenticator: mutation(
    'DELETE /authenticators/:id',
    'removeAuthenticator',
    'RemoveAuthenticatorInput!',
    message,
  ),
  replaceRecoveryCodes: mutation('POST /recovery-codes', 'replaceRecoveryCodes', null, '{ recoveryCodes }'),
  sendMfaCode: mutation('POST /login/mfa-send', 'sendMfaCode', 'SendMfaCodeInput!', message),
  reauthenticate: mutation('POST /reauthenticate', 'reauthenticate', 'ReauthenticateInput!', loginResult),
  sessions: query('GET /sessions', 'sessions', sessionList),
  endSession: mutation('DELETE /sessions/:id', 'endSession', 'EndSessionInput!', message),
  endOtherSessions: mutation('DELETE /sessions', 'endOtherSessions', null, '{ message ended }'),
  adminRemoveAuthenticators: mutation(
    'DELETE /admin/users/:id/authenticators',
    'adminRemoveAuthenticators',
    'AdminUserInput!',
    user,
  ),
  userIdentities: query(
    'GET /admin/users/:id/identities',
    'userIdentities',
    '{ items { provider issuer email linkedAt lastUsedAt acr amr } }',
    { id: 'ID!' },
  ),
  adminUnlinkOAuth: mutation(
    'DELETE /admin/users/:id/identities/:provider',
    'adminUnlinkOAuth',
    'AdminUnlinkOAuthInput!',
    message,
  ),
  adminRetryMessage: mutation(
    'POST /admin/outbox/:id/retry',
    'adminRetryMessage',
    'AdminRetryMessageInput!',
    message,
  ),
  adminDropMessage: mutation(
    'DELETE /admin/outbox/:id',
    'adminDropMessage',
    'AdminDropMessageInput!',
    message,
  ),
  userSessions: query('GET /admin/users/:id/sessions', 'userSessions', sessionList, { id: 'ID!' }),
  adminEndSession: mutation(
    'DELETE /admin/users/:id/sessions/:session_id?',
    'adminEndSession',
    'AdminEndSessionInput!',
    '{ message ended }',
  ),
  ...ofFeatures,
} satisfies Record<string, Operation>;

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
  const path = pattern.replace(/\/:(\w+)(\??)/g, (_, name: string, optional: string) => {
    const value = body[name];
    delete body[name];
    return optional && value === undefined ? '' : `/${encodeURIComponent(String(value))}`;
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
  at:
    (app, own = '') =>
    async (name, input, options) => {
      const { field, graphql: plain, input: hasInput } = operations[name];
      const graphql = plain.replaceAll(startOfUser, `${startOfUser} ${own}`);
      const named = renamed(input, camelCase);
      // A query has arguments of its own in place of an `input`.
      const variables = input === undefined ? undefined : hasInput ? { input: named } : (named as object);
      const { body } = await app.graphql(graphql, variables, options);
      const [error] = body.errors ?? [];
      if (!error) return { ok: true, value: withoutAbsent(renamed(body.data[field], snakeCase)) };
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

/**
 * Returns the doors through which a rule is tried on a database: both on SQLite, and each on one of the servers, because a door
 * decides nothing and its work is done before that of the database. In `npm run test:all` both are tried everywhere.
 */
export function doorsOn({ name }: Backend): Door[] {
  if (inject('tier') === 'all' || name.startsWith('sqlite')) return doors;
  return [name === 'postgresql' ? rest : graphql];
}

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

/** Fields of the scalar type JSON, which has its own names at both doors. */
const jsonFields = ['credential', 'options'];

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map(item => renamed(item, rename));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      rename(key),
      jsonFields.includes(key) ? inner : renamed(inner, rename),
    ]),
  );
}

/** Fields that REST leaves out where GraphQL answers null. */
const optionalFields = [
  'is_synced',
  'is_distrusted',
  'recovery_codes',
  'session',
  'phone_needs_confirmation',
];

function withoutAbsent(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAbsent);
  if (!isObject(value)) return value;
  const present = Object.entries(value).filter(
    ([key, inner]) => inner !== null || !optionalFields.includes(key),
  );
  return Object.fromEntries(
    present.map(([key, inner]) => [key, jsonFields.includes(key) ? inner : withoutAbsent(inner)]),
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** A digit begins a word: `sms_2fa`. */
const snakeCase = (name: string) =>
  name.replace(/[A-Z]|(?<=[a-z])[0-9]/g, letter => `_${letter.toLowerCase()}`);
