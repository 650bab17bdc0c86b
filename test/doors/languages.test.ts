import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Refusal } from '../../src/errors.ts';
import { type App, password, signUp, startApp, tokenOf } from '../support/app.ts';
import { type External, startExternal } from '../support/external.ts';

// In which language the API speaks (CONTRACT §20.3, §20.4).

let app: App;
let plain: App;
let external: External;
const twoLanguages = {
  locales: ['en', 'nl'],
  localeDirs: [join(import.meta.dirname, '../fixtures/locales')],
};
beforeAll(async () => {
  app = await startApp({
    settings: {
      ...twoLanguages,
      userFields: { company: { label: { en: 'Company', nl: 'Bedrijf' } } },
    },
    hooks: {
      beforeRegister({ email }) {
        if (email.endsWith('@rival.example')) throw new Refusal({ en: 'Not you.', nl: 'U niet.' });
      },
    },
  });
  plain = await startApp();
  external = await startExternal({ settings: twoLanguages });
});
afterAll(() => Promise.all([app?.close(), plain?.close(), external?.close()]));

const inDutch = { headers: { 'Accept-Language': 'nl-NL, *;q=0.1' } };
const unknown =
  'mutation ($email: String!) { login(input: { email: $email, password: "x" }) { ... on Session { accessToken } } }';

test('an error is told in the language that the request names; title, code and rule are not', async () => {
  const dutch = await app.rest('POST', '/login', {}, inDutch);
  expect(dutch.headers.get('Content-Language')).toBe('nl');
  expect(dutch.body).toMatchObject({
    title: 'Invalid input',
    code: 'invalid_input',
    detail: 'email: Dit veld is verplicht. password: Dit veld is verplicht.',
    errors: [
      { path: 'email', message: 'Dit veld is verplicht.', rule: 'required' },
      { path: 'password', message: 'Dit veld is verplicht.', rule: 'required' },
    ],
  });
  const byStar = await app.rest('POST', '/login', {}, { headers: { 'Accept-Language': '*' } });
  expect(byStar.headers.get('Content-Language')).toBe('en');
  expect(byStar.body.errors[0].message).toBe('is required');
  expect(byStar.body.detail).toBe('email is required. password is required.');
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

test('an error of input says in each interface which fields are wrong, by the names that they have there', async () => {
  const { token } = await signUp(app);
  const change = { current_password: 'x', new_email: 'nobody' };
  const overRest = await app.rest('POST', '/change-email', change, { token });
  expect(overRest.body.detail).toMatch(/^new_email must be an email address.*\.$/);
  const mutation =
    'mutation { changeEmail(input: { currentPassword: "x", newEmail: "nobody" }) { message } }';
  const overGraphql = await app.graphql(mutation, {}, { token });
  expect(overGraphql.body.errors[0].message).toMatch(/^newEmail must be an email address.*\.$/);
  const creation = app.gatehouse.users.create({ email: 'nobody', isVerified: 'yes' as never });
  await expect(creation).rejects.toThrow(/^email must be .*\. isVerified must be a boolean\.$/);
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

test('a registration keeps the language that it names, else that of the request', async () => {
  const register = async (more: object, options = {}) => {
    const email = `${crypto.randomUUID()}@example.org`;
    await app.rest('POST', '/register', { email, password, ...more }, options);
    const { body } = await app.rest('POST', '/verify', { token: tokenOf(await app.nextMail(email)) });
    return body.locale;
  };
  expect(await register({})).toBe('en');
  expect(await register({}, inDutch)).toBe('nl');
  expect(await register({ locale: 'en' }, inDutch)).toBe('en');
});

test('an account that a sign-in at a provider creates keeps the language of the request, and no later one', async () => {
  const { app, provider, start, exchange, me } = external;
  const person = { sub: 'anna', email: 'anna@people.example', email_verified: true };
  const signInAs = async (options: object) => {
    const query = provider.answerTo(await start(), person);
    const reply = await app.rest('GET', `/oauth/google/callback${query}`, undefined, options);
    const { body } = await exchange(new URL(reply.headers.get('Location')!));
    return (await me(body.access_token)).locale;
  };
  expect(await signInAs(inDutch)).toBe('nl');
  expect(await signInAs({ headers: { 'Accept-Language': 'en' } })).toBe('nl');
});

test('people change their language, which is that of answers to requests that name none', async () => {
  const { token } = await signUp(app);
  const change = (locale: unknown) => app.rest('PATCH', '/me', { locale }, { token });
  expect((await change('nl')).body.locale).toBe('nl');
  const own = await app.rest('PATCH', '/me', { full_name: 1 }, { token });
  expect(own.headers.get('Content-Language')).toBe('nl');
  const asked = await app.rest(
    'PATCH',
    '/me',
    { full_name: 1 },
    { token, headers: { 'Accept-Language': 'en' } },
  );
  expect(asked.headers.get('Content-Language')).toBe('en');
  const query = 'mutation { updateProfile(input: { locale: "en" }) { locale } }';
  expect((await app.graphql(query, {}, { token })).body.data.updateProfile).toEqual({ locale: 'en' });
  expect((await change('de')).body.errors).toEqual([
    {
      path: 'locale',
      message: 'Invalid option: expected one of en, nl',
      rule: 'option',
      params: { options: 'en, nl' },
    },
  ]);
  expect((await change(null)).body.locale).toBeNull();
});

test('an application learns which languages there are', async () => {
  const locales = [
    { tag: 'en', name: 'English', direction: 'ltr' },
    { tag: 'nl', name: 'Nederlands', direction: 'ltr' },
  ];
  expect((await app.rest('GET', '/features')).body).toMatchObject({ locales, default_locale: 'en' });
  const { body } = await app.graphql('{ features { locales { tag name direction } defaultLocale } }');
  expect(body.data.features).toEqual({ locales, defaultLocale: 'en' });
});

test('with one language no account has one', async () => {
  const { token } = await signUp(plain);
  expect((await plain.rest('GET', '/me', undefined, { token })).body).not.toHaveProperty('locale');
  const { body } = await plain.rest('PATCH', '/me', { locale: 'en' }, { token });
  expect(body.errors).toMatchObject([{ path: 'locale', rule: 'unknown_field' }]);
});

test('texts of a host are in the language of the request, too', async () => {
  const labelFor = async (options: object) =>
    (await app.rest('GET', '/features', undefined, options)).body.user_fields[0].label;
  expect(await labelFor({})).toBe('Company');
  expect(await labelFor(inDutch)).toBe('Bedrijf');
  const input = { email: 'x@rival.example', password };
  expect((await app.rest('POST', '/register', input, inDutch)).body.detail).toBe('U niet.');
  expect((await app.rest('POST', '/register', input)).body.detail).toBe('Not you.');
});
