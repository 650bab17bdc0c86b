import type { IncomingMessage, ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterAll, expect } from 'vitest';
import { type App, startApp } from '../support/app.ts';
import { listen } from '../support/listening.ts';
import { metadata } from '../support/stand-in.ts';

export const baseUrl = 'https://app.example';
export const clientId = 'client-of-the-tests';
export const clientSecret = 'a secret of the client of the tests';
export type Answer = (res: ServerResponse) => unknown;
/** What the ID token says when it is honest. */
export type Honest = Record<'iss' | 'aud' | 'sub' | 'nonce' | 'email', string> & { iat: number; exp: number };

/** The key that the provider publishes, and one that it does not. */
export const [keys, otherKeys] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);

const endings: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(endings.map(end => end())));

export const json =
  (body: unknown, status = 200): Answer =>
  res =>
    res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
export const hang: Answer = () => {};
export const fail: Answer = res => res.writeHead(500).end('down');
export interface Lies {
  discovery?: Answer;
  keys?: Answer;
  token?: Answer;
  /** The ID token in place of the honest one; null for none. */
  idToken?: (honest: Honest, code: string) => string | null | Promise<string | null>;
  /** What its description says besides the usual. */
  described?: object;
}

export interface Told {
  app: App;
  issuer: string;
  /** The forms that came to the token endpoint. */
  asked: URLSearchParams[];
  start(): ReturnType<App['rest']>;
  /** Finishes a flow, with what else stands in the query, and answers where the browser is sent. */
  finish(more?: string): Promise<string>;
}

/** An app whose provider lies, both gone after the tests. */
export async function against(lies: Lies): Promise<Told> {
  const asked: URLSearchParams[] = [];
  let nonce = '';
  const { origin: issuer, close } = await listen((req, res) => void serve(req, res));
  const app = await startApp({
    settings: {
      ...{ baseUrl, enableOauth: true },
      oauth: { googleClientId: clientId, googleClientSecret: clientSecret, googleIssuer: issuer },
    },
  });
  endings.push(async () => {
    await close();
    await app.close();
  });

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    if (req.url === '/.well-known/openid-configuration')
      (lies.discovery ?? json({ ...metadata(issuer), ...lies.described }))(res);
    else if (req.url === '/keys') (lies.keys ?? json(await published()))(res);
    else {
      asked.push(new URLSearchParams(Buffer.concat(chunks).toString()));
      (lies.token ?? json(await tokens(asked.at(-1)!.get('code') ?? '')))(res);
    }
  }

  async function published() {
    const key = await exportJWK(keys.publicKey);
    return { keys: [{ ...key, kid: 'one', alg: 'RS256', use: 'sig' }] };
  }

  async function tokens(code: string) {
    const now = Math.floor(Date.now() / 1000);
    const honest: Honest = {
      ...{ iss: issuer, aud: clientId, sub: 'someone', email: 'someone@people.example' },
      ...{ nonce, iat: now, exp: now + 300 },
    };
    const idToken = await (lies.idToken ?? (claims => sign(claims)))(honest, code);
    return {
      access_token: 'x',
      token_type: 'Bearer',
      expires_in: 300,
      ...(idToken && { id_token: idToken }),
    };
  }

  const start = () => app.rest('GET', '/oauth/google/start');
  return {
    ...{ app, issuer, asked, start },
    async finish(more = '') {
      const { status, headers } = await start();
      expect(status).toBe(302);
      const { searchParams } = new URL(headers.get('Location')!);
      nonce = searchParams.get('nonce')!;
      const query = new URLSearchParams({ code: 'a-code', state: searchParams.get('state')! });
      const reply = await app.rest('GET', `/oauth/google/callback?${query}${more}`);
      expect(reply.status).toBe(302);
      const location = reply.headers.get('Location')!;
      // The state is used up, however it ended.
      const again = await app.rest('GET', `/oauth/google/callback?${query}${more}`);
      expect(again.headers.get('Location')).toBe(page('bad_state'));
      return location;
    },
  };
}

export const sign = (claims: JWTPayload, { privateKey } = keys, kid = 'one') =>
  new SignJWT({ email_verified: true, ...claims }).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey);

export const page = (code: string) => `${baseUrl}/account/login?error=${code}`;

/** The sign-in was refused: no account, no identity, no result to exchange; and the log holds nothing that was sent. */
export async function expectNobody({ app, issuer }: Told): Promise<void> {
  const { users, oauth_identities } = app.gatehouse.repositories;
  expect(await users.count({})).toBe(0);
  expect(await oauth_identities.findBySubject({ name: 'google', issuer }, 'someone')).toBeNull();
  const written = JSON.stringify(app.logs);
  for (const secret of [clientSecret, 'a-code', 'someone@people.example'])
    expect(written).not.toContain(secret);
}
