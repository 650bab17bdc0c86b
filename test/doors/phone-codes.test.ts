import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type App, type Member, newPassword, signUp, startApp } from '../support/app.ts';
import { newPhone, upTo } from '../support/people.ts';
import { max, nextCode, phonesOf, refusal, settings, wrong } from './phones.ts';

describe('texted codes', () => {
  let app: App;
  let phones: ReturnType<typeof phonesOf>;
  beforeEach(async () => {
    app = await startApp({ settings });
    phones = phonesOf(app);
  });
  afterEach(() => app.close());

  // Shows asvs/6.5.5, 63b/3.1.3.2#ten-minutes.
  test('a code expires, and its pending token too', async () => {
    const { pending, code, member } = await phones.atSecondStep();
    app.clock.advance(300_000);
    expect(await phones.second(pending, code)).toMatchObject(refusal(400, 'mfa_code_expired'));
    app.clock.advance(300_000);
    expect(await phones.second(pending, code)).toMatchObject(refusal(400, 'invalid_token'));
    const { body } = await phones.start(member, newPhone());
    app.clock.advance(600_000);
    const late = await phones.confirm(member, body.pending_token, code);
    expect(late).toMatchObject(refusal(400, 'invalid_token'));
  });

  test('a code is good for its own purpose, user and phone', async () => {
    // A code that was texted for one thing is used for another.
    const { member, phone, pending, code } = await phones.atSecondStep();
    const other = await phones.atSecondStep();
    const setup = (await phones.start(member, newPhone())).body.pending_token;
    const setupCode = await nextCode(app, app.texts.at(-1)!.to);
    // The very same digits would be right by chance.
    if (new Set([code, other.code, setupCode]).size === 3) {
      expect((await phones.second(pending, setupCode)).body.code).toBe('mfa_code_wrong');
      expect((await phones.second(pending, other.code)).body.code).toBe('mfa_code_wrong');
      expect((await phones.confirm(member, setup, code)).body.code).toBe('mfa_code_wrong');
    }
    // Nor does the pending token of one user go with the session of another.
    expect(await phones.confirm(other.member, setup, setupCode)).toMatchObject(refusal(400, 'invalid_token'));
    const { users } = app.gatehouse.repositories;
    expect((await users.find(member.id))!.phoneNumber).toBe(phone);
    // The phone was replaced since the code was sent.
    expect((await phones.confirm(member, setup, setupCode)).status).toBe(200);
    expect((await phones.second(pending, code)).status).toBe(400);
    expect(app.texts.filter(({ to }) => to === phone)).toHaveLength(2);
  });

  test('a new code takes the place of the earlier one', async () => {
    const { member, phone, pending, code } = await phones.atSecondStep();
    const { body } = await phones.login(member);
    const fresh = await nextCode(app, phone);
    if (fresh !== code) expect((await phones.second(pending, code)).body.code).toBe('invalid_token');
    expect((await phones.second(body.mfa_pending_token, fresh)).status).toBe(200);
  });

  test('a pending token opens nothing but its own step', async () => {
    // A stolen pending token, or that of somebody with the password alone, is used as a session.
    const { member, pending, code } = await phones.atSecondStep();
    const { body } = await phones.start(member, newPhone());
    for (const token of [pending, body.pending_token]) {
      for (const [method, path] of [
        ['GET', '/me'],
        ['POST', '/logout'],
        ['DELETE', '/phone'],
        ['GET', '/admin/stats'],
      ] as const) {
        const sent = method === 'DELETE' ? { current_password: member.password } : undefined;
        expect((await app.rest(method, path, sent, { token })).status, `${method} ${path}`).toBe(401);
      }
      for (const path of ['/verify', '/confirm-email-change']) {
        expect((await app.rest('POST', path, { token })).status, path).toBe(400);
      }
      const reset = { token, new_password: newPassword };
      expect((await app.rest('POST', '/reset-password', reset)).status).toBe(400);
      expect(await app.gatehouse.authenticate(token)).toBeNull();
    }
    for (const token of [member.token, body.pending_token]) {
      expect(await phones.second(token, code)).toMatchObject(refusal(400, 'invalid_token'));
    }
    for (const token of [member.token, pending]) {
      expect(await phones.confirm(member, token, code)).toMatchObject(refusal(400, 'invalid_token'));
    }
  });

  test('a pending token is dead after its user’s sessions were revoked', async () => {
    // An attacker who is at the second step waits until the owner has signed out everywhere.
    const { member, pending, code } = await phones.atSecondStep();
    await app.rest('POST', '/logout', { everywhere: true }, { token: member.token });
    expect(await phones.second(pending, code)).toMatchObject(refusal(400, 'invalid_token'));
  });

  // Shows asvs/6.6.3, 63b/3.1.3.2#count-stays.
  test('signing in again gives no new guesses for ever, and a session or the end of the window does', async () => {
    // An attacker with the password asks for one code after the other, with five guesses at each.
    const { member, phone, pending, code } = await phones.atSecondStep();
    const { body: setup } = await phones.start(member, newPhone());
    const guessAll = async (token: string, right: string) => {
      for (const _ of upTo(max)) await phones.second(token, wrong(right));
    };
    await guessAll(pending, code);
    const { body } = await phones.login(member);
    const second = await nextCode(app, phone);
    await guessAll(body.mfa_pending_token, second);
    const texts = app.texts.length;
    const locked = await phones.login(member);
    expect(locked).toMatchObject(refusal(429, 'account_locked'));
    expect(Number(locked.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(await phones.second(body.mfa_pending_token, second)).toMatchObject(refusal(429, 'account_locked'));
    expect(await phones.confirm(member, setup.pending_token, '111111')).toMatchObject(
      refusal(429, 'account_locked'),
    );
    expect(await phones.start(member, newPhone())).toMatchObject(refusal(429, 'account_locked'));
    expect(app.texts.length).toBe(texts);
    app.clock.advance(900_001);
    expect((await phones.login(member)).body.status).toBe('mfa_required');
  });

  test('a phone gets five messages an hour, and the earlier code stays good', async () => {
    // Somebody with the password has the owner's phone flooded.
    const { member, phone } = await phones.atSecondStep();
    const logins = [];
    for (const _ of upTo(3)) logins.push(await phones.login(member));
    expect(logins.map(({ status }) => status)).toEqual([200, 200, 200]);
    const sent = app.texts.length;
    const capped = await phones.login(member);
    expect(capped).toMatchObject(refusal(429, 'rate_limited'));
    expect(Number(capped.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(app.texts.filter(({ to }) => to === phone)).toHaveLength(5);
    expect(app.texts.length).toBe(sent);
    const last = /(\d{6})$/.exec(app.texts.at(-1)!.text)![1]!;
    expect((await phones.second(logins.at(-1)!.body.mfa_pending_token, last)).status).toBe(200);
    app.clock.advance(3_600_000);
    expect((await phones.login(member)).status).toBe(200);
  });

  test('text messages that a stranger causes do not keep the owner of a phone out', async () => {
    // An attacker with an account of their own starts set-ups of somebody else's number.
    const member = await signUp(app);
    const phone = await phones.setUp(member);
    const stranger = await signUp(app);
    for (const _ of upTo(4)) expect((await phones.start(stranger, phone)).status).toBe(202);
    expect(await phones.start(stranger, phone)).toMatchObject(refusal(429, 'rate_limited'));
    for (const _ of upTo(4)) expect((await phones.login(member)).body.status).toBe('mfa_required');
    const { body } = await phones.login(member);
    expect(body.code).toBe('rate_limited');
  });

  test('a phone on many accounts gets no more codes to sign in than on one', async () => {
    // Somebody earns from messages to a number, and confirms it on one account after the other.
    const phone = newPhone();
    const members: Member[] = [];
    for (const _ of upTo(4)) {
      const member = await signUp(app);
      await phones.setUp(member, phone);
      members.push(member);
    }
    const statuses: number[] = [];
    for (const member of [...members, ...members]) statuses.push((await phones.login(member)).status);
    expect(statuses.filter(status => status === 200)).toHaveLength(5);
    expect(app.texts.filter(({ to }) => to === phone)).toHaveLength(9);
  });

  test('a user starts five set-ups an hour, over all numbers', async () => {
    // Somebody earns from messages to numbers of a country that is dear to text to.
    const member = await signUp(app);
    for (const _ of upTo(5)) expect((await phones.start(member, newPhone())).status).toBe(202);
    const phone = newPhone();
    expect(await phones.start(member, phone)).toMatchObject(refusal(429, 'rate_limited'));
    expect(app.texts).toHaveLength(5);
    expect(app.texts.some(({ to }) => to === phone)).toBe(false);
  });

  test('a number is E.164 and nothing else, and a code is digits', async () => {
    const member = await signUp(app);
    const bad = [
      ...['0151', '+0151123456', '+123456', '+1234567890123456', '4915112345678', '+49 151 12345678'],
      ...[
        '+4915112345678\n',
        ' +4915112345678',
        '+٤٩١٥١١٢٣٤٥٦٧٨',
        '',
        null,
        4915112345678,
        { $ne: '' },
        ['+4915112345678'],
      ],
    ];
    for (const phone_number of bad) {
      const body = { phone_number, current_password: member.password };
      const reply = await app.rest('POST', '/phone/start', body, { token: member.token });
      expect(reply, JSON.stringify(phone_number)).toMatchObject(refusal(422, 'invalid_input'));
    }
    expect(app.texts).toEqual([]);
    for (const code of ['', '12a456', '１２３４５６', 123456, { $ne: '' }, null]) {
      const body = { mfa_pending_token: 'x', code };
      expect((await app.rest('POST', '/login/mfa-confirm', body)).status, String(code)).toBe(422);
    }
  });

  test('neither codes, numbers nor tokens reach the log', async () => {
    const { phone, pending, code } = await phones.atSecondStep();
    await phones.second(pending, wrong(code));
    const written = JSON.stringify(app.logs);
    for (const secret of [phone, pending]) expect(written).not.toContain(secret);
    // The digits of an id, or the fraction of a duration, may be those of the code.
    expect(written).not.toMatch(new RegExp(`(?<![\\w.-])${code}(?![\\w-])`));
  });
});

test('numbers of other countries are refused where prefixes are named, and nothing is sent', async () => {
  const app = await startApp({ settings: { ...settings, sms: { allowedPrefixes: ['+44', '+353'] } } });
  const phones = phonesOf(app);
  const member = await signUp(app);
  expect(await phones.start(member, '+4915112345678')).toMatchObject(refusal(422, 'invalid_input'));
  expect(app.texts).toEqual([]);
  expect((await phones.start(member, '+447700900123')).status).toBe(202);
  await app.close();
});
