import { CheckFailure } from '../check.ts';
import type { Answer, Client } from './client.ts';
import { described, errorOf } from './expect.ts';

/** The features of the deployment; null if it is not known before it is tried. */
export interface Features {
  graphql: boolean;
  /** Whether GraphQL executes only the documents of a manifest. */
  trustedDocuments: boolean;
  registration: boolean | null;
  verificationRequired: boolean | null;
  passwordReset: boolean;
  accountDeletion: boolean;
  sms2fa: boolean;
  /** Whether every account must have a second factor or a passkey. */
  mfaRequired: boolean;
  sessionList: boolean;
  totp: boolean;
  passkeys: boolean;
  browserSessions: boolean;
  tokens: boolean;
  apiKeys: boolean;
  oauth: boolean;
  admin: boolean;
}

const query =
  '{ features { registration verificationRequired passwordReset accountDeletion sms2fa mfaRequired sessionList oauth admin } }';

/**
 * Reads the features from GraphQL or from REST, or where neither tells, checks which paths exist.
 * @throws {CheckFailure} when there is no account service at the address
 */
export async function discover(client: Client): Promise<Features> {
  // Without its fields: a failed sign-in would be stored.
  const login = await client.call('POST', '/login', { body: {} });
  if (login.status !== 422) {
    throw new CheckFailure(`${described(login)}, and not 422: ${suspicion(login)}`);
  }
  const answer = await client.call('POST', '/graphql', { body: { query } });
  const told = answer.status === 200 ? answer.body?.data?.features : undefined;
  const trustedDocuments = answer.status === 400 && errorOf(answer) === 'invalid_document';
  // Without a session or a body, a path that exists never responds with 404.
  const has = async (method: string, path: string) => (await client.call(method, path)).status !== 404;
  const paths = {
    totp: await has('POST', '/totp/start'),
    passkeys: await has('POST', '/passkeys/start'),
    browserSessions: await has('POST', '/browser-session'),
    tokens: await has('POST', '/tokens'),
    apiKeys: await has('GET', '/api-keys'),
    graphql: Boolean(told) || trustedDocuments,
    trustedDocuments,
  };
  if (told) return { ...told, ...paths, mfaRequired: told.mfaRequired === 'everyone' };
  const { status, body } = await client.call('GET', '/features');
  if (status === 200 && body) {
    return {
      registration: body.registration,
      verificationRequired: body.verification_required,
      passwordReset: body.password_reset,
      accountDeletion: body.account_deletion,
      sms2fa: body.sms_2fa,
      mfaRequired: body.mfa_required === 'everyone',
      sessionList: body.session_list === true,
      oauth: body.oauth,
      admin: body.admin,
      ...paths,
    };
  }
  return {
    registration: null,
    verificationRequired: null,
    passwordReset: await has('POST', '/forgot-password'),
    accountDeletion: await has('DELETE', '/account'),
    sms2fa: await has('POST', '/phone/start'),
    mfaRequired: false,
    sessionList: await has('GET', '/sessions'),
    oauth: await has('GET', '/oauth/providers'),
    admin: await has('GET', '/admin/stats'),
    ...paths,
  };
}

/** Returns what is wrong when a sign-in without its fields is not rejected as usual. */
function suspicion({ status }: Answer): string {
  if (status === 429) return 'it limits the requests of this client at the moment.';
  if (status >= 500) return 'the service reports an error.';
  return "there is no account service. Does the address end with the API's prefix, such as /api/auth?";
}

/** Returns the enabled features, for people. */
export function describeFeatures(features: Features): string {
  const names: [keyof Features, string][] = [
    ['registration', 'registration'],
    ['verificationRequired', 'verification'],
    ['passwordReset', 'password reset'],
    ['accountDeletion', 'account deletion'],
    ['sms2fa', 'second factor'],
    ['totp', 'authenticator apps'],
    ['passkeys', 'passkeys'],
    ['browserSessions', 'browser sessions'],
    ['tokens', 'tokens'],
    ['apiKeys', 'API keys'],
    ['oauth', 'external sign-in'],
    ['admin', 'administration'],
    ['graphql', 'GraphQL'],
  ];
  return names.flatMap(([key, name]) => (features[key] ? [name] : [])).join(', ');
}
