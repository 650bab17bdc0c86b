import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { type App, password, startApp, tokenOf } from '../support/app.ts';
import { describeEachKind, type TestDatabase } from '../support/backends.ts';
import { type Call, doorsOn, resultOf } from '../support/doors.ts';
import { type Mail, type Mailbox, startMailbox } from '../support/mailbox.ts';
import { newAddress } from '../support/people.ts';

describeEachKind('an account from its registration to its last session', backend => {
  let database: TestDatabase;
  let mailbox: Mailbox;
  beforeAll(async () => {
    database = await backend.lendDatabase();
    mailbox = await startMailbox();
  });
  afterAll(async () => {
    await mailbox?.close();
    await database?.drop();
  });

  /** The mails go over SMTP, as they do in production. */
  function start(settings: ConfigInput = {}): Promise<App> {
    const email = { backend: 'smtp', smtpHost: mailbox.host, smtpPort: mailbox.port, smtpStarttls: false };
    return startApp({ databaseUrl: database.url, settings: { email, ...settings } as ConfigInput });
  }

  const read = new Set<Mail>();
  /** The token of the next mail to an address, in the order of their arrival. */
  async function nextToken(address: string): Promise<string> {
    const mail = await mailbox.waitFor(mail => mail.to.includes(address) && !read.has(mail));
    read.add(mail);
    return tokenOf(mail);
  }

  async function join(call: Call): Promise<{ email: string; token: string }> {
    const email = newAddress();
    await resultOf(call('register', { email, password }));
    await resultOf(call('verify', { token: await nextToken(email) }));
    return { email, token: await logIn(call, email) };
  }

  const logIn = async (call: Call, email: string): Promise<string> =>
    (await resultOf(call('login', { email, password }))).access_token;

  describe.each(doorsOn(backend))('through $name', door => {
    describe('with verification required', () => {
      let app: App;
      let call: Call;
      beforeAll(async () => {
        app = await start();
        call = door.at(app);
      });
      afterAll(() => app?.close());

      test('waits for its link, which works once, and only then lets its owner in', async () => {
        const email = newAddress();
        const pending = await resultOf(call('register', { email, password, full_name: 'Ada' }));
        expect(pending).toEqual({
          status: 'pending_verification',
          email,
          expires_at: new Date(app.clock.now().getTime() + 86_400_000).toISOString(),
        });

        expect(await call('login', { email, password })).toMatchObject({ code: 'email_not_verified' });
        const wrong = { email, password: 'wrong horse battery' };
        expect(await call('login', wrong)).toMatchObject({ code: 'invalid_credentials' });

        const token = await nextToken(email);
        const user = await resultOf(call('verify', { token }));
        expect(user).toMatchObject({ email, full_name: 'Ada', is_verified: true, is_active: true });
        expect(await call('verify', { token })).toMatchObject({ code: 'invalid_token', status: 400 });

        expect(await call('login', wrong)).toMatchObject({ code: 'invalid_credentials' });
        const session = await resultOf(call('login', { email, password }));
        expect(session).toEqual({
          access_token: expect.any(String),
          token_type: 'bearer',
          expires_in: 7200,
        });
        const me = await resultOf(call('me', undefined, { token: session.access_token }));
        expect(me).toEqual({ ...user, last_login: app.clock.now().toISOString() });
      });

      test('cannot be registered a second time', async () => {
        const { email } = await join(call);
        const again = { email: email.toUpperCase(), password };
        expect(await call('register', again)).toMatchObject({ code: 'email_taken', status: 409 });
      });

      test('takes the link and the name of its latest registration while it waits, and no password', async () => {
        const email = newAddress();
        const first = { email, password: 'the first password' };
        await resultOf(call('register', { ...first, full_name: 'First' }));
        const oldToken = await nextToken(email);
        await resultOf(call('register', { email, password }));
        expect(await call('verify', { token: oldToken })).toMatchObject({ code: 'invalid_token' });
        expect(await call('login', first)).toMatchObject({ code: 'invalid_credentials' });
        const token = await nextToken(email);
        expect(await call('verify', { token })).toMatchObject({ code: 'password_required' });
        const user = await resultOf(call('verify', { token, password }));
        expect(user.full_name).toBeNull();
        await logIn(call, email);
      });

      test('changes the name that is given, clears it by null and keeps it when absent', async () => {
        const { token } = await join(call);
        const update = async (input: object) =>
          (await resultOf(call('updateProfile', input, { token }))).full_name;
        expect(await update({ full_name: ' Augusta Ada King ' })).toBe('Augusta Ada King');
        expect(await update({})).toBe('Augusta Ada King');
        expect(await update({ full_name: null })).toBeNull();
        expect((await resultOf(call('me', undefined, { token }))).full_name).toBeNull();
      });

      test('loses the session that signs out, and no other', async () => {
        const { email, token } = await join(call);
        const other = await logIn(call, email);
        expect(await resultOf(call('logout', undefined, { token }))).toEqual({ message: 'Signed out.' });
        expect(await call('me', undefined, { token })).toMatchObject({
          code: 'unauthenticated',
          status: 401,
        });
        expect(await call('me', undefined, { token: other })).toMatchObject({ ok: true });
      });

      test('loses every session when it signs out everywhere, and can sign in again at once', async () => {
        const { email, token } = await join(call);
        const other = await logIn(call, email);
        await resultOf(call('logout', { everywhere: true }, { token }));
        for (const dead of [token, other]) {
          expect(await call('me', undefined, { token: dead })).toMatchObject({ code: 'unauthenticated' });
        }
        const fresh = await logIn(call, email);
        expect(await call('me', undefined, { token: fresh })).toMatchObject({ ok: true });
      });

      test('answers a request for a new link alike for unknown, waiting and verified addresses', async () => {
        // An attacker asks for links to learn which addresses have accounts.
        const waiting = newAddress();
        await resultOf(call('register', { email: waiting, password }));
        const oldToken = await nextToken(waiting);
        const { email: verified } = await join(call);

        const unknown = newAddress();
        const answers = [];
        for (const email of [unknown, waiting, verified]) {
          answers.push(await call('resendVerification', { email }));
        }
        expect(answers[0]).toMatchObject({ ok: true, value: { message: expect.any(String) } });
        expect(answers[1]).toEqual(answers[0]);
        expect(answers[2]).toEqual(answers[0]);

        const newToken = await nextToken(waiting);
        expect(await call('verify', { token: oldToken })).toMatchObject({ code: 'invalid_token' });
        expect(await call('verify', { token: newToken })).toMatchObject({ ok: true });
        const recipients = mailbox.mails.flatMap(mail => mail.to);
        expect(recipients).not.toContain(unknown);
        expect(recipients.filter(to => to === verified)).toHaveLength(1);
      });

      test('never comes to be from a link that has expired', async () => {
        const email = newAddress();
        await resultOf(call('register', { email, password }));
        const token = await nextToken(email);
        app.clock.advance(86_400_000);
        expect(await call('verify', { token })).toMatchObject({ code: 'invalid_token' });
        expect(await call('login', { email, password })).toMatchObject({ code: 'invalid_credentials' });
      });
    });

    test.skipIf(backend.name === 'sqlite-memory')('keeps its session when the server restarts', async () => {
      const before = await start();
      const { token } = await join(door.at(before));
      const me = await resultOf(door.at(before)('me', undefined, { token }));
      await before.close();
      const after = await start();
      expect(await resultOf(door.at(after)('me', undefined, { token }))).toEqual(me);
      await after.close();
    });

    describe('without required verification', () => {
      let app: App;
      let call: Call;
      beforeAll(async () => {
        app = await start({ requireVerification: false });
        call = door.at(app);
      });
      afterAll(() => app?.close());

      test('is there at once, unverified, and a link that it asks for verifies it', async () => {
        const email = newAddress();
        const user = await resultOf(call('register', { email, password }));
        expect(user).toMatchObject({ email, is_verified: false, is_active: true });
        const token = await logIn(call, email);

        await resultOf(call('resendVerification', { email }));
        const link = await nextToken(email);
        expect(await resultOf(call('verify', { token: link }))).toMatchObject({
          id: user.id,
          is_verified: true,
        });
        expect(await call('verify', { token: link })).toMatchObject({ code: 'invalid_token' });
        expect(await resultOf(call('me', undefined, { token }))).toMatchObject({ is_verified: true });
      });

      test('is refused for an address that has one', async () => {
        const email = newAddress();
        await resultOf(call('register', { email, password }));
        expect(await call('register', { email, password })).toMatchObject({ code: 'email_taken' });
      });
    });

    test('is refused while registration is closed, whether or not the address is known', async () => {
      const open = await start();
      const { email } = await join(door.at(open));
      await open.close();
      const app = await start({ allowRegistration: false });
      const call = door.at(app);
      for (const address of [email, newAddress()]) {
        expect(await call('register', { email: address, password })).toEqual({
          ok: false,
          code: 'registration_closed',
          status: 403,
        });
      }
      await app.close();
    });
  });
});
