import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Assembled } from '../../src/gatehouse.ts';
import { type App, newPassword, startApp } from '../support/app.ts';
import { describeStory } from '../support/backends.ts';
import { newAddress, nextToken } from '../support/people.ts';
import { totpOf, totpSettings } from '../support/totp.ts';

// A reader of an account's mails, or a holder of its password, has not proved its second factor.
describeStory('an account with an authenticator app', backend => {
  let app: App;
  let totp: ReturnType<typeof totpOf>;
  beforeAll(async () => {
    app = await startApp({ backend, settings: { ...totpSettings, enableAdminRouter: true } });
    totp = totpOf(app);
  });
  afterAll(() => app?.close());

  const stillAsked = async (of: { id: string; email: string; password: string }) => {
    expect(await totp.challenge(of)).toMatchObject({ methods: ['totp', 'recovery_code'] });
    expect(await totp.stored(of)).toHaveLength(1);
    expect(await totp.codesLeft(of)).toBe(10);
  };

  // Shows asvs/6.4.3.
  test('keeps it when its password is reset, and the reset gives no session', async () => {
    const member = await totp.enrolled();
    await app.rest('POST', '/forgot-password', { email: member.email });
    const token = await nextToken(app, member.email);
    const { status, body } = await totp.post('/reset-password', { token, new_password: newPassword });
    expect([status, Object.keys(body)]).toEqual([200, ['message']]);
    await stillAsked({ ...member, password: newPassword });
  });

  test('keeps it when its password is changed', async () => {
    const member = await totp.enrolled();
    const change = { current_password: member.password, new_password: newPassword };
    expect((await totp.post('/change-password', change, member)).status).toBe(200);
    await stillAsked({ ...member, password: newPassword });
  });

  test('keeps it when its address changes', async () => {
    const member = await totp.enrolled();
    const email = newAddress();
    const change = { current_password: member.password, new_email: email };
    expect((await totp.post('/change-email', change, member)).status).toBe(202);
    const token = await nextToken(app, email);
    expect((await totp.post('/confirm-email-change', { token })).status).toBe(200);
    await stillAsked({ ...member, email });
  });

  test('keeps it when `svc create-admin` promotes it as it is', async () => {
    const member = await totp.enrolled();
    const { operator } = app.gatehouse as Assembled;
    expect(await operator.createAdmin({ email: member.email })).toBe('promoted');
    await stillAsked(member);
  });

  test('loses it, and its recovery codes, when `svc create-admin --take-over` takes it over', async () => {
    const member = await totp.enrolled();
    const { operator } = app.gatehouse as Assembled;
    const url = await operator.takeOver({ email: member.email });
    const token = new URL(url).searchParams.get('token');
    expect((await totp.post('/accept-invitation', { token, password: newPassword })).status).toBe(200);
    expect(await totp.stored(member)).toEqual([]);
    expect(await totp.codesLeft(member)).toBeNull();
    const { body } = await totp.post('/login', { email: member.email, password: newPassword });
    expect(body).toHaveProperty('access_token');
  });

  // Shows 63b/4.5#invalidate.
  test('leaves no row when it is deleted', async () => {
    const member = await totp.enrolled();
    const token = await totp.signIn(member);
    const setup = await totp.start({ token });
    const gone = await app.rest('DELETE', '/account', { current_password: member.password }, { token });
    expect(gone.status).toBe(200);
    expect(await totp.stored(member)).toEqual([]);
    expect(await totp.codesLeft(member)).toBeNull();
    expect(await app.gatehouse.repositories.challenges.find(setup.id, 'totp_setup')).toBeNull();
  });
});
