import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { createDataEncryption } from '../../src/crypto/data-key.ts';
import { createTotp } from '../../src/features/authenticator-apps/apps.ts';
import { fromBase32, hotp, stepAt } from '../../src/features/authenticator-apps/codes.ts';
import { type App, dataEncryptionKey, type Member, signUp } from './app.ts';
import { claimsIn } from './passkeys.ts';
import { codeIn, newPhone } from './people.ts';

export const totpSettings = { enableTotp: true, dataEncryptionKey };

/** How long a code is shown, in milliseconds. */
export const stepMs = 30_000;

/** Returns the code that an app shows at this moment, or so many steps later. */
export const codeAt = (secret: string, moment: Date, later = 0) =>
  hotp(fromBase32(secret), stepAt(moment) + later);

/** Returns six digits that no step near this moment has. */
export function wrongCodeAt(secret: string, moment: Date): string {
  const near = [-2, -1, 0, 1, 2].map(later => codeAt(secret, moment, later));
  return ['111111', '222222', '333333', '444444', '555555', '666666'].find(code => !near.includes(code))!;
}

/** Begins the set-up of an authenticator app as `POST /totp/start` does, without the QR code, which takes longest. */
export function beginTotp({ clock, gatehouse }: App, { token }: { token: string }) {
  const { config, repositories } = gatehouse;
  const encryption = createDataEncryption(config.dataEncryptionKey!.reveal());
  const { begin } = createTotp({ config, clock, repositories, encryption });
  return begin(claimsIn(token).sub);
}

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
      const { id, secret } = await beginTotp(app, by);
      const { status, body } = await post('/totp/confirm', { id, code: totp.code(secret) }, by);
      expect([status, body.code]).toEqual([200, undefined]);
      return {
        secret,
        authenticatorId: body.authenticator.id as string,
        recoveryCodes: body.recovery_codes as string[],
        token: (body.session?.access_token ?? by.token) as string,
      };
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

    /** Sets a phone up and returns its number. */
    async setUpPhone({ token, password }: Pick<Member, 'token' | 'password'>): Promise<string> {
      const phone_number = newPhone();
      const start = { phone_number, current_password: password };
      const { body } = await post('/phone/start', start, { token });
      const code = codeIn(await app.nextText(phone_number));
      const confirmed = await post('/phone/confirm', { pending_token: body.pending_token, code }, { token });
      expect(confirmed.status).toBe(200);
      return phone_number;
    },

    /** Stores a passkey of an account, without its private key. */
    async addPasskey({ id }: { id: string }): Promise<string> {
      const rowId = randomUUID();
      await app.gatehouse.repositories.authenticators.add({
        ...{ id: rowId, userId: id, kind: 'passkey', name: 'Key', createdAt: app.clock.now() },
        ...{
          lastUsedAt: null,
          secret: null,
          lastStep: 0,
          credentialId: randomBytes(16).toString('base64url'),
        },
        ...{ publicKey: 'AAAA', userHandle: 'AAAA', signCount: 0, transports: null, isSynced: false },
      });
      return rowId;
    },

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
