import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventNames } from '../../src/event-names.ts';
import { type App, dataEncryptionKey, startApp } from '../support/app.ts';
import { describeEachBackend, type TestDatabase } from '../support/backends.ts';
import { rowsIn } from '../support/rows.ts';
import { totpOf, totpSettings } from '../support/totp.ts';

const newKey = Buffer.alloc(32, 9).toString('base64url');

describeEachBackend(
  'the secrets of an authenticator app',
  backend => {
    let database: TestDatabase;
    const apps: App[] = [];
    beforeAll(async () => {
      database = await backend.lendDatabase();
    });
    afterAll(async () => {
      for (const app of apps) await app.close();
      await database?.drop();
    });

    async function start(settings: object = {}): Promise<App> {
      const app = await startApp({ databaseUrl: database.url, settings: { ...totpSettings, ...settings } });
      apps.push(app);
      return app;
    }

    // Shows asvs/6.5.2, 63b/3.1.2.2#password-hash, 63b/3.1.4.2#key-protected.
    test('are in one answer, and in no row, log, event, audit record or mail', async () => {
      const app = await start();
      const totp = totpOf(app);
      const heard: unknown[] = [];
      for (const name of eventNames) app.gatehouse.on(name, event => heard.push(event));
      const member = await totp.enrolled();
      const token = await totp.signIn(member);
      const unconfirmed = await totp.start({ token });
      const used = member.recoveryCodes[0]!;
      expect((await totp.second(await totp.pending(member), used, 'recovery_code')).status).toBe(200);
      const { body } = await totp.post('/recovery-codes', {}, { token });
      expect(heard).toContainEqual(expect.objectContaining({ act: 'confirmTotpSetup' }));
      const codes: string[] = [...member.recoveryCodes, ...body.recovery_codes];
      const secrets = [
        member.secret,
        unconfirmed.secret,
        ...codes,
        ...codes.map(code => code.replaceAll('-', '')),
      ];
      const rows = await rowsIn(database.url);
      expect(Object.keys(rows)).toEqual(expect.arrayContaining(['authenticators', 'recovery_codes']));
      const list = await totp.authenticators(token);
      const places = { rows, logs: app.logs, heard, mails: app.mails, list };
      for (const [place, value] of Object.entries(places)) {
        const text = JSON.stringify(value);
        for (const secret of secrets) expect(text.includes(secret), place).toBe(false);
      }
    });

    test('are encrypted again at their use after a rotation, and then need the former key no more', async () => {
      const member = await totpOf(await start()).enrolled();
      const rotated = totpOf(
        await start({ dataEncryptionKey: newKey, dataEncryptionKeyPrevious: dataEncryptionKey }),
      );
      const before = (await rotated.stored(member))[0]!.secret!;
      await rotated.signIn(member);
      const after = (await rotated.stored(member))[0]!.secret!;
      expect(after.split('.')[0]).not.toBe(before.split('.')[0]);
      const last = await start({ dataEncryptionKey: newKey });
      last.clock.advance(60_000);
      await totpOf(last).signIn(member);
    });

    test('that were copied to another account open nothing there', async () => {
      const app = await start();
      const totp = totpOf(app);
      // Somebody who can write to the database plants the secret of an account of their own.
      const [victim, thief] = [await totp.enrolled(), await totp.enrolled()];
      const row = (await totp.stored(victim))[0]!;
      const planted = (await totp.stored(thief))[0]!;
      await app.gatehouse.repositories.authenticators.reencrypt(row, planted.secret!);
      const reply = await totp.second(await totp.pending(victim), totp.code(thief.secret));
      expect(reply).toMatchObject({ status: 500, body: { code: 'internal_error' } });
    });

    test('whose key is lost lock no one out: other methods go on, and the log tells the operator why', async () => {
      const member = await totpOf(await start()).enrolled();
      const app = await start({ dataEncryptionKey: newKey });
      app.clock.advance(60_000);
      const totp = totpOf(app);
      const pending = await totp.pending(member);
      expect(await totp.second(pending, totp.code(member.secret))).toMatchObject({
        ...{ status: 500, body: { code: 'internal_error' } },
      });
      expect(
        app.logs
          .filter(({ level }) => level === 'error')
          .map(({ fields }) => String((fields as { err: Error }).err)),
      ).toEqual([expect.stringContaining('data_encryption_key_previous')]);
      // A code that could not be compared is no wrong guess.
      expect(await app.gatehouse.repositories.attempts.list(`code:${member.id}`)).toEqual([]);
      const { body } = await totp.second(pending, member.recoveryCodes[0]!, 'recovery_code');
      const by = { token: body.access_token };
      const fresh = await totp.setUp(by);
      app.clock.advance(30_000);
      // The new app works beside the one that cannot be read, which can be removed.
      const again = await totp.second(await totp.pending(member), totp.code(fresh.secret));
      expect(again.status).toBe(200);
      expect((await totp.remove(member.authenticatorId, again.body.access_token)).status).toBe(200);
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);
