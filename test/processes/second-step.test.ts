import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDataEncryption } from '../../src/crypto/data-key.ts';
import { PasswordHasher } from '../../src/crypto/password-hash.ts';
import { newSecret } from '../../src/features/authenticator-apps/codes.ts';
import type { User } from '../../src/tables/user.ts';
import { dataEncryptionKey, password } from '../support/app.ts';
import { describeEachBackend } from '../support/backends.ts';
import { hashCost } from '../support/hashing.ts';
import { type Pair, startPair, tally } from '../support/pair.ts';
import { newAddress, newPhone, upTo } from '../support/people.ts';
import { repetitions } from '../support/repetitions.ts';
import { codeAt, wrongCodeAt } from '../support/strong.ts';

const recoveryCode = '0ABC-DEFG-HJKM-NPQR';
const uses = repetitions(50);
/** More than twice as many as are compared. */
const guesses = repetitions(96);

describeEachBackend(
  'the second step at two processes',
  backend => {
    let pair: Pair;
    let hash: string;
    beforeAll(async () => {
      pair = await startPair(backend, {
        SVC_ENABLE_TOTP: 'true',
        SVC_ENABLE_SMS_2FA: 'true',
        SVC_MFA_REQUIRED: 'superusers',
        SVC_DATA_ENCRYPTION_KEY: dataEncryptionKey,
      });
      hash = await new PasswordHasher({ cost: hashCost() }).hash(recoveryCode.replaceAll('-', ''));
    });
    afterAll(() => pair?.close());

    /** Stores an authenticator app, and returns its id and its secret. */
    async function addApp(userId: string) {
      const [id, secret] = [randomUUID(), newSecret()];
      await pair.repositories.authenticators.add({
        ...{ id, userId, kind: 'totp', name: 'App', createdAt: new Date(), lastUsedAt: null, lastStep: 0 },
        ...{ secret: createDataEncryption(dataEncryptionKey).encrypt(secret, ['totp', userId, id]) },
        ...{
          credentialId: id,
          publicKey: null,
          userHandle: null,
          signCount: 0,
          transports: null,
          isSynced: false,
        },
      });
      return { id, secret };
    }

    /** Somebody with an authenticator app and one recovery code. */
    async function someone(fields: Partial<User> = {}) {
      const user = await pair.addUser(newAddress(), { isMfaEnabled: true, ...fields });
      const hashes = JSON.stringify([hash, ...Array(9).fill(null)]);
      await pair.repositories.recovery_codes.add({
        ...{ userId: user.id, hashes, version: randomUUID(), createdAt: new Date() },
      });
      return { ...user, app: await addApp(user.id) };
    }

    async function pending({ email }: { email: string }): Promise<string> {
      const { body } = await pair.rest('POST', '/login', { email, password });
      return body.mfa_pending_token;
    }

    const code = (secret: string) => codeAt(secret, new Date());

    /** Signs in with both steps. */
    async function signIn(of: Awaited<ReturnType<typeof someone>>): Promise<string> {
      const second = { mfa_pending_token: await pending(of), code: code(of.app.secret) };
      const { body } = await pair.rest('POST', '/login/mfa-confirm', second);
      return body.access_token;
    }

    test.each(['totp', 'recovery_code'])(
      'of many uses of one code at once, one signs in (%s)',
      async method => {
        // An attacker who has read code and password over a shoulder races the owner with a sign-in for each use.
        const of = await someone();
        const tokens: string[] = [];
        for (const _ of upTo(uses)) tokens.push(await pending(of));
        const given = method === 'totp' ? code(of.app.secret) : recoveryCode;
        const replies = await pair.atOnce(uses, (i, options) =>
          pair.rest(
            'POST',
            '/login/mfa-confirm',
            { mfa_pending_token: tokens[i], code: given, method },
            options,
          ),
        );
        const { 200: signedIn, ...refused } = tally(replies);
        expect(signedIn).toBe(1);
        for (const kind of Object.keys(refused)) {
          expect(['mfa_code_wrong', 'mfa_code_missing', 'account_locked', 'invalid_token']).toContain(kind);
        }
      },
    );

    test.each(['totp', 'recovery_code'])(
      'of many uses of one code with one pending token, one signs in (%s)',
      async method => {
        const of = await someone();
        const mfa_pending_token = await pending(of);
        const given = method === 'totp' ? code(of.app.secret) : recoveryCode;
        const replies = await pair.atOnce(uses, (_, options) =>
          pair.rest('POST', '/login/mfa-confirm', { mfa_pending_token, code: given, method }, options),
        );
        const { 200: signedIn } = tally(replies);
        expect(signedIn).toBe(1);
      },
    );

    // Shows asvs/6.6.3, 63b/2.2.2#replay-resistant.
    test('many wrong codes of all kinds at once get five comparisons per pending token and ten per account', async () => {
      const of = await someone();
      const tokens = [await pending(of), await pending(of), await pending(of)];
      const replies = await pair.atOnce(guesses, (i, options) =>
        pair.rest(
          'POST',
          '/login/mfa-confirm',
          i % 4 < 2
            ? { mfa_pending_token: tokens[i % 3], code: wrongCodeAt(of.app.secret, new Date()) }
            : {
                mfa_pending_token: tokens[i % 3],
                code: `1ABC-DEFG-HJKM-NPQ${i % 10}`,
                method: 'recovery_code',
              },
          options,
        ),
      );
      const { mfa_code_wrong: wrong = 0, LOCKED: locked = 0, account_locked: refused = 0 } = tally(replies);
      expect(wrong + locked + refused).toBe(guesses);
      expect(wrong).toBeLessThanOrEqual(10);
      expect((await pair.repositories.attempts.list(`code:${of.id}`)).length).toBeLessThanOrEqual(10);
      for (const token of tokens) {
        const right = { mfa_pending_token: token, code: code(of.app.secret) };
        const { status } = await pair.rest('POST', '/login/mfa-confirm', right);
        expect([400, 429]).toContain(status);
      }
    });

    test.each(['app', 'phone'])(
      'of an account that must have a factor, one is left when its app and its other %s are removed at once',
      async other => {
        for (const _ of upTo(repetitions(8))) {
          const phoneNumber = other === 'phone' ? newPhone() : null;
          const of = await someone({ isSuperuser: true, phoneNumber });
          const second = other === 'app' ? await addApp(of.id) : null;
          const token = await signIn(of);
          const replies = await pair.atOnce(2, (i, options) => {
            const by = { ...options, token };
            if (i === 0) return pair.rest('DELETE', `/authenticators/${of.app.id}`, undefined, by);
            return second
              ? pair.rest('DELETE', `/authenticators/${second.id}`, undefined, by)
              : pair.rest('DELETE', '/phone', { current_password: password }, by);
          });
          const { 200: removed = 0, last_factor: refused = 0 } = tally(replies);
          expect(removed + refused).toBe(2);
          expect(removed).toBeLessThan(2);
          const user = (await pair.repositories.users.find(of.id))!;
          const rows = await pair.repositories.authenticators.listByUser(of.id);
          expect(rows.length + (user.phoneNumber === null ? 0 : 1)).toBe(2 - removed);
          expect(user.isMfaEnabled).toBe(true);
          if (second) expect(await pair.repositories.recovery_codes.find(of.id)).not.toBeNull();
        }
      },
    );
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);
