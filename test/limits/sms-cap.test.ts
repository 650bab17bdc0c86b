import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLargeCounts } from '../../src/limits/large-count.ts';
import { type App, type Member, signUp, startApp, TestClock } from '../support/app.ts';
import { describeEachBackend, describeEachDriver, type TestDatabase } from '../support/backends.ts';
import { type Call, doorsOn, resultOf } from '../support/doors.ts';
import { codeIn, newPhone, upTo } from '../support/people.ts';

const hour = 3_600_000;
const limited = (retryAfter: number) => ({ ok: false, code: 'rate_limited', status: 429, retryAfter });

describeEachDriver('the cap of text messages of the whole installation', backend => {
  let app: App;
  beforeEach(async () => {
    app = await startApp({ backend, settings: { enableSms2fa: true, textMessagesPerHour: 4 } });
  });
  afterEach(() => app?.close());

  const ways = doorsOn(backend);
  describe.each(ways)('through $name', door => {
    let call: Call;
    beforeEach(() => {
      call = door.at(app);
    });
    const start = (member: Member, phone_number = newPhone()) =>
      call('startPhoneSetup', { phone_number, current_password: member.password }, member);

    test('counts every message to whichever phone; beyond it the earlier code stays good', async () => {
      // Somebody with many accounts has text messages sent all over the world, at the operator's expense.
      const [member, phone] = [await signUp(app), newPhone()];
      const { pending_token } = await resultOf(start(member, phone));
      const setupCode = codeIn(await app.nextText(phone));
      await resultOf(call('confirmPhoneSetup', { pending_token, code: setupCode }, member));
      const credentials = { email: member.email, password: member.password };
      const { mfa_pending_token } = await resultOf(call('login', credentials));
      const code = codeIn(await app.nextText(phone));
      app.clock.advance(60_000);
      for (const _ of upTo(2)) await resultOf(start(await signUp(app)));

      const texts = app.texts.length;
      expect(await start(await signUp(app))).toEqual(limited(3540));
      expect(await call('login', credentials)).toEqual(limited(3540));
      expect(app.texts).toHaveLength(texts);
      expect(await call('confirmLoginMfa', { mfa_pending_token, code })).toMatchObject({ ok: true });

      app.clock.advance(hour - 60_000 - 1);
      expect(await call('login', credentials)).toEqual(limited(1));
      app.clock.advance(1);
      for (const _ of upTo(2)) await resultOf(call('login', credentials));
      expect(await call('login', credentials)).toEqual(limited(60));
    });

    test('takes nothing of the cap of a phone where it refuses', async () => {
      const member = await signUp(app);
      const { users, attempts } = app.gatehouse.repositories;
      const phoneNumber = newPhone();
      await users.change(member.id, { set: { phoneNumber, isMfaEnabled: true } });
      const credentials = { email: member.email, password: member.password };
      for (const _ of upTo(4)) await resultOf(call('login', credentials));
      for (const _ of upTo(3)) expect(await call('login', credentials)).toEqual(limited(3600));
      for (const subject of [phoneNumber, `${phoneNumber}:${member.id}`, `login:${phoneNumber}`]) {
        expect(await attempts.list(`sms:${subject}`), subject).toHaveLength(4);
      }
    });
  });

  test('lets exactly as many of 40 at once through', async () => {
    const members = await Promise.all(upTo(8).map(() => signUp(app)));
    const replies = await Promise.all(
      upTo(40).map(i => {
        const { password, token } = members[i % members.length]!;
        const body = { phone_number: newPhone(), current_password: password };
        return app.rest('POST', '/phone/start', body, { token });
      }),
    );
    expect(replies.filter(({ status }) => status === 202)).toHaveLength(4);
    expect(app.texts).toHaveLength(4);
  });
});

describeEachDriver('a text message that is not sent', backend => {
  let app: App;
  beforeEach(async () => {
    const caps = { textMessagesPerPhonePerHour: 2, textMessagesPerHour: 100 };
    app = await startApp({ backend, settings: { enableSms2fa: true, ...caps } });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await app?.close();
  });
  const withPhone = async (phoneNumber: string) => {
    const member = await signUp(app);
    await app.gatehouse.repositories.users.change(member.id, { set: { phoneNumber, isMfaEnabled: true } });
    return member;
  };
  const logIn = async ({ email, password }: Member) =>
    (await app.rest('POST', '/login', { email, password })).status;
  const start = async ({ password, token }: Member, phone_number: string) =>
    (await app.rest('POST', '/phone/start', { phone_number, current_password: password }, { token })).status;
  const countOf = async (subject: string) => (await app.gatehouse.repositories.attempts.list(subject)).length;

  test('at a sign-in counts nowhere, whichever limit refuses it', async () => {
    const phone = newPhone();
    const [first, second] = [await withPhone(phone), await withPhone(phone)];
    for (const _ of upTo(2)) expect(await logIn(first)).toBe(200);
    for (const _ of upTo(3)) expect(await logIn(second)).toBe(429);
    expect(await countOf(`sms:${phone}:${second.id}`)).toBe(0);
  });

  test('at a set-up counts nowhere, whichever limit refuses it', async () => {
    const [phone, member] = [newPhone(), await signUp(app)];
    for (const _ of upTo(2)) expect(await start(await signUp(app), phone)).toBe(202);
    for (const _ of upTo(3)) expect(await start(member, phone)).toBe(429);
    for (const _ of upTo(2)) expect(await start(member, newPhone())).toBe(202);
    expect(await start(member, newPhone())).toBe(429);
  });

  test('because the database fails counts nowhere', async () => {
    const [phone, { attempts, mfa_codes }] = [newPhone(), app.gatehouse.repositories];
    const member = await withPhone(phone);
    const failure = new Error('the database is down');
    const list = attempts.list;
    vi.spyOn(attempts, 'list').mockImplementation(async subject => {
      if (subject === `sms:login:${phone}`) throw failure;
      return list(subject);
    });
    expect(await logIn(member)).toBe(500);
    vi.restoreAllMocks();
    vi.spyOn(mfa_codes, 'replace').mockRejectedValueOnce(failure);
    expect(await logIn(member)).toBe(500);
    for (const subject of [phone, `${phone}:${member.id}`, `login:${phone}`, 'installation'])
      expect(await countOf(`sms:${subject}`), subject).toBe(0);
  });
});

test('messages that the cap of a phone refuses do not use up the cap of all', async () => {
  // An attacker asks for message after message to one phone, so that other phones get none.
  const caps = { textMessagesPerPhonePerHour: 2, textMessagesPerHour: 4 };
  const app = await startApp({ settings: { enableSms2fa: true, ...caps } });
  const start = async (phone_number: string) => {
    const { password, token } = await signUp(app);
    const body = { phone_number, current_password: password };
    return (await app.rest('POST', '/phone/start', body, { token })).status;
  };
  const phone = newPhone();
  const statuses = [];
  for (const _ of upTo(6)) statuses.push(await start(phone));
  expect(statuses).toEqual([202, 202, 429, 429, 429, 429]);
  expect([await start(newPhone()), await start(newPhone()), await start(newPhone())]).toEqual([
    202, 202, 429,
  ]);
  await app.close();
});

test('there is no cap of the whole installation unless it is set', async () => {
  const app = await startApp({ settings: { enableSms2fa: true } });
  for (const _ of upTo(10)) {
    const { password, token } = await signUp(app);
    const body = { phone_number: newPhone(), current_password: password };
    expect((await app.rest('POST', '/phone/start', body, { token })).status).toBe(202);
  }
  expect(await app.gatehouse.repositories.attempts.list('sms:installation')).toEqual([]);
  await app.close();
});

describeEachBackend(
  'a large count',
  backend => {
    let database: TestDatabase;
    let app: App;
    beforeEach(async () => {
      database = await backend.lendDatabase();
      app = await startApp({ databaseUrl: database.url });
    });
    afterEach(async () => {
      await app?.close();
      await database?.drop();
    });
    const bound = { limit: 60, windowSeconds: 3600 };

    test('lets exactly as many through as it says, however many come at once and however full it is', async () => {
      const counts = createLargeCounts(app.gatehouse.repositories, app.clock);
      for (const [at, many] of [20, 30, 30].entries()) {
        app.clock.advance(1000);
        const taken = await Promise.all(upTo(many).map(() => counts.reserve('all', bound)));
        const room = [20, 30, 10][at];
        expect(taken.filter(slot => typeof slot === 'object')).toHaveLength(room!);
        for (const seconds of taken.filter(slot => typeof slot === 'number')) expect(seconds).toBe(3598);
      }
      app.clock.advance(hour - 2000);
      const again = await Promise.all(upTo(30).map(() => counts.reserve('all', bound)));
      expect(again.filter(slot => typeof slot === 'object')).toHaveLength(20);
      expect(await app.gatehouse.repositories.attempts.list('all')).toHaveLength(60);
    });

    test('gives a slot back, and counts one of the future as of now', async () => {
      const { repositories } = app.gatehouse;
      const counts = createLargeCounts(repositories, app.clock);
      const small = { limit: 2, windowSeconds: 3600 };
      const ahead = createLargeCounts(repositories, new TestClock('2041-01-02T03:04:05.678Z'));
      for (const _ of upTo(2)) await ahead.reserve('all', small);
      expect(await counts.reserve('all', small)).toBe(3600);
      expect((await repositories.attempts.list('all')).map(row => row.when)).toEqual(
        Array(2).fill(app.clock.now()),
      );
      app.clock.advance(hour);
      const slot = await counts.reserve('all', small);
      await counts.reserve('all', small);
      expect(await counts.reserve('all', small)).toBe(3600);
      await repositories.attempts.remove(slot as Exclude<typeof slot, number>);
      expect(await counts.reserve('all', small)).toBeTypeOf('object');
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);
