import { createPrivateKey, sign } from 'node:crypto';
import { connectOpenId, type OpenIdLibrary } from './openid.ts';
import { openIdProvider } from './openid-provider.ts';
import type { Provider } from './provider.ts';
import type { AppleSettings } from './settings.ts';

/** How long a client secret lives, in seconds; Apple accepts up to six months. */
const secretLifeSeconds = 3600;
/** How long before its end a client secret is replaced, in seconds. */
const renewalSeconds = 300;

/**
 * Returns Sign in with Apple. Its client secret is a JWT that this service signs, and with a scope it sends the browser
 * back with a form. The name of a person is in that form, at the first sign-in only and not signed
 * (https://developer.apple.com/documentation/signinwithapplerestapi).
 */
export function appleProvider(client: OpenIdLibrary, settings: AppleSettings): Provider {
  const { issuer, clientId, redirectUri, scopes } = settings;
  const secret = createAppleSecret(settings);
  const connection = connectOpenId(client, {
    ...{ discoveryUrl: issuer, clientId, redirectUri, scopes },
    auth: (_server, _client, body) => {
      body.set('client_id', clientId);
      body.set('client_secret', secret());
    },
    parameters: { response_mode: 'form_post' },
  });
  return openIdProvider(settings, connection, {
    postsForm: true,
    hasIssuer: given => given === issuer,
    issuerOf: () => issuer,
    // Apple writes it as a boolean or as a text.
    isVerified: claims => claims.email_verified === true || claims.email_verified === 'true',
    nameOf: (_claims, { user }) => (scopes.includes('name') ? nameIn(user) : undefined),
  });
}

/**
 * Returns a function that returns the client secret: a JWT signed with the key (ES256), made again before it expires.
 * `now` returns milliseconds since 1970.
 */
export function createAppleSecret(
  {
    teamId,
    keyId,
    clientId,
    issuer,
    privateKey,
  }: Pick<AppleSettings, 'teamId' | 'keyId' | 'clientId' | 'issuer' | 'privateKey'>,
  now: () => number = Date.now,
): () => string {
  const key = createPrivateKey(privateKey);
  const header = encoded({ alg: 'ES256', kid: keyId, typ: 'JWT' });
  let made: { secret: string; exp: number } | undefined;

  return () => {
    const iat = Math.floor(now() / 1000);
    // A clock that was set back must not make a secret that lasts longer.
    const isCurrent = made && iat < made.exp - renewalSeconds && iat >= made.exp - secretLifeSeconds;
    if (made && isCurrent) return made.secret;
    const exp = iat + secretLifeSeconds;
    const signed = `${header}.${encoded({ iss: teamId, iat, exp, aud: issuer, sub: clientId })}`;
    const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
    made = { secret: `${signed}.${signature.toString('base64url')}`, exp };
    return made.secret;
  };
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Returns the name in what Apple's form says about the person; undefined when there is none. */
function nameIn(user: string | undefined): string | undefined {
  try {
    const { firstName, lastName } = JSON.parse(user ?? '{}').name;
    const parts = [firstName, lastName].filter(part => typeof part === 'string' && part.trim() !== '');
    return parts.join(' ') || undefined;
  } catch {
    return undefined;
  }
}
