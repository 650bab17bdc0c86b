import { expect, test } from 'vitest';
import { load, problemOf } from './support.ts';

test.each([
  ['SVC_JWT_SECRET', '<JWT_SECRET>', 'JWT_SECRET'],
  ['SVC_JWT_SECRET', '<A_SECRET_THAT_IS_LONG_ENOUGH_TO_PASS>', 'A_SECRET_THAT_IS_LONG_ENOUGH_TO_PASS'],
  ['SVC_EMAIL__SMTP_PASSWORD', '<SMTP_PASSWORD>', 'SMTP_PASSWORD'],
  ['SVC_DATABASE_URL', 'postgresql+asyncpg://gatehouse:<PASSWORD>@127.0.0.1:5432/gatehouse', 'PASSWORD'],
  ['SVC_DATABASE_URL', 'postgresql+asyncpg://<user>:<password>@db.internal/accounts', 'user'],
  ['SVC_RATE_LIMIT_STORE_URL', 'redis://:<PASSWORD>@127.0.0.1:6379', 'PASSWORD'],
])('%s = %s still has to be filled in', (name, value, placeholder) => {
  expect(problemOf({ env: { [name]: value } })).toBe(
    `environment: ${name}: still contains the placeholder <${placeholder}>: replace it with the real value`,
  );
});

test('a secret that only has such characters in it is none', () => {
  const values = ['x<PASSWORD>', 'a<b>c', '<not closed', 'two <words here>', '<>'];
  for (const value of values) {
    expect(load({ env: { SVC_EMAIL__SMTP_PASSWORD: value } }).config.email.smtpPassword?.reveal()).toBe(
      value,
    );
  }
});
