import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { addressOf } from './oidc.ts';

/** Whom an ID token is about, and what it claims beside the usual. */
export interface Person {
  sub: string;
  email?: unknown;
  email_verified?: unknown;
  [claim: string]: unknown;
}

/** An OpenID Connect provider without pages, for tests that need many sign-ins, or two issuers. */
export interface InstantProvider {
  issuer: string;
  /** The settings in `oauth`. */
  settings: { googleClientId: string; googleClientSecret: string; googleIssuer: string };
  /** The settings of the provider in `oauth.providers`. */
  table: { clientId: string; clientSecret: string; issuer: string };
  /** The query with which a browser comes back when this person has signed in at the authorization URL. */
  answerTo(authorizationUrl: string, person: Person): string;
  close(): Promise<void>;
}

const client = { id: 'client-of-the-tests', secret: 'a secret of the client of the tests' };

export async function startInstantProvider(): Promise<InstantProvider> {
  const keys = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const server = createServer(async (req, res) => {
    const body = await answer(req);
    res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(req: IncomingMessage): Promise<object> {
    if (req.url === '/.well-known/openid-configuration') return metadata;
    if (req.url === '/keys') return { keys: [jwk] };
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const claims = JSON.parse(Buffer.from(form.get('code')!, 'base64url').toString());
    const id_token = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setIssuer(issuer)
      .setAudience(client.id)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(keys.privateKey);
    return { access_token: 'x', token_type: 'Bearer', expires_in: 300, id_token };
  }

  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    authorization_response_iss_parameter_supported: true,
  };

  return {
    issuer,
    settings: { googleClientId: client.id, googleClientSecret: client.secret, googleIssuer: issuer },
    table: { clientId: client.id, clientSecret: client.secret, issuer },
    answerTo(authorizationUrl, person) {
      const { searchParams } = new URL(authorizationUrl);
      const claims = { email: addressOf(person.sub), email_verified: true, ...person };
      const code = JSON.stringify({ ...claims, nonce: searchParams.get('nonce') });
      const query = { code: Buffer.from(code).toString('base64url'), iss: issuer };
      return `?${new URLSearchParams({ ...query, state: searchParams.get('state')! })}`;
    },
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
