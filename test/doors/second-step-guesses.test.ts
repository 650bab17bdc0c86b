import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, newPassword, signUp, startApp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { doorsOn } from '../support/doors.ts';
import { signUpSuperuser } from '../support/people.ts';
import { totpOf, totpSettings } from '../support/totp.ts';
import { forgot, listen, subjectsTo } from './passwords.ts';

const most = 12;
const dayMs = 86_400_000;
const told = /may know your password/;

// An attacker who guesses second steps has the password already.
describeEachDriver('guesses at the second step', backend => {
  let app: App;
  let totp: ReturnType<typeof totpOf>;
  beforeAll(async () => {
    app = await startApp({
      backend,
      settings: { ...totpSettings, enableAdminRouter: true, maxConsecutiveFailures: most },
    });
    totp = totpOf(app);
  });
  afterAll(() => app?.close());

  type Someone = Awaited<ReturnType<typeof totp.enrolled>>;

  /** So many wrong codes, one a day, each with a sign-in of its own: no window counts them. */
  async function guess(of: Someone, count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const { body } = await totp.second(await totp.pending(of), totp.wrong(of.secret));
      expect(body.code).toBe('mfa_code_wrong');
      app.clock.advance(dayMs);
    }
  }
  const mailsTo = ({ email }: Someone) => subjectsTo(app, email).filter(subject => told.test(subject));
  const enter = async (of: Someone) => totp.second(await totp.pending(of), totp.code(of.secret));

  // Shows asvs/6.3.5.
  test('are told to the owner at the fifth since the last right one, once per password', async () => {
    const of = await totp.enrolled();
    const heard = listen(app, 'second_step_failed');
    await guess(of, 4);
    expect((await enter(of)).status).toBe(200);
    await guess(of, 4);
    expect(mailsTo(of)).toHaveLength(0);
    await guess(of, 3);
    await expect.poll(() => mailsTo(of)).toHaveLength(1);
    expect(heard.map(({ user }) => user.id)).toEqual([of.id]);
    expect((await enter(of)).status).toBe(200);
    await guess(of, 5);
    expect(mailsTo(of)).toHaveLength(1);
  });

  test('are told by one mail, of fifty at once', async () => {
    const of = await totp.enrolled();
    await guess(of, 4);
    const tokens = await Promise.all(Array.from({ length: 5 }, () => totp.pending(of)));
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => totp.second(tokens[i % 5]!, totp.wrong(of.secret))),
    );
    await expect.poll(() => mailsTo(of)).toHaveLength(1);
  });

  // Shows 63b/3.2.2#codes.
  test('end: after so many, every code is a wrong one, until an administrator unlocks the account', async () => {
    const of = await totp.enrolled();
    await guess(of, most);
    expect((await enter(of)).body.code).toBe('mfa_code_wrong');
    const pending = await totp.pending(of);
    expect((await totp.second(pending, of.recoveryCodes[0]!, 'recovery_code')).body.code).toBe(
      'mfa_code_wrong',
    );
    const admin = await signUpSuperuser(app);
    const { status } = await app.rest('POST', `/admin/users/${of.id}/unlock`, {}, { token: admin.token });
    expect(status).toBe(200);
    app.clock.advance(dayMs);
    expect((await enter(of)).status).toBe(200);
  });

  test('end until a reset by mail', async () => {
    const of = await totp.enrolled();
    await guess(of, most);
    const reset = { token: await forgot(app, of.email), new_password: newPassword };
    expect((await app.rest('POST', '/reset-password', reset)).status).toBe(200);
    expect((await enter({ ...of, password: newPassword })).status).toBe(200);
  });

  test('at set-ups are not forgotten by a sign-in that had no second step', async () => {
    const member = await signUp(app);
    const { id, secret } = await totp.start(member);
    const confirm = () => totp.post('/totp/confirm', { id, code: totp.wrong(secret) }, member);
    for (let i = 0; i < 10; i++) expect((await confirm()).body.code).toBe('mfa_code_wrong');
    expect((await confirm()).status).toBe(429);
    const { email, password } = member;
    expect((await app.rest('POST', '/login', { email, password })).body.access_token).toBeDefined();
    expect((await confirm()).status).toBe(429);
  });

  test.each(doorsOn(backend))('finish one sign-in for each pending token through $name', async door => {
    const call = door.at(app);
    const of = await totp.enrolled();
    const token = await totp.pending(of);
    const confirm = (code: string) => call('confirmLoginMfa', { mfa_pending_token: token, code });
    // Recovery codes by their form: no method is named.
    expect(await confirm(of.recoveryCodes[0]!)).toMatchObject({ ok: true });
    for (const code of [of.recoveryCodes[1]!, totp.code(of.secret)])
      expect(await confirm(code)).toMatchObject({ ok: false, code: 'invalid_token' });
  });

  test('finish one sign-in where four recovery codes are given at once with one pending token', async () => {
    const of = await totp.enrolled();
    const token = await totp.pending(of);
    const replies = await Promise.all(of.recoveryCodes.slice(0, 4).map(code => totp.second(token, code)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});
