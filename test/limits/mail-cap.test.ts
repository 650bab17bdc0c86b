import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { newUser } from '../../src/domain/new-user.ts';
import type { AuditEvent } from '../../src/events.ts';
import type { Assembled } from '../../src/gatehouse.ts';
import {
  type App,
  logIn,
  type Member,
  newPassword,
  password,
  signUp,
  startApp,
  tokenOf,
} from '../support/app.ts';
import { describeEachBackend, describeEachDriver, type TestDatabase } from '../support/backends.ts';
import { doors, doorsOn, resultOf } from '../support/doors.ts';
import { eventually } from '../support/eventually.ts';
import { type Mailbox, startMailbox } from '../support/mailbox.ts';
import { newAddress, signUpSuperuser } from '../support/people.ts';

const hour = 3_600_000;

/** Mails to an address, oldest first. Complete once the app is closed. */
const mailsTo = (app: App, address: string) => app.mails.filter(({ to }) => to === address);

describeEachDriver('the cap of mails', backend => {
  const ways = doorsOn(backend);

  test.each(ways)(
    'of verification counts registrations and resends together; the last link stays good ($name)',
    async door => {
      // A stranger has our server send mail after mail to somebody, or kills the link that is on its way.
      const app = await startApp({ backend });
      const call = door.at(app);
      const email = newAddress();
      const registered = await resultOf(call('register', { email, password }));
      const tokens = [tokenOf(await app.nextMail(email))];
      const resent = await resultOf(call('resendVerification', { email }));
      tokens.push(tokenOf(await app.nextMail(email)));
      for (let i = 0; i < 3; i++) {
        await resultOf(call('register', { email, password }));
        tokens.push(tokenOf(await app.nextMail(email)));
      }
      for (let i = 0; i < 3; i++) {
        const stranger = { email, password: 'password of a stranger' };
        expect(await resultOf(call('register', stranger))).toEqual(registered);
        expect(await resultOf(call('resendVerification', { email }))).toEqual(resent);
      }
      await resultOf(call('verify', { token: tokens.at(-1), password }));
      expect(await call('login', { email, password })).toMatchObject({ ok: true });
      await app.close();
      expect(mailsTo(app, email)).toHaveLength(5);
    },
  );

  test.each(ways)('of resets sends five within an hour, and the last link stays good ($name)', async door => {
    const app = await startApp({ backend });
    const call = door.at(app);
    const { email } = await signUp(app);
    const requested: unknown[] = [];
    app.gatehouse.on('password_reset_requested', event => requested.push(event));
    const answers = [];
    let token = '';
    for (let i = 0; i < 5; i++) {
      answers.push(await call('forgotPassword', { email }));
      token = tokenOf(await app.nextMail(email));
    }
    for (let i = 0; i < 3; i++) answers.push(await call('forgotPassword', { email }));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    const reset = { token, new_password: newPassword };
    expect(await call('resetPassword', reset)).toMatchObject({ ok: true });
    await app.close();
    expect(mailsTo(app, email).filter(({ text }) => /token=/.test(text))).toHaveLength(5);
    expect(requested).toHaveLength(5);
  });

  test('lets one mail through for each that is an hour old', async () => {
    const app = await startApp({ backend });
    const { email } = await signUp(app);
    const ask = () => app.rest('POST', '/forgot-password', { email });
    for (let i = 0; i < 5; i++) {
      await ask();
      await app.nextMail(email);
      app.clock.advance(60_000);
    }
    app.clock.advance(hour - 5 * 60_000 - 1);
    await ask();
    await sentinel(app);
    app.clock.advance(1);
    await ask();
    await app.nextMail(email);
    await ask();
    await app.close();
    expect(mailsTo(app, email)).toHaveLength(6);
  });

  test('of address changes counts by the new address, and sends no notice beyond it', async () => {
    // Somebody with many accounts has our server send mail after mail to one address.
    const app = await startApp({ backend });
    const victim = newAddress();
    const members: Member[] = [];
    const answers = [];
    for (let i = 0; i < 7; i++) {
      const member = await signUp(app);
      members.push(member);
      const body = { current_password: member.password, new_email: victim };
      const { status, body: answer } = await app.rest('POST', '/change-email', body, { token: member.token });
      answers.push([status, answer]);
      if (i < 5) await app.nextMail(victim);
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    await app.close();
    expect(mailsTo(app, victim)).toHaveLength(5);
    const notices = members.map(({ email }) =>
      mailsTo(app, email).filter(m => /was requested/.test(m.subject)),
    );
    expect(notices.map(list => list.length)).toEqual([1, 1, 1, 1, 1, 0, 0]);
  });

  test('leaves other kinds and other addresses alone, and does not count notices', async () => {
    const app = await startApp({ backend });
    const member = await signUp(app);
    const other = await signUp(app);
    const { email } = member;
    let current = password;
    // Six notices to the address, and one verification, which is another kind.
    for (let i = 0; i < 6; i++) {
      const token = await logIn(app, { email, password: current });
      const body = { current_password: current, new_password: `password number ${i}` };
      expect((await app.rest('POST', '/change-password', body, { token })).status).toBe(200);
      current = body.new_password;
    }
    for (let i = 0; i < 6; i++) await app.rest('POST', '/forgot-password', { email });
    await app.rest('POST', '/forgot-password', { email: other.email });
    const token = await logIn(app, other);
    const body = { current_password: password, new_email: newAddress() };
    await app.rest('POST', '/change-email', body, { token });
    await app.close();
    const count = (address: string, subject: RegExp) =>
      mailsTo(app, address).filter(mail => subject.test(mail.subject)).length;
    expect(count(email, /password .* was changed/)).toBe(6);
    expect(count(email, /Choose a new password/)).toBe(5);
    expect(count(other.email, /Choose a new password/)).toBe(1);
    expect(count(body.new_email, /Confirm your new/)).toBe(1);
  });

  test('bounds the notices to an unverified address', async () => {
    // A stranger registers somebody's address and has notice after notice sent to it.
    const app = await startApp({ backend, settings: { requireVerification: false } });
    const email = newAddress();
    await app.rest('POST', '/register', { email, password });
    const token = await logIn(app, { email, password });
    for (let i = 0; i < 25; i++) {
      const body = { current_password: password, new_email: newAddress() };
      expect((await app.rest('POST', '/change-email', body, { token })).status).toBe(202);
    }
    await app.close();
    expect(mailsTo(app, email).filter(mail => /was requested/.test(mail.subject))).toHaveLength(20);
  });

  test('lets 40 parallel requests for one address send exactly five', async () => {
    // A stranger asks many times at the same moment, so that all are allowed before the first is counted.
    const app = await startApp({ backend });
    const { email } = await signUp(app);
    const replies = await Promise.all(
      Array.from({ length: 40 }, () => app.rest('POST', '/forgot-password', { email })),
    );
    expect(new Set(replies.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
    await app.close();
    expect(mailsTo(app, email)).toHaveLength(5);
  });

  test('lets 20 parallel registrations of one address send exactly five, and one of their links be good', async () => {
    const app = await startApp({ backend });
    const email = newAddress();
    const body = { email, password };
    const replies = await Promise.all(Array.from({ length: 20 }, () => app.rest('POST', '/register', body)));
    expect(new Set(replies.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
    const tokens = [];
    for (let i = 0; i < 5; i++) tokens.push(tokenOf(await app.nextMail(email)));
    const statuses = [];
    for (const token of tokens) {
      statuses.push((await app.rest('POST', '/verify', { token, password })).status);
    }
    expect(statuses.sort()).toEqual([200, 400, 400, 400, 400]);
    await app.close();
    expect(mailsTo(app, email)).toHaveLength(5);
  });
});

describeEachBackend(
  'mails that are not delivered',
  backend => {
    let database: TestDatabase;
    let mailbox: Mailbox;
    const apps: App[] = [];
    const open = async () => {
      const smtp = { smtpHost: mailbox.host, smtpPort: mailbox.port, smtpStarttls: false };
      const settings = { email: { backend: 'smtp' as const, ...smtp }, requireVerification: false };
      const app = await startApp({ databaseUrl: database.url, settings });
      apps.push(app);
      return app;
    };
    beforeEach(async () => {
      database = await backend.lendDatabase();
      mailbox = await startMailbox();
    });
    afterEach(async () => {
      for (const app of apps.splice(0)) await app.close();
      await mailbox.close();
      await database.drop();
    });

    const ask = async (app: App, email: string, times = 1) => {
      for (let i = 0; i < times; i++) await app.rest('POST', '/forgot-password', { email });
    };
    const slotsOf = (app: App, email: string) =>
      app.gatehouse.repositories.attempts.list(`mail:reset:${email}`);
    async function register(app: App): Promise<string> {
      const email = newAddress();
      expect((await app.rest('POST', '/register', { email, password })).status).toBe(201);
      return email;
    }

    test('do not count, where the mail server refuses them for good', async () => {
      const app = await open();
      const email = await register(app);
      mailbox.behave({ reject: 550 });
      for (let i = 0; i < 8; i++) {
        await ask(app, email);
        await eventually(() => expect(mailbox.attempts).toBe(i + 1));
        await eventually(async () => expect(await slotsOf(app, email)).toEqual([]));
      }
      mailbox.behave('accept');
      await ask(app, email, 7);
      await apps.pop()!.close();
      expect(mailbox.mails).toHaveLength(5);
    });

    test('give back at a stop the very slots that they took, and are logged with their number', async () => {
      const app = await open();
      const email = await register(app);
      await ask(app, email, 2);
      await eventually(() => expect(mailbox.mails).toHaveLength(2));
      mailbox.behave({ reject: 451 });
      await ask(app, email, 3);
      await eventually(() => expect(mailbox.attempts).toBe(5));
      expect(await slotsOf(app, email)).toHaveLength(5);
      await apps.pop()!.close();
      expect(app.logs.at(-1)).toMatchObject({
        ...{ level: 'warn', fields: { undelivered: 3 } },
        message: 'messages were not delivered before shutdown',
      });

      const next = await open();
      expect(await slotsOf(next, email)).toHaveLength(2);
      mailbox.behave('accept');
      await ask(next, email, 5);
      await apps.pop()!.close();
      expect(mailbox.mails).toHaveLength(5);
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);

describeEachDriver('a mail that the cap holds back', backend => {
  const ways = doorsOn(backend);

  test.each(ways)('leaves an audit record without the address, for each kind of mail ($name)', async door => {
    const app = await startApp({
      backend,
      settings: { requireVerification: false, mailsPerAddressPerHour: 1 },
    });
    const records: AuditEvent[] = [];
    app.gatehouse.on('audit', record => void (record.reason === 'mail_cap' && records.push(record)));
    const call = door.at(app);
    const email = newAddress();
    const { id } = await resultOf(call('register', { email, password }));
    const token = await logIn(app, { email, password });
    const change = { current_password: password, new_email: newAddress() };
    for (let i = 0; i < 2; i++) {
      await resultOf(call('forgotPassword', { email }));
      await resultOf(call('resendVerification', { email }));
      await resultOf(call('changeEmail', change, { token }));
    }
    await app.close();
    expect(records.map(({ act }) => act).sort()).toEqual([
      'emailChangeMail',
      'resetMail',
      'verificationMail',
    ]);
    for (const record of records) {
      expect(record).toMatchObject({
        ...{ outcome: 'refused', reason: 'mail_cap', by: 'self', subject: id, ip: '127.0.0.1' },
        ...{ addressHash: expect.any(String), requestId: expect.any(String) },
      });
      expect(JSON.stringify(record)).not.toMatch(/@|example/);
    }
    const [hash] = records.filter(({ act }) => act === 'emailChangeMail').map(r => r.addressHash);
    expect(records.filter(r => r.addressHash === hash)).toHaveLength(1);
  });

  test.each(ways)('leaves one for a registration that waits, and for notices ($name)', async door => {
    const app = await startApp({ backend, settings: { mailsPerAddressPerHour: 1 } });
    const records: AuditEvent[] = [];
    app.gatehouse.on('audit', record => void (record.reason === 'mail_cap' && records.push(record)));
    const email = newAddress();
    for (let i = 0; i < 2; i++) await resultOf(door.at(app)('register', { email, password }));
    expect(records).toMatchObject([
      { act: 'verificationMail', subject: null, addressHash: expect.any(String) },
    ]);
    await app.close();
  });

  test('is sent again once the account is unlocked, by an administrator or at the command line', async () => {
    const settings = { enableAdminRouter: true, mailsPerAddressPerHour: 2 };
    const app = await startApp({ backend, settings });
    const [root, member] = [await signUpSuperuser(app), await signUp(app)];
    const { email } = member;
    const resets = () => mailsTo(app, email).filter(({ text }) => /reset-password/.test(text)).length;
    const fill = async (upTo: number) => {
      for (let i = 0; i < 4; i++) await app.rest('POST', '/forgot-password', { email });
      await sentinel(app);
      // Several mails leave at a time, so the last one may arrive after the sentinel.
      await eventually(() => expect(resets()).toBe(upTo));
    };
    await fill(2);
    for (const door of doors) {
      await resultOf(door.at(app)('adminUnlock', { id: member.id }, root));
      await fill(door.name === 'REST' ? 4 : 6);
    }
    await (app.gatehouse as Assembled).operator.unlock({ email });
    await fill(8);
    expect(await app.gatehouse.repositories.attempts.list(`mail:reset:${root.email}`)).toEqual([]);
    await app.close();
  });
});

describeEachDriver('a mail that is not posted because the database failed', backend => {
  let app: App;
  let root: Member;
  beforeAll(async () => {
    const settings = { enableAdminRouter: true, enumerationSafeRegistration: false };
    app = await startApp({ backend, settings });
    root = await signUpSuperuser(app);
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => app?.close());

  /** Has this statement fail once where its arguments are these. */
  function failOnce<N extends string>(rows: Record<N, (...args: never[]) => unknown>, name: N, like: string) {
    const statement = rows[name];
    vi.spyOn(rows, name as never).mockImplementation(((...args: never[]) => {
      if (!JSON.stringify(args).includes(like)) return statement(...args);
      vi.restoreAllMocks();
      return Promise.reject(new Error('the database is down'));
    }) as never);
  }
  const rest = async (path: string, body?: object, { token }: { token?: string } = root) =>
    (await app.rest('POST', path, body, { token })).status;
  const slotsOf = (kind: string, email: string) =>
    app.gatehouse.repositories.attempts.list(`mail:${kind}:${email}`);
  async function addUnverified() {
    const user = { email: newAddress(), fullName: null, hashedPassword: null, isVerified: false };
    const row = newUser(app.clock.now(), user);
    await app.gatehouse.repositories.users.add(row);
    return row;
  }

  test('does not count, of a registration and its resend', async () => {
    const { pending, users } = app.gatehouse.repositories;
    const email = newAddress();
    const register = () => rest('/register', { email, password }, {});
    failOnce(pending, 'contest', email);
    expect(await register()).toBe(500);
    expect(await slotsOf('verification', email)).toEqual([]);
    const look = vi.spyOn(users, 'findByEmail');
    // The address is looked for again after the registration is stored.
    look.mockResolvedValueOnce(null).mockRejectedValueOnce(new Error('the database is down'));
    expect(await register()).toBe(500);
    expect(await slotsOf('verification', email)).toEqual([]);
    const { operator } = app.gatehouse as Assembled;
    failOnce(pending, 'renew', email);
    await expect(operator.resendVerification({ email })).rejects.toThrow('the database is down');
    expect(await slotsOf('verification', email)).toEqual([]);
    await operator.resendVerification({ email });
    expect(await slotsOf('verification', email)).toHaveLength(1);
  });

  test('does not count, of a link to an account', async () => {
    const { pending, users } = app.gatehouse.repositories;
    const { id, email } = await addUnverified();
    failOnce(pending, 'add', email);
    expect(await rest(`/admin/users/${id}/resend-verification`)).toBe(500);
    expect(await slotsOf('verification', email)).toEqual([]);
    const member = await signUp(app);
    for (const path of ['send-reset', 'require-new-password']) {
      failOnce(users, 'change', member.id);
      expect(await rest(`/admin/users/${member.id}/${path}`)).toBe(500);
      expect(await slotsOf('reset', member.email)).toEqual([]);
    }
    const new_email = newAddress();
    failOnce(users, 'change', 'issuedAt');
    expect(await rest('/change-email', { current_password: password, new_email }, member)).toBe(500);
    expect(await slotsOf('email_change', new_email)).toEqual([]);
  });
});

test('the cap of mails is as high as it is configured', async () => {
  const app = await startApp({ settings: { mailsPerAddressPerHour: 1 } });
  const email = newAddress();
  const now = app.clock.now();
  await app.gatehouse.repositories.users.add(
    newUser(now, { email, fullName: null, hashedPassword: null, isVerified: true }),
  );
  for (let i = 0; i < 3; i++) await app.rest('POST', '/forgot-password', { email });
  await app.close();
  expect(mailsTo(app, email)).toHaveLength(1);
});

/** Resolves when what was asked of the app before has been done: a request of its own has come to its end. */
async function sentinel(app: App): Promise<void> {
  const { email } = await signUp(app);
  await app.rest('POST', '/forgot-password', { email });
  await app.nextMail(email);
}
