import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { listen } from './listening.ts';

/** A provider on loopback that answers as the real one documents it, with keys of its own. */
export interface StandIn {
  origin: string;
  /** The requests so far: method and path. */
  readonly asked: string[];
  close(): Promise<void>;
}

/** What a token request was sent for. */
export interface Grant {
  person: Record<string, unknown>;
  nonce: string | null;
}

export type Handler = (req: IncomingMessage, body: URLSearchParams, res: ServerResponse) => unknown;

export const json = (res: ServerResponse, body: unknown, status = 200) =>
  res.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));

/** The discovery document of a provider (OpenID Connect Discovery 1.0 §3). */
export const metadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
});

/** Starts a server that answers by path. */
export async function startStandIn(handlers: (origin: string) => Record<string, Handler>): Promise<StandIn> {
  const asked: string[] = [];
  const { origin, close } = await listen(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const { pathname } = new URL(req.url!, origin);
    asked.push(`${req.method} ${pathname}`);
    const handler = routes[pathname];
    if (!handler) return void json(res, { message: 'Not Found' }, 404);
    await handler(req, new URLSearchParams(Buffer.concat(chunks).toString()), res);
  });
  const routes = handlers(origin);
  return { origin, asked, close };
}

/** The codes that a provider has given out. Each is good once, with the redirect URI and the verifier of its flow. */
export function createCodes(clientId: string) {
  const codes = new Map<string, Grant & { redirectUri: string; challenge: string }>();
  return {
    /** Returns the code for somebody who signed in at this address. @throws when the address is not as it must be */
    give(authorizationUrl: string, person: Record<string, unknown>): { code: string; state: string } {
      const { searchParams: query } = new URL(authorizationUrl);
      if (query.get('client_id') !== clientId) throw new Error('Another client is named.');
      if (query.get('response_type') !== 'code') throw new Error('No code is asked for.');
      if (query.get('code_challenge_method') !== 'S256') throw new Error('There is no challenge.');
      const code = randomBytes(16).toString('hex');
      codes.set(code, {
        ...{ person, nonce: query.get('nonce'), challenge: query.get('code_challenge')! },
        redirectUri: query.get('redirect_uri')!,
      });
      return { code, state: query.get('state')! };
    },

    /** Returns whom a token request is about, or null when it is refused. */
    take(form: URLSearchParams): Grant | null {
      const code = form.get('code') ?? '';
      const found = codes.get(code);
      codes.delete(code);
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      const isRight =
        form.get('grant_type') === 'authorization_code' &&
        form.get('redirect_uri') === found?.redirectUri &&
        challenge === found?.challenge;
      return isRight && found ? found : null;
    },
  };
}

/** Makes a key of a provider that signs ID tokens with RS256. */
export async function createSigner(kid = 'one') {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' };
  return {
    jwk,
    sign: (claims: JWTPayload) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', kid })
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(privateKey),
  };
}
