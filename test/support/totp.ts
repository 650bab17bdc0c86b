import { expect } from 'vitest';
import { type App, dataEncryptionKey, type Member, signUp } from './app.ts';
import { codeAt, setUpPhone, setUpTotp, storePasskey, wrongCodeAt } from './strong.ts';

export const totpSettings = { enableTotp: true, dataEncryptionKey };

/** How long a code is shown, in milliseconds. */
export const stepMs = 30_000;

/** Somebody with an authenticator app; `token` is that of the session of both factors that its set-up gave. */
export interface Enrolled extends Member {
  /** The session that was made before the app was there. */
  weak: string;
  secret: string;
  authenticatorId: string;
  recoveryCodes: string[];
}

/** What the tests do with authenticator apps through REST, in their own words. */
export function totpOf(app: App) {
  const post = (path: string, body: object, by?: { token: string }) =>
    app.rest('POST', path, body, by && { token: by.token });

  const totp = {
    post,
    code: (secret: string, later = 0) => codeAt(secret, app.clock.now(), later),
    wrong: (secret: string) => wrongCodeAt(secret, app.clock.now()),

    /** Starts a set-up. */
    async start(by: { token: string }): Promise<{ id: string; secret: string }> {
      const { status, body } = await post('/totp/start', {}, by);
      expect([status, body.code]).toEqual([200, undefined]);
      return body;
    },

    /** Sets an app up; the code of this moment is used up. */
    async setUp(by: { token: string }) {
      const { id: authenticatorId, ...added } = await setUpTotp(app, by);
      return { authenticatorId, ...added };
    },

    /** Somebody new with an app whose present code was not used yet. */
    async enrolled(email?: string): Promise<Enrolled> {
      const member = await signUp(app, email);
      const app_ = await totp.setUp(member);
      app.clock.advance(stepMs);
      return { ...member, ...app_, weak: member.token };
    },

    /** Gives the password and returns the challenge. */
    async challenge({ email, password }: Pick<Member, 'email' | 'password'>) {
      const { body } = await post('/login', { email, password });
      expect(body.status).toBe('mfa_required');
      return body as { mfa_pending_token: string; delivery: string; methods: string[] };
    },

    /** Gives the password and returns the pending token. */
    pending: async (member: Pick<Member, 'email' | 'password'>) =>
      (await totp.challenge(member)).mfa_pending_token,

    second: (mfa_pending_token: string, code: string, method?: string) =>
      post('/login/mfa-confirm', { mfa_pending_token, code, ...(method && { method }) }),

    /** Signs in with password and app, in the next step, and returns the session token. */
    async signIn(member: Enrolled): Promise<string> {
      app.clock.advance(stepMs);
      const { status, body } = await totp.second(await totp.pending(member), totp.code(member.secret));
      expect([status, body.code]).toEqual([200, undefined]);
      return body.access_token;
    },

    setUpPhone: (member: Pick<Member, 'token' | 'password'>) => setUpPhone(app, member),
    storePasskey: (member: Pick<Member, 'id'>) => storePasskey(app, member),

    authenticators: async (token: string) =>
      (await app.rest('GET', '/authenticators', undefined, { token })).body,
    remove: (id: string, token: string) => app.rest('DELETE', `/authenticators/${id}`, undefined, { token }),
    stored: ({ id }: { id: string }) => app.gatehouse.repositories.authenticators.listByUser(id),
    user: async ({ id }: { id: string }) => (await app.gatehouse.repositories.users.find(id))!,
    codesLeft: async ({ id }: { id: string }) => {
      const row = await app.gatehouse.repositories.recovery_codes.find(id);
      return row === null ? null : (JSON.parse(row.hashes) as unknown[]).filter(hash => hash !== null).length;
    },
  };
  return totp;
}
