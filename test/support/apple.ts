import { generateKeyPairSync } from 'node:crypto';
import { jwtVerify } from 'jose';
import { createCodes, createSigner, json, type StandIn, startStandIn } from './stand-in.ts';

const client = { id: 'example.app.service', team: 'TEAM123456', key: 'KEY1234567' };

/** Somebody with an account there; the name is told at the first sign-in only. */
export interface AppleUser {
  sub: string;
  email?: string;
  email_verified?: unknown;
  name?: { firstName?: unknown; lastName?: unknown };
}

export interface Apple extends StandIn {
  /** The settings of the provider in `oauth.providers`. */
  table: {
    kind: 'apple';
    clientId: string;
    issuer: string;
    teamId: string;
    keyId: string;
    privateKey: string;
  };
  /** The client secrets that it was given. */
  readonly secrets: string[];
  /** The form with which a browser comes back when this person has signed in. */
  answerTo(authorizationUrl: string, user: AppleUser): URLSearchParams;
}

/** Starts Sign in with Apple as developer.apple.com describes it. */
export async function startApple(): Promise<Apple> {
  const codes = createCodes(client.id);
  const { jwk, sign } = await createSigner();
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const secrets: string[] = [];
  const known = new Set<string>();

  /** As Apple: signed with the key of the team, for this service, for six months at most. */
  async function isClient(form: URLSearchParams, issuer: string): Promise<boolean> {
    const secret = form.get('client_secret') ?? '';
    secrets.push(secret);
    const rules = { issuer: client.team, subject: client.id, audience: issuer, algorithms: ['ES256'] };
    const verified = await jwtVerify(secret, publicKey, rules).catch(() => null);
    if (!verified || form.get('client_id') !== client.id) return false;
    const { exp = 0, iat = 0 } = verified.payload;
    return verified.protectedHeader.kid === client.key && exp - iat <= 15_777_000;
  }

  const server = await startStandIn(origin => ({
    '/.well-known/openid-configuration': (_req, _form, res) =>
      json(res, {
        issuer: origin,
        authorization_endpoint: `${origin}/auth/authorize`,
        token_endpoint: `${origin}/auth/token`,
        jwks_uri: `${origin}/auth/keys`,
        response_types_supported: ['code'],
        response_modes_supported: ['query', 'fragment', 'form_post'],
        subject_types_supported: ['pairwise'],
        id_token_signing_alg_values_supported: ['RS256'],
        token_endpoint_auth_methods_supported: ['client_secret_post'],
      }),
    '/auth/keys': (_req, _form, res) => json(res, { keys: [jwk] }),
    '/auth/token': async (_req, form, res) => {
      const grant = (await isClient(form, origin)) ? codes.take(form) : null;
      if (!grant) return json(res, { error: 'invalid_client' }, 400);
      const { name: _, ...person } = grant.person;
      const claims = { iss: origin, aud: client.id, nonce: grant.nonce, nonce_supported: true };
      const id_token = await sign({ ...claims, ...person });
      return json(res, { access_token: 'x', token_type: 'Bearer', expires_in: 3600, id_token });
    },
  }));
  return {
    ...server,
    secrets,
    table: {
      ...{ kind: 'apple', clientId: client.id, issuer: server.origin },
      ...{ teamId: client.team, keyId: client.key },
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    },
    answerTo(url, user) {
      const { searchParams } = new URL(url);
      // With a scope, Apple answers by a form alone.
      if (searchParams.get('response_mode') !== 'form_post') throw new Error('invalid_request');
      const { email = `${user.sub}@privaterelay.example`, email_verified = 'true' } = user;
      const form = new URLSearchParams(codes.give(url, { ...user, email, email_verified }));
      const isFirst = !known.has(user.sub);
      known.add(user.sub);
      if (isFirst && user.name && searchParams.get('scope')!.split(' ').includes('name')) {
        form.set('user', JSON.stringify({ name: user.name, email }));
      }
      return form;
    },
  };
}
