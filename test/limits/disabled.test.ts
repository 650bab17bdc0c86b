import { expect, test, vi } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { createRateLimits } from '../../src/limits/rate-limit.ts';
import { type App, signUp, startApp } from '../support/app.ts';
import { type Door, doors } from '../support/doors.ts';
import { newPhone, upTo } from '../support/people.ts';

const limits: ConfigInput = {
  ...{ enableSms2fa: true, loginRateLimit: '20/hour', changeEmailRateLimit: '20/hour' },
  ...{ loginLockoutThreshold: 2, mailsPerAddressPerHour: 2, textMessagesPerPhonePerHour: 2 },
};

/** What is refused of many calls of each kind; the code of each refusal once. */
async function refusedBy(app: App, door: Door) {
  const call = door.at(app);
  const member = await signUp(app);
  const { email, password } = member;
  const start = {
    phone_number: newPhone(),
    current_password: password,
  };
  const codesOf = async (ask: () => ReturnType<typeof call>) => {
    const answers = [];
    for (const _ of upTo(6)) answers.push(await ask());
    return [...new Set(answers.map(answer => (answer.ok ? 'ok' : answer.code)))];
  };
  const wrong = { current_password: 'wrong horse battery', new_email: email };
  const codes = {
    login: await codesOf(() => call('login', { email, password: 'wrong horse battery' })),
    currentPassword: await codesOf(() => call('changeEmail', wrong, member)),
    text: await codesOf(() => call('startPhoneSetup', start, member)),
    mail: await codesOf(() => call('forgotPassword', { email })),
  };
  return { codes, email };
}

const mailsTo = (app: App, email: string) =>
  app.mails.filter(({ to, text }) => to === email && /reset-password/.test(text)).length;

test.each(doors)('limits_disabled switches every limit, lockout and cap off ($name)', async door => {
  const app = await startApp({ settings: { ...limits, limitsDisabled: true, loginRateLimit: '1/hour' } });
  const { codes, email } = await refusedBy(app, door);
  expect(codes).toEqual({
    login: ['invalid_credentials'],
    currentPassword: ['wrong_password'],
    text: ['ok'],
    mail: ['ok'],
  });
  await app.close();
  expect(mailsTo(app, email)).toBe(6);
});

test.each(doors)('rate_limit_disabled switches the lockout off, and nothing else ($name)', async door => {
  const app = await startApp({
    settings: { ...limits, rateLimitDisabled: true, changeEmailRateLimit: '2/hour' },
  });
  const { codes, email } = await refusedBy(app, door);
  expect(codes).toEqual({
    login: ['invalid_credentials'],
    currentPassword: ['wrong_password', 'rate_limited'],
    text: ['ok', 'rate_limited'],
    mail: ['ok'],
  });
  await app.close();
  expect(mailsTo(app, email)).toBe(2);
});

test('limits_disabled stores no count, and a limit needs no package that counts', async () => {
  const app = await startApp({ settings: { ...limits, limitsDisabled: true } });
  const { email } = await signUp(app);
  await app.rest('POST', '/login', { email, password: 'wrong horse battery' });
  for (const subject of [email, `mail:verification:${email}`]) {
    expect(await app.gatehouse.repositories.attempts.list(subject)).toEqual([]);
  }
  const consume = vi.fn();
  const { config } = app.gatehouse;
  for (const limiter of [null, { consume }]) {
    const routes = createRateLimits(config, limiter);
    expect(() => routes.assertUsable()).not.toThrow();
    await routes.consume('login', '192.0.2.1');
    expect(routes).toMatchObject({ isConfigured: false, configured: [] });
  }
  expect(consume).not.toHaveBeenCalled();
  await app.close();
});
