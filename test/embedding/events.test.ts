import { afterEach, describe, expect, test, vi } from 'vitest';
import type { EventName } from '../../src/event-names.ts';
import { password, tokenOf } from '../support/app.ts';
import { embed, endings, serveRouter, signIn, silent } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { newAddress, newPhone } from '../support/people.ts';

// The package that counts is optional, and not installed here.
vi.mock('rate-limiter-flexible', () => {
  throw Object.assign(new Error("Cannot find package 'rate-limiter-flexible'"), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
});
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

describe('events', () => {
  const names: EventName[] = [
    ...(['user_registered', 'verification_requested', 'user_verified', 'user_logged_in'] as const),
    ...(['user_logged_out', 'password_reset_requested', 'password_reset_completed'] as const),
    ...(['password_changed', 'email_change_requested', 'email_changed', 'phone_setup_started'] as const),
    ...(['mfa_enabled', 'mfa_disabled', 'mfa_login_started', 'user_updated', 'user_deleted'] as const),
  ];

  test('are not listened to with an option that is misspelt', async () => {
    const { gatehouse } = await embed();
    const options = { durabel: 'crm' } as object as { durable: string };
    expect(() => gatehouse.on('user_deleted', () => {}, options)).toThrow(
      new TypeError('gatehouse.on: there is no option durabel.'),
    );
  });

  test('of an account fire in its order, with their fields, a link without its token, and no code', async () => {
    const { gatehouse, mails, texts } = await embed({
      ...{ requireVerification: true, enableSms2fa: true, enableAdminRouter: true },
    });
    const ask = await serveRouter(gatehouse);
    // biome-ignore lint/suspicious/noExplicitAny: what a test reads of it, it also expects
    const heard: [EventName, any][] = [];
    const all: unknown[] = [];
    for (const name of names) {
      gatehouse.on(name, event => {
        heard.push([name, event]);
        all.push(event);
      });
    }
    const post = async (path: string, body: object = {}, token?: string) => {
      const reply = await ask('POST', `/api/auth${path}`, { body, ...(token && { token }) });
      expect(reply.status, path).toBeLessThan(300);
      return reply.body;
    };
    const latestCode = () => eventually(() => /\d{6}$/.exec(texts.pop()!.text)![0]);
    const email = newAddress();
    /** The token of a link that was mailed since this was asked the last time. */
    const link = (to: string) =>
      eventually(() => {
        const token = tokenOf(mails.find(mail => mail.to === to && /[?&]token=/.test(mail.text))!);
        mails.length = 0;
        return token;
      });
    /** Exactly these, in this order, since this was asked the last time. */
    async function expectEvents(...expected: [EventName, object][]) {
      await eventually(() => expect(heard.length).toBeGreaterThanOrEqual(expected.length));
      expect(heard.splice(0)).toEqual(expected);
    }
    const user = (fields: object = {}) => expect.objectContaining({ email, isActive: true, ...fields });
    const url = (page: string) => ({
      url: expect.stringMatching(new RegExp(`/${page}\\?token=.+`)),
      urlWithoutToken: expect.stringMatching(new RegExp(`/${page}$`)),
    });

    await post('/register', { email, password });
    await expectEvents(['verification_requested', { email, ...url('verify') }]);
    await post('/verify', { token: await link(email) });
    await expectEvents(
      ['user_registered', { user: user({ isVerified: true }), by: 'self' }],
      ['user_verified', { user: user({ isVerified: true }) }],
    );
    const logIn = async (password: string) => (await post('/login', { email, password })).access_token;
    let token = await logIn(password);
    await expectEvents(['user_logged_in', { user: user(), method: 'password' }]);
    await ask('PATCH', '/api/auth/me', { token, body: { full_name: 'Ada' } });
    await expectEvents(['user_updated', { user: user({ fullName: 'Ada' }), by: 'self' }]);
    await post('/logout', {}, token);
    await expectEvents(['user_logged_out', { user: user() }]);

    await post('/forgot-password', { email });
    await expectEvents(['password_reset_requested', { user: user(), ...url('reset-password') }]);
    const second = 'another horse battery';
    await post('/reset-password', { token: await link(email), new_password: second });
    await expectEvents(['password_reset_completed', { user: user() }]);
    token = await logIn(second);
    await post('/change-password', { current_password: second, new_password: password }, token);
    token = await logIn(password);
    heard.splice(0, heard.length, ...heard.filter(([name]) => name !== 'user_logged_in'));
    await expectEvents(['password_changed', { user: user() }]);

    const phone_number = newPhone();
    const current_password = password;
    const { pending_token } = await post('/phone/start', { phone_number, current_password }, token);
    await expectEvents(['phone_setup_started', { user: user(), phone: phone_number }]);
    const codes = [await latestCode()];
    await post('/phone/confirm', { pending_token, code: codes[0] }, token);
    await expectEvents(['mfa_enabled', { user: user({ isMfaEnabled: true, phoneNumber: phone_number }) }]);
    const { mfa_pending_token } = await post('/login', { email, password });
    await expectEvents(['mfa_login_started', { user: user() }]);
    codes.push(await latestCode());
    token = (await post('/login/mfa-confirm', { mfa_pending_token, code: codes[1] })).access_token;
    await expectEvents(['user_logged_in', { user: user(), method: 'mfa' }]);
    await ask('DELETE', '/api/auth/phone', { token, body: { current_password } });
    await expectEvents(['mfa_disabled', { user: user({ isMfaEnabled: false, phoneNumber: null }) }]);

    const new_email = newAddress();
    await post('/change-email', { current_password, new_email }, token);
    const changing = { user: user(), newEmail: new_email, ...url('confirm-email-change') };
    await expectEvents(['email_change_requested', changing]);
    await post('/confirm-email-change', { token: await link(new_email) });
    const moved = (fields: object = {}) => expect.objectContaining({ email: new_email, ...fields });
    await expectEvents(['email_changed', { user: moved(), previousEmail: email, by: 'self' }]);

    const { body: session } = await ask('POST', '/api/auth/login', { body: { email: new_email, password } });
    await expectEvents(['user_logged_in', { user: moved(), method: 'password' }]);
    token = session.access_token;
    await ask('DELETE', '/api/auth/account', { token, body: { current_password } });
    await expectEvents(['user_deleted', { user: moved(), by: 'self' }]);
    // An attacker reads what a host does with its events: no code of the second step is among them.
    for (const code of codes) expect(JSON.stringify(all)).not.toContain(`"${code}"`);
  });

  test('by an administrator say so', async () => {
    const { gatehouse } = await embed({ enableAdminRouter: true });
    const ask = await serveRouter(gatehouse);
    const [admin, { id }] = [await signIn(ask), await signIn(ask)];
    await gatehouse.repositories.users.change(admin.id, { set: { isSuperuser: true } });
    const heard: unknown[] = [];
    for (const name of ['user_updated', 'user_deleted'] as const) {
      gatehouse.on(name, ({ user, by }) => heard.push([name, user.id, by]));
    }
    const { token } = admin;
    await ask('PATCH', `/api/auth/admin/users/${id}`, { token, body: { full_name: 'Ada' } });
    await ask('DELETE', `/api/auth/admin/users/${id}`, { token });
    expect(heard).toEqual([
      ['user_updated', id, 'admin'],
      ['user_deleted', id, 'admin'],
    ]);
  });

  test('fire after the change is stored, and their handlers change nothing for the user', async () => {
    const logged: unknown[] = [];
    const logger = {
      ...silent,
      error: (fields: object, message: string) => logged.push({ fields, message }),
    };
    const { gatehouse } = await embed({ logger });
    const ask = await serveRouter(gatehouse);
    const found = Promise.withResolvers<unknown>();
    gatehouse.on('user_registered', ({ user }) => {
      found.resolve(gatehouse.repositories.users.find(user.id));
      user.email = 'changed by a handler';
    });
    gatehouse.on('user_registered', () => new Promise(() => {}));
    gatehouse.on('user_registered', () => {
      throw new Error('a handler failed');
    });
    const stop = gatehouse.on('user_registered', () => logged.push('a handler that was removed'));
    stop();
    const email = newAddress();
    const { status, body } = await ask('POST', '/api/auth/register', { body: { email, password } });
    expect([status, body.email]).toEqual([201, email]);
    expect(await found.promise).toMatchObject({ email });
    expect(logged).toEqual([
      expect.objectContaining({ fields: expect.objectContaining({ event: 'user_registered' }) }),
    ]);
  });
});
