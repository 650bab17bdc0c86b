import { createHash } from 'node:crypto';

// biome-ignore lint/suspicious/noExplicitAny: the code of another version
type Foreign = any;

/** Loads a module of the other version. */
export type Load = (path: string) => Promise<Foreign>;

export const password = 'correct horse battery';
export const address = (name: string) => `${name}@example.org`;

const verifier = 'a-verifier-of-43-characters-or-more-as-rfc-7636-says';
const challenge = createHash('sha256').update(verifier).digest('base64url');

/** Runs the other version on a database, with a provider, and fills the database through its REST interface. */
export async function openSite(load: Load, databaseUrl: string, more: object) {
  const { startApp, TestClock, tokenOf } = await load('test/support/app.ts');
  const { baseUrl, startOidc } = await load('test/support/oidc.ts');
  const clock = new TestClock();
  const oidc = await startOidc();
  const settings = {
    ...{ baseUrl, enableOauth: true, enableSms2fa: true, enableAdminRouter: true },
    ...{ oauth: oidc.settings, loginRateLimit: '1000/hour', ...more },
  };
  const app = await startApp({ databaseUrl, clock, settings });

  async function call(
    method: string,
    path: string,
    body?: object,
    options: { token?: string; headers?: object; status?: number } = {},
  ): Promise<Foreign> {
    const { status = 200, ...rest } = options;
    const reply = await app.rest(method, path, body, rest);
    if (reply.status !== status) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}`);
    clock.advance(1000);
    return reply.body;
  }

  const site = {
    ...{ app, clock, call },
    issuer: oidc.issuer as string,

    /** The token in the next mail to somebody whose subject fits; others are passed over. */
    async mailed(name: string, subject = /./): Promise<string> {
      for (;;) {
        const mail = await app.nextMail(address(name));
        if (subject.test(mail.subject)) return tokenOf(mail);
      }
    },

    /** The code in the next text message to a phone. */
    codeTo: async (phone: string): Promise<string> => /(\d{6})$/.exec((await app.nextText(phone)).text)![1]!,

    /** The answer to the right password. */
    logIn: (name: string, headers: object = {}) =>
      call('POST', '/login', { email: address(name), password }, { headers }),

    /** Registers somebody, verifies the address and signs in. */
    async signUp(name: string, full_name?: string) {
      await call('POST', '/register', { email: address(name), password, full_name }, { status: 201 });
      const { id } = await call('POST', '/verify', { token: await site.mailed(name) });
      return { id: id as string, token: (await site.logIn(name)).access_token as string };
    },

    /** Sets a phone up. */
    async addPhone(phone_number: string, token: string) {
      const setup = { phone_number, current_password: password };
      const { pending_token } = await call('POST', '/phone/start', setup, { token, status: 202 });
      await call(
        'POST',
        '/phone/confirm',
        { pending_token, code: await site.codeTo(phone_number) },
        { token },
      );
    },

    /** Comes back from the provider as this person; returns where that leads. */
    async external(start: string, subject: string): Promise<URL> {
      const { search } = await oidc.signInAt(start, subject);
      const reply = await app.rest('GET', `/oauth/google/callback${search}`);
      return new URL(reply.headers.get('Location'));
    },

    /** Starts a sign-in with the provider; returns where the browser goes. */
    async startSignIn(): Promise<string> {
      const reply = await app.rest('GET', `/oauth/google/start?code_challenge=${challenge}`);
      return reply.headers.get('Location');
    },

    /** A second instance on the same database. */
    beside: (changed: object) => startApp({ databaseUrl, clock, settings: { ...settings, ...changed } }),

    async close() {
      await app.close();
      await oidc.close();
    },
  };
  return site;
}
