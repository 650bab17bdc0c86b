import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, dataEncryptionKey, logIn, startApp } from '../support/app.ts';
import { describeEachDriver, describeStory } from '../support/backends.ts';
import { doorsOn, resultOf } from '../support/doors.ts';
import { everyFactor } from '../support/every-factor.ts';
import { type External, startExternal } from '../support/external.ts';
import { codeIn, newSubject, upTo } from '../support/people.ts';
import { stepMs, totpOf, totpSettings } from '../support/totp.ts';

const settings = { ...totpSettings, ...everyFactor, enableSms2fa: true };
const refusal = (status: number, code: string) => ({ status, body: { code } });

describeEachDriver('guesses at the second step', backend => {
  let app: App;
  let totp: ReturnType<typeof totpOf>;
  beforeAll(async () => {
    app = await startApp({ backend, settings });
    totp = totpOf(app);
  });
  afterAll(() => app?.close());

  const sendText = (mfa_pending_token: string) => totp.post('/login/mfa-send', { mfa_pending_token });

  test('of every method share five per pending token, and then it is locked until it expires', async () => {
    const member = await totp.enrolled();
    const phone = await totp.setUpPhone(member);
    const pending = await totp.pending(member);
    await sendText(pending);
    const text = codeIn(await app.nextText(phone));
    const wrongText = text === '111111' ? '222222' : '111111';
    const answers = [
      await totp.second(pending, wrongText, 'sms'),
      await totp.second(pending, totp.wrong(member.secret), 'totp'),
      await totp.second(pending, '1ABC-DEFG-HJKM-NPQR', 'recovery_code'),
      await totp.second(pending, ` ${totp.wrong(member.secret)} `),
      await totp.second(pending, wrongText, 'sms'),
    ];
    expect(answers.map(({ body }) => body.attempts_remaining ?? body.code)).toEqual([4, 3, 2, 1, 'LOCKED']);
    const locked = refusal(400, 'LOCKED');
    expect(await totp.second(pending, totp.code(member.secret))).toMatchObject(locked);
    expect(await totp.second(pending, member.recoveryCodes[0]!, 'recovery_code')).toMatchObject(locked);
    expect(await totp.second(pending, text, 'sms')).toMatchObject(locked);
    // Another text message gives no more guesses.
    expect((await sendText(pending)).status).toBe(202);
    const next = codeIn(await app.nextText(phone));
    expect(await totp.second(pending, next, 'sms')).toMatchObject(locked);
    app.clock.advance(600_000);
    expect(await totp.second(pending, totp.code(member.secret))).toMatchObject(refusal(400, 'invalid_token'));
    // Nothing was used up by what was refused.
    expect(await totp.codesLeft(member)).toBe(10);
    expect((await totp.second(await totp.pending(member), totp.code(member.secret))).status).toBe(200);
  });

  test('of every method share ten per account, over all pending tokens, until a session or the window ends', async () => {
    const member = await totp.enrolled();
    const phone = await totp.setUpPhone(member);
    const tokens = [await totp.pending(member), await totp.pending(member), await totp.pending(member)];
    await sendText(tokens[2]!);
    const text = codeIn(await app.nextText(phone));
    for (const i of upTo(4))
      await totp.second(tokens[0]!, totp.wrong(member.secret), i % 2 ? 'totp' : undefined);
    for (const _ of upTo(4)) await totp.second(tokens[1]!, '1ABC-DEFG-HJKM-NPQR', 'recovery_code');
    for (const _ of upTo(2)) await totp.second(tokens[2]!, text === '111111' ? '222222' : '111111', 'sms');
    const locked = refusal(429, 'account_locked');
    const methods = [
      ['totp', totp.code(member.secret)],
      ['recovery_code', member.recoveryCodes[0]!],
      ['sms', text],
    ] as const;
    for (const [i, [method, code]] of methods.entries()) {
      expect(await totp.second(tokens[i]!, code, method)).toMatchObject(locked);
    }
    const { email, password } = member;
    expect(await totp.post('/login', { email, password })).toMatchObject(locked);
    const texts = app.texts.length;
    expect(await sendText(tokens[2]!)).toMatchObject(locked);
    expect(app.texts).toHaveLength(texts);
    expect(await totp.codesLeft(member)).toBe(10);
    app.clock.advance(900_001);
    expect((await totp.second(await totp.pending(member), totp.code(member.secret))).status).toBe(200);
  });

  test('through GraphQL aliases count one by one', async () => {
    const member = await totp.enrolled();
    const token = await totp.pending(member);
    const fields = upTo(8).map(
      i => `g${i}: confirmLoginMfa(input: {mfaPendingToken: "${token}", code: "${totp.wrong(member.secret)}"})
        { accessToken }`,
    );
    const { body } = await app.graphql(`mutation { ${fields.join('\n')} }`);
    const codes = body.errors.map((error: { extensions: { code: string } }) => error.extensions.code);
    expect(codes).toEqual([...Array(4).fill('mfa_code_wrong'), ...Array(4).fill('LOCKED')]);
    expect(await totp.second(token, totp.code(member.secret))).toMatchObject(refusal(400, 'LOCKED'));
  });

  // Shows 63b/2.2.2#replay-resistant, 63b/3.1.4.2#once.
  test('at a code of an earlier step, after a later one was used, are wrong', async () => {
    const member = await totp.enrolled();
    const [earlier, used] = [totp.code(member.secret, -1), totp.code(member.secret)];
    const use = async (code: string) => totp.second(await totp.pending(member), code);
    expect((await use(used)).status).toBe(200);
    for (const code of [earlier, used, ` ${used}`]) {
      expect(await use(code)).toMatchObject(refusal(400, 'mfa_code_wrong'));
    }
    expect((await use(totp.code(member.secret, 1))).status).toBe(200);
    expect(await use(used)).toMatchObject(refusal(400, 'mfa_code_wrong'));
  });

  test('with a text code of a newer pending token are refused for an older one', async () => {
    const member = await totp.enrolled();
    const phone = await totp.setUpPhone(member);
    const [older, newer] = [await totp.pending(member), await totp.pending(member)];
    await sendText(older);
    await app.nextText(phone);
    await sendText(newer);
    const code = codeIn(await app.nextText(phone));
    expect(await totp.second(older, code, 'sms')).toMatchObject(refusal(400, 'invalid_token'));
    expect((await totp.second(newer, code, 'sms')).status).toBe(200);
  });

  test('with a code of somebody else are wrong', async () => {
    const [member, other] = [await totp.enrolled(), await totp.enrolled()];
    const pending = await totp.pending(member);
    const wrong = refusal(400, 'mfa_code_wrong');
    expect(await totp.second(pending, totp.code(other.secret))).toMatchObject(wrong);
    expect(await totp.second(pending, other.recoveryCodes[0]!, 'recovery_code')).toMatchObject(wrong);
    expect(await totp.codesLeft(other)).toBe(10);
  });

  test('with odd texts are wrong and nothing else', async () => {
    for (const code of ['', ' ', '\u0000', '0'.repeat(64), '１２３４５６', "' or 1=1", '\ud800']) {
      const pending = await totp.pending(await totp.enrolled());
      for (const method of ['totp', 'recovery_code']) {
        expect(await totp.second(pending, code, method)).toMatchObject(refusal(400, 'mfa_code_wrong'));
      }
    }
    for (const code of [null, 123456, { $ne: '' }, '1'.repeat(65)]) {
      const { status } = await totp.post('/login/mfa-confirm', {
        mfa_pending_token: 'x',
        code,
        method: 'totp',
      });
      expect([400, 422]).toContain(status);
    }
  });
});

describeStory('the methods of the second step', backend => {
  let site: External;
  let app: App;
  let totp: ReturnType<typeof totpOf>;
  beforeAll(async () => {
    site = await startExternal({ backend, settings: { ...settings, oauth: { enforceMfa: true } } });
    ({ app } = site);
    totp = totpOf(app);
  });
  afterAll(() => site?.close());

  describe.each(doorsOn(backend))('through $name', door => {
    // Shows 63b/3.1.3.3#alternatives, 63b/3.2.9#alternative.
    test('are named strongest first, and a text message goes out by itself only when it is the first', async () => {
      const call = door.at(app);
      const member = await totp.enrolled();
      const { email, password } = member;
      const subject = newSubject();
      await site.link({ token: await totp.signIn(member) }, subject);
      const challenges = async () => {
        const ended = await site.signIn(subject);
        const id = ended.searchParams.get('id');
        const answers = [
          await resultOf(call('login', { email, password })),
          await resultOf(call('exchangeOAuth', { id })),
        ];
        return answers.map(({ status, methods, delivery }) => ({ status, methods, delivery }));
      };
      const both = (methods: string[], delivery: string) =>
        Array(2).fill({ status: 'mfa_required', methods, delivery });
      expect(await challenges()).toEqual(both(['totp', 'recovery_code'], 'none'));

      const phone = await totp.setUpPhone(member);
      const texts = () => app.texts.filter(({ to }) => to === phone).length;
      expect(await challenges()).toEqual(both(['totp', 'sms', 'recovery_code'], 'none'));
      const key = await totp.storePasskey(member);
      expect(await challenges()).toEqual(both(['passkey', 'totp', 'sms', 'recovery_code'], 'none'));
      expect(texts()).toBe(1);

      const { mfa_pending_token } = await resultOf(call('login', { email, password }));
      await resultOf(call('sendMfaCode', { mfa_pending_token }));
      expect(texts()).toBe(2);

      const token = await totp.signIn(member);
      for (const id of [key, member.authenticatorId]) expect((await totp.remove(id, token)).status).toBe(200);
      expect(await challenges()).toEqual(both(['sms'], 'sms'));
      for (const _ of upTo(3)) await app.nextText(phone);
      expect(texts()).toBe(4);
    });

    test('that an account does not have are not found', async () => {
      const call = door.at(app);
      const member = await totp.enrolled();
      const mfa_pending_token = await totp.pending(member);
      for (const name of ['sendMfaCode', 'startMfaPasskey'] as const) {
        expect(await call(name, { mfa_pending_token })).toMatchObject({ code: 'not_found', status: 404 });
        expect(await call(name, { mfa_pending_token: 'x' })).toMatchObject({
          code: 'invalid_token',
          status: 400,
        });
        expect(await call(name, { mfa_pending_token: member.token })).toMatchObject({
          code: 'invalid_token',
        });
      }
      const guess = { mfa_pending_token, code: '123456', method: 'sms' };
      expect(await call('confirmLoginMfa', guess)).toMatchObject({ code: 'mfa_code_missing', status: 400 });
      app.clock.advance(stepMs);
    });
  });

  test('are what is switched on: without the flag an app is not asked for, listed or removed', async () => {
    const database = await backend.lendDatabase();
    if (database.url.includes(':memory:')) return database.drop();
    const on = await startApp({ databaseUrl: database.url, settings });
    const member = await totpOf(on).enrolled();
    await on.close();
    const off = await startApp({ databaseUrl: database.url, settings: { enableSms2fa: true } });
    const { email, password } = member;
    expect((await off.rest('POST', '/login', { email, password })).body).toHaveProperty('access_token');
    await off.close();
    const passkeysAlone = await startApp({
      databaseUrl: database.url,
      settings: { enablePasskeys: true, dataEncryptionKey },
    });
    const token = await logIn(passkeysAlone, member);
    expect((await passkeysAlone.rest('GET', '/authenticators', undefined, { token })).body.items).toEqual([]);
    const path = `/authenticators/${member.authenticatorId}`;
    for (const attempt of [
      passkeysAlone.rest('PATCH', path, { name: 'Unseen' }, { token }),
      passkeysAlone.rest('DELETE', path, undefined, { token }),
    ]) {
      expect((await attempt).body.code).toBe('not_found');
    }
    await passkeysAlone.close();
    const again = await startApp({ databaseUrl: database.url, settings });
    expect((await again.rest('POST', '/login', { email, password })).body).toMatchObject({
      ...{ methods: ['totp', 'recovery_code'] },
    });
    await again.close();
    await database.drop();
  });
});
