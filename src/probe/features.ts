import { CheckFailure } from '../check.ts';
import type { Answer, Client } from './client.ts';
import { described } from './expect.ts';
import { newAddress, newPassword } from './visitor.ts';

/** What the deployment has switched on; null is not known before it is tried. */
export interface Features {
  graphql: boolean;
  registration: boolean | null;
  verificationRequired: boolean | null;
  passwordReset: boolean;
  accountDeletion: boolean;
  sms2fa: boolean;
  oauth: boolean;
  admin: boolean;
}

const query =
  '{ features { registration verificationRequired passwordReset accountDeletion sms2fa oauth admin } }';

/**
 * Asks GraphQL, and where that is off, looks at which paths are there.
 * @throws {CheckFailure} when there is no account service at the address
 */
export async function discover(client: Client): Promise<Features> {
  const nobody = { email: newAddress(), password: newPassword() };
  const login = await client.call('POST', '/login', { body: nobody });
  if (login.status !== 401) {
    throw new CheckFailure(`${described(login)}, and not 401: ${suspicion(login)}`);
  }
  const answer = await client.call('POST', '/graphql', { body: { query } });
  const told = answer.body?.data?.features;
  if (answer.status === 200 && told) return { ...told, graphql: true };

  // Without a session or a body, what is there answers anything but 404.
  const has = async (method: string, path: string) => (await client.call(method, path)).status !== 404;
  return {
    graphql: false,
    registration: null,
    verificationRequired: null,
    passwordReset: await has('POST', '/forgot-password'),
    accountDeletion: await has('DELETE', '/account'),
    sms2fa: await has('POST', '/phone/start'),
    oauth: await has('GET', '/oauth/providers'),
    admin: await has('GET', '/admin/stats'),
  };
}

/** What is wrong where somebody unknown is not simply refused. */
function suspicion({ status }: Answer): string {
  if (status === 429) return 'it refuses this client for now.';
  if (status >= 500) return 'the service is not well.';
  return "there is no account service. Does --url end with the API's prefix, such as /api/auth?";
}

/** The features that are on, for people. */
export function describeFeatures(features: Features): string {
  const names: [keyof Features, string][] = [
    ['registration', 'registration'],
    ['verificationRequired', 'verification'],
    ['passwordReset', 'password reset'],
    ['accountDeletion', 'account deletion'],
    ['sms2fa', 'second factor'],
    ['oauth', 'external sign-in'],
    ['admin', 'administration'],
    ['graphql', 'GraphQL'],
  ];
  return names.flatMap(([key, name]) => (features[key] ? [name] : [])).join(', ');
}
