import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, signUp, startApp } from '../support/app.ts';

// In which language the API speaks (CONTRACT §20.3, §20.4).

let app: App;
let plain: App;
beforeAll(async () => {
  app = await startApp({
    settings: {
      locales: ['en', 'nl'],
      localeDirs: [join(import.meta.dirname, '../fixtures/locales')],
    },
  });
  plain = await startApp();
});
afterAll(() => Promise.all([app?.close(), plain?.close()]));

const inDutch = { headers: { 'Accept-Language': 'nl-NL, *;q=0.1' } };
const unknown =
  'mutation ($email: String!) { login(input: { email: $email, password: "x" }) { ... on Session { accessToken } } }';

test('an error is told in the language that the request names; title, code and rule are not', async () => {
  const dutch = await app.rest('POST', '/login', {}, inDutch);
  expect(dutch.headers.get('Content-Language')).toBe('nl');
  expect(dutch.body).toMatchObject({
    title: 'Invalid input',
    code: 'invalid_input',
    errors: [
      { path: 'email', message: 'Dit veld is verplicht.', rule: 'required' },
      { path: 'password', message: 'Dit veld is verplicht.', rule: 'required' },
    ],
  });
  const byStar = await app.rest('POST', '/login', {}, { headers: { 'Accept-Language': '*' } });
  expect(byStar.headers.get('Content-Language')).toBe('en');
  expect(byStar.body.errors[0].message).toBe('is required');
});

test('GraphQL tells it, too, by both of its paths', async () => {
  for (let i = 0; i < 3; i++) {
    const { headers, body } = await app.graphql(unknown, { email: 'nobody@example.org' }, inDutch);
    expect(headers.get('Content-Language')).toBe('nl');
    expect(body.errors).toMatchObject([
      { message: 'E-mailadres of wachtwoord is onjuist.', extensions: { code: 'invalid_credentials' } },
    ]);
  }
});

test('an answer that says something says it in that language, and one that does not names none', async () => {
  const { token } = await signUp(app);
  const me = await app.rest('GET', '/me', undefined, { token, ...inDutch });
  expect(me.headers.get('Content-Language')).toBeNull();
  const answer = await app.rest('POST', '/logout', {}, { token, ...inDutch });
  expect(answer.headers.get('Content-Language')).toBe('nl');
  expect(answer.body.message).toBe('U bent afgemeld.');
});

test('the server API speaks English', async () => {
  await expect(app.gatehouse.users.disable('00000000-0000-4000-8000-000000000000')).rejects.toThrow(
    'There is no account with this id.',
  );
});

test('with one language nothing but that is said', async () => {
  const { headers, body } = await plain.rest('POST', '/login', {}, inDutch);
  expect(headers.get('Content-Language')).toBe('en');
  expect(body.errors[0].message).toBe('is required');
});
