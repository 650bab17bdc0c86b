import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { Raw } from '../config/load.ts';
import type { ConfigInput } from '../config/schema.ts';
import { isPlainObject } from '../plain-object.ts';

/** Where no server listens: a request of a test to a provider fails at once, and never leaves this machine. */
const nowhere = 'http://127.0.0.1:1';

const madeUp = () => randomBytes(32).toString('base64url');

/**
 * Returns what the tests of a host have in place of what they do not take from its configuration file: a database in
 * memory, made-up secrets, and providers that are nowhere (CONTRACT §14).
 */
export function standInsFor(file: Raw): ConfigInput {
  return {
    databaseUrl: 'sqlite:///:memory:',
    jwtSecret: madeUp(),
    dataEncryptionKey: madeUp(),
    limitsDisabled: true,
    oauth: providersFor(tableOf(file.oauth)),
  };
}

const tableOf = (value: unknown): Raw => (isPlainObject(value) ? { ...value } : {});

type OAuth = NonNullable<ConfigInput['oauth']>;

/** Returns the parts of identity providers that reach them, for those that the file configures. */
function providersFor(oauth: Raw): OAuth {
  const providers = Object.entries(tableOf(oauth.providers)).map(([name, table]) => [
    name,
    providerFor(name, tableOf(table)),
  ]);
  const hasGoogle = Object.keys(oauth).some(field => field.startsWith('google_'));
  return {
    ...(hasGoogle && {
      googleIssuer: `${nowhere}/google`,
      googleClientSecret: madeUp(),
      ...(oauth.google_client_id === undefined && { googleClientId: 'test' }),
    }),
    providers: Object.fromEntries(providers),
  };
}

function providerFor(name: string, { kind = 'oidc', client_id, client_auth }: Raw) {
  const address = `${nowhere}/${name}`;
  const known = client_id === undefined ? { clientId: 'test' } : {};
  switch (kind) {
    case 'github':
      return {
        ...{ ...known, clientSecret: madeUp(), authorizationUrl: `${address}/authorize` },
        ...{ tokenUrl: `${address}/token`, apiUrl: `${address}/api` },
      };
    case 'apple': {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      return {
        ...{ ...known, issuer: address },
        privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
      };
    }
    case 'microsoft':
      return { ...known, issuer: `${address}/{tenant}`, clientSecret: madeUp() };
    default:
      return { ...known, issuer: address, ...(client_auth !== 'none' && { clientSecret: madeUp() }) };
  }
}
