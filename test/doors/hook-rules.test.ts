import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Assembled } from '../../src/gatehouse.ts';
import { Refusal } from '../../src/index.ts';
import { type App, logIn, password, signUp, startApp, tokenOf } from '../support/app.ts';
import { describeStory } from '../support/backends.ts';
import { askedHost } from '../support/hooks.ts';
import { isAlive, newAddress, signUpSuperuser } from '../support/people.ts';
import { nextCodeOf, passkeyProof, setUpPasskey, setUpTotp, strong } from '../support/strong.ts';
import { acts } from './hook-acts.ts';

const host = askedHost();
const refuse = () => {
  throw new Refusal('Not on a Sunday.');
};
beforeEach(() => host.reset());
const login = (app: App, email: string, secret = password) =>
  app.rest('POST', '/login', { email, password: secret });

describeStory('what a refusal leaves', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend, settings: strong, hooks: host.hooks });
  });
  afterAll(() => app?.close());

  test('a refused sign-in counts neither as a failed one nor as a successful one', async () => {
    const { email } = await signUp(app);
    for (let i = 0; i < 3; i++)
      expect((await login(app, email, 'wrong horse')).body.code).toBe('invalid_credentials');
    host.answer(refuse);
    // More than the limit of failures, at once too.
    const many = await Promise.all(Array.from({ length: 8 }, () => login(app, email)));
    expect(many.map(({ body }) => body.code)).toEqual(many.map(() => 'refused_by_host'));
    for (let i = 0; i < 2; i++)
      expect((await login(app, email, 'wrong horse')).body.code).toBe('invalid_credentials');
    expect((await login(app, email)).body.code).toBe('account_locked');
  });

  test('the proof of the person is used up, and the pending token is not', async () => {
    const member = await signUp(app);
    const { secret } = await setUpTotp(app, member);
    const { mfa_pending_token } = (await login(app, member.email)).body;
    const code = nextCodeOf(app, secret);
    const confirm = (code: string) => app.rest('POST', '/login/mfa-confirm', { mfa_pending_token, code });
    host.answer(refuse);
    expect((await confirm(code)).body.code).toBe('refused_by_host');
    host.reset();
    expect((await confirm(code)).body.code).toBe('mfa_code_wrong');
    expect((await confirm(nextCodeOf(app, secret))).status).toBe(200);
  });

  test('the challenge of a passkey is used up, and another one signs in', async () => {
    const { device } = await setUpPasskey(app, await signUp(app));
    const proof = await passkeyProof(app, device);
    host.answer(refuse);
    expect((await app.rest('POST', '/login/passkey', proof)).body.code).toBe('refused_by_host');
    host.reset();
    expect((await app.rest('POST', '/login/passkey', proof)).body.code).toBe('not_found');
    expect((await app.rest('POST', '/login/passkey', await passkeyProof(app, device))).status).toBe(200);
  });

  test('signing in again leaves the session that it would have replaced', async () => {
    const { token } = await signUp(app);
    host.answer(refuse);
    const refused = await app.rest('POST', '/reauthenticate', { password }, { token });
    expect(refused.body.code).toBe('refused_by_host');
    expect(await isAlive(app, token)).toBe(true);
  });

  test('an address takes no email of its cap while its change is refused', async () => {
    const { token } = await signUp(app);
    const change = { current_password: password, new_email: newAddress() };
    host.answer(refuse);
    for (let i = 0; i < 6; i++) {
      expect((await app.rest('POST', '/change-email', change, { token })).body.code).toBe('refused_by_host');
    }
    host.reset();
    expect((await app.rest('POST', '/change-email', change, { token })).status).toBe(202);
    expect(tokenOf(await app.nextMail(change.new_email))).toMatch(/./);
  });
});

describe('a hook', () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ settings: strong, hooks: host.hooks });
  });
  afterAll(() => app?.close());

  test('gives the person its reason, through both doors', async () => {
    host.answer(() => {
      throw new Refusal('Only addresses of acme.example may register.');
    });
    const input = { email: newAddress(), password };
    const rest = await app.rest('POST', '/register', input);
    expect(rest.headers.get('Content-Type')).toBe('application/problem+json');
    expect(rest.body).toEqual({
      type: 'urn:gatehouse:error:refused_by_host',
      title: 'Refused by the application',
      status: 403,
      detail: 'Only addresses of acme.example may register.',
      code: 'refused_by_host',
    });
    const query = 'mutation ($input: RegisterInput!) { register(input: $input) { __typename } }';
    const { body } = await app.graphql(query, { input });
    expect(body.errors).toMatchObject([
      {
        message: 'Only addresses of acme.example may register.',
        extensions: { code: 'refused_by_host', status: 403 },
      },
    ]);
  });

  test('without a reason leaves the usual words', async () => {
    host.answer(() => Promise.reject(new Refusal()));
    const { body } = await app.rest('POST', '/register', { email: newAddress(), password });
    expect(body.detail).toBe('This application does not allow it.');
  });

  test('answers the same for an address with an account, a pending one and a new one', async () => {
    // An attacker looks for addresses that have an account.
    const [{ email: known }, pending] = [await signUp(app), newAddress()];
    await app.rest('POST', '/register', { email: pending, password });
    host.answer(refuse);
    const answers = [];
    for (const email of [known, pending, newAddress()]) {
      const { status, body } = await app.rest('POST', '/register', { email, password });
      answers.push({ status, body });
    }
    expect(new Set(answers.map(answer => JSON.stringify(answer))).size).toBe(1);
  });

  test('is not asked about what is refused anyway', async () => {
    const member = await signUp(app);
    const { secret } = await setUpTotp(app, member);
    const disabled = await signUp(app);
    await app.gatehouse.repositories.users.change(disabled.id, { set: { isActive: false } });
    const { token } = await signUp(app);
    const root = await signUpSuperuser(app);
    const code = nextCodeOf(app, secret) === '000000' ? '000001' : '000000';
    host.reset();
    const { mfa_pending_token } = (await login(app, member.email)).body;
    const wrong = { current_password: 'wrong horse' };
    const refused: [expected: string, ...request: Parameters<App['rest']>][] = [
      ['invalid_input', 'POST', '/register', { email: newAddress(), password: 'short' }],
      ['invalid_credentials', 'POST', '/login', { email: member.email, password: 'wrong horse' }],
      ['account_disabled', 'POST', '/login', { email: disabled.email, password }],
      ['mfa_code_wrong', 'POST', '/login/mfa-confirm', { mfa_pending_token, code }],
      ['wrong_password', 'POST', '/reauthenticate', { password: 'wrong horse' }, { token }],
      ['wrong_password', 'POST', '/change-email', { ...wrong, new_email: newAddress() }, { token }],
      ['wrong_password', 'DELETE', '/account', wrong, { token }],
      ['not_found', 'DELETE', '/admin/users/nobody', undefined, root],
    ];
    for (const [expected, ...request] of refused)
      expect((await app.rest(...request)).body.code).toBe(expected);
    expect(host.asked).toEqual([]);
  });

  test('is not asked about what is no sign-in, no registration and no deletion', async () => {
    const root = await signUpSuperuser(app);
    const email = newAddress();
    await app.rest('POST', '/register', { email, password });
    const promoted = newAddress();
    await app.rest('POST', '/register', { email: promoted, password });
    const verification = { token: tokenOf(await app.nextMail(email)) };
    const member = await signUp(app);
    const change = { current_password: password, new_email: newAddress() };
    await app.rest('POST', '/change-email', change, { token: member.token });
    host.reset();
    host.answer(refuse);
    expect((await app.rest('POST', '/verify', verification)).status).toBe(200);
    expect((await app.rest('POST', `/admin/pending/${promoted}/promote`, {}, root)).status).toBe(200);
    const confirmation = { token: tokenOf(await app.nextMail(change.new_email)) };
    expect((await app.rest('POST', '/confirm-email-change', confirmation)).status).toBe(200);
    await (app.gatehouse as Assembled).operator.createAdmin({ email: newAddress(), password });
    await app.rest('POST', '/logout', {}, root);
    expect(host.asked).toEqual([]);
  });

  test('is not asked when a session is renewed without a sign-in', async () => {
    // Without the session list a cutoff ends the other sessions, and the present one is replaced.
    const plain = await startApp({ settings: { ...strong, enableSessionList: false }, hooks: host.hooks });
    const { token } = await signUp(plain);
    const { body: started } = await plain.rest('POST', '/totp/start', {}, { token });
    plain.clock.advance(1000);
    host.reset();
    host.answer(refuse);
    const code = nextCodeOf(plain, started.secret);
    const input = { id: started.id, code, end_other_sessions: true };
    const { status, body } = await plain.rest('POST', '/totp/confirm', input, { token });
    expect(status).toBe(200);
    expect(await isAlive(plain, body.session.access_token)).toBe(true);
    expect(host.asked).toEqual([]);
    await plain.close();
  });

  test('of a deletion is asked at the command line, too', async () => {
    const { id, email } = await signUp(app);
    host.reset();
    host.answer(refuse);
    const { operator } = app.gatehouse as Assembled;
    await expect(operator.remove({ id })).rejects.toMatchObject({ code: 'refused_by_host' });
    expect(await operator.find({ id })).toMatchObject({ email });
    expect(host.asked).toEqual([['beforeDelete', { user: expect.objectContaining({ id }), by: 'cli' }]]);
    host.reset();
    await operator.remove({ id });
    await expect(operator.find({ id })).rejects.toMatchObject({ code: 'not_found' });
  });

  test('gets a copy: its changes have no effect', async () => {
    const email = newAddress();
    host.answer((_, argument) => void Object.assign(argument, { email: 'other@example.org', user: null }));
    const { body } = await app.rest('POST', '/register', { email, password });
    expect(body.email).toBe(email);
    await app.rest('POST', '/verify', { token: tokenOf(await app.nextMail(email)) });
    expect(await logIn(app, { email, password })).toMatch(/./);
  });

  test('that is late changes nothing with what it throws afterwards', async () => {
    const late = Promise.withResolvers<void>();
    host.answer(() => late.promise);
    const asked = host.whenAsked();
    const registering = app.rest('POST', '/register', { email: newAddress(), password });
    await asked;
    app.clock.advance(1999);
    app.clock.advance(1);
    expect((await registering).body.code).toBe('unavailable');
    late.reject(new Refusal('Too late.'));
    // An unhandled rejection would end the process here.
    await new Promise(setImmediate);
  });

  test('is named by the OpenAPI document where there is one', async () => {
    const codesIn = async (of: App) => {
      const { paths } = (await of.rest('GET', '/openapi.json')).body;
      const operations = Object.values<object>(paths).flatMap(path => Object.values(path));
      return operations
        .filter(operation => JSON.stringify(operation).includes('refused_by_host'))
        .map(({ operationId }) => operationId)
        .toSorted();
    };
    const named = new Set(Object.values(acts).map(({ operation }) => operation));
    expect(await codesIn(app)).toEqual([...named].toSorted());
    const without = await startApp({ settings: strong });
    expect(await codesIn(without)).toEqual([]);
    await without.close();
  });
});
