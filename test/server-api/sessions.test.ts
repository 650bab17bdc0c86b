import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MfaChallenge, Session } from '../../src/server-api/sessions.ts';
import { type App, type Member, signUp, startApp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { doors } from '../support/doors.ts';
import { asInNode } from '../support/in-node.ts';
import { codeIn, newAddress, newPhone } from '../support/people.ts';
import { codeOf, setUpTotp, storePasskey, strongSettings } from '../support/strong.ts';

const refused = (call: Promise<unknown>) =>
  call.then(
    () => 'not refused',
    ({ code }) => code,
  );

/** What a token says. */
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());

describeEachDriver('sessions that the host issues', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend, settings: { ...strongSettings, enableSms2fa: true } });
  });
  afterAll(() => app?.close());

  const issue = (id: string, mfa?: boolean) =>
    app.gatehouse.sessions.issue(id, { method: 'saml', ...(mfa !== undefined && { mfa }) });
  const me = async (token: string) => (await app.rest('GET', '/me', undefined, { token })).body;

  /** The session that was issued. @throws when it is a challenge */
  async function sessionOf(id: string, mfa?: boolean) {
    const answer = await issue(id, mfa);
    if (!('accessToken' in answer)) throw new Error(`No session: ${JSON.stringify(answer)}`);
    return { token: answer.accessToken, claims: claimsOf(answer.accessToken) };
  }

  async function invitee() {
    return app.gatehouse.users.create({ email: newAddress(), isVerified: true });
  }

  test('are sessions like any other, of an account without a password too', async () => {
    const { id } = await invitee();
    app.clock.advance(1000);
    const answer = await issue(id);
    const login = await app.rest('POST', '/login', await signUp(app).then(credentials));
    expect(Object.keys(answer).toSorted()).toEqual(Object.keys(asInNode(login.body)).toSorted());
    const { token, claims } = await sessionOf(id);
    expect(claims).toMatchObject({ sub: id, purpose: 'session', amr: ['host'] });
    expect(claims.auth_time).toBe(Math.floor(app.clock.now().getTime() / 1000));
    expect(await me(token)).toMatchObject({ id, last_login: app.clock.now().toISOString() });
    expect((await app.rest('POST', '/logout', {}, { token })).status).toBe(200);
    expect(await me(token)).toMatchObject({ code: 'unauthenticated' });
  });

  test('stand in the session list and in the event, with the word of the host', async () => {
    const { id } = await invitee();
    const heard: unknown[] = [];
    const stop = app.gatehouse.on('user_logged_in', event => void heard.push(event));
    const { token, claims } = await sessionOf(id);
    stop();
    expect(heard).toEqual([{ user: await app.gatehouse.users.find(id), method: 'saml' }]);
    const { items } = (await app.rest('GET', '/sessions', undefined, { token })).body;
    expect(items).toMatchObject([
      { id: claims.jti, method: 'saml', ip: null, device: null, is_current: true },
    ]);
  });

  test('are listed with the address and the device that the host names', async () => {
    const { id } = await invitee();
    const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const given = [
      [
        { ip: '192.0.2.7', userAgent },
        { ip: '192.0.2.7', device: 'Firefox on Linux' },
      ],
      [{ ip: '::ffff:192.0.2.8' }, { ip: '192.0.2.8', device: null }],
      [
        { ip: '2001:db8::9', userAgent: 'a kiosk' },
        { ip: '2001:db8::9', device: null },
      ],
      [
        { ip: null, userAgent: null },
        { ip: null, device: null },
      ],
    ] as const;
    for (const [person, shown] of given) {
      app.clock.advance(1000);
      const session = await app.gatehouse.sessions.issue(id, { method: 'saml', ...person });
      const { accessToken: token } = session as Session;
      const { items } = (await app.rest('GET', '/sessions', undefined, { token })).body;
      expect(items[0]).toMatchObject({ ...shown, is_current: true });
    }
  });

  test.each(['', 'unknown', '192.0.2.7, 10.0.0.1', '192.0.2.7:443'])(
    'are refused with %j as an address',
    async ip => {
      const { id } = await invitee();
      const call = app.gatehouse.sessions.issue(id, { method: 'saml', ip });
      await expect(call).rejects.toMatchObject({ code: 'invalid_input', errors: [{ path: 'ip' }] });
    },
  );

  test('are a challenge where the account has a second step, which is then taken as ever', async () => {
    const member = await signUp(app);
    const { secret } = await setUpTotp(app, member);
    const heard: string[] = [];
    const stops = (['user_logged_in', 'mfa_login_started'] as const).map(name =>
      app.gatehouse.on(name, () => void heard.push(name)),
    );
    const before = await app.gatehouse.users.find(member.id);
    const challenge = await issue(member.id);
    const { body: byPassword } = await app.rest('POST', '/login', credentials(member));
    expect(challenge).toEqual({ ...asInNode(byPassword), mfaPendingToken: expect.any(String) });
    expect(await app.gatehouse.users.find(member.id)).toEqual(before);
    const { mfaPendingToken: mfa_pending_token } = challenge as MfaChallenge;
    expect(await me(mfa_pending_token)).toMatchObject({ code: 'unauthenticated' });
    app.clock.advance(30_000);
    const { body } = await app.rest('POST', '/login/mfa-confirm', {
      mfa_pending_token,
      code: codeOf(app, secret),
    });
    for (const stop of stops) stop();
    expect(claimsOf(body.access_token).amr).toEqual(['host', 'otp', 'mfa']);
    expect(heard).toEqual(['mfa_login_started', 'mfa_login_started', 'user_logged_in']);
  });

  test('send the text message of the second step, within the cap of the phone', async () => {
    const member = await signUp(app);
    const phoneNumber = newPhone();
    const { users } = app.gatehouse.repositories;
    await users.change(member.id, { set: { phoneNumber, isMfaEnabled: true } });
    const { mfaPendingToken: mfa_pending_token } = (await issue(member.id)) as MfaChallenge;
    const code = codeIn(await app.nextText(phoneNumber));
    const reply = await app.rest('POST', '/login/mfa-confirm', { mfa_pending_token, code });
    expect(claimsOf(reply.body.access_token).amr).toEqual(['host', 'sms', 'mfa']);
    for (let i = 0; i < 4; i++) await issue(member.id);
    expect(await refused(issue(member.id))).toBe('rate_limited');
    // Nothing is sent where the host has seen two factors.
    expect((await sessionOf(member.id, true)).claims.amr).toEqual(['host', 'mfa']);
  });

  test('skip the second step when the host has seen two factors', async () => {
    const member = await signUp(app);
    await setUpTotp(app, member);
    const { token, claims } = await sessionOf(member.id, true);
    expect(claims.amr).toEqual(['host', 'mfa']);
    expect(await me(token)).toMatchObject({ id: member.id });
    // It counts as two factors everywhere.
    expect((await app.rest('POST', '/recovery-codes', {}, { token })).status).toBe(200);
    expect(await issue(member.id, false)).toMatchObject({ status: 'mfa_required' });
  });

  test('are not given to a disabled, unverified or unknown account', async () => {
    const { id } = await invitee();
    await app.gatehouse.users.disable(id);
    expect(await refused(issue(id))).toBe('account_disabled');
    expect(await refused(issue(id, true))).toBe('account_disabled');
    const unverified = await app.gatehouse.users.create({ email: newAddress() });
    expect(await refused(issue(unverified.id, true))).toBe('email_not_verified');
    expect(await app.gatehouse.users.find(unverified.id)).toEqual(unverified);
    expect(await refused(issue(randomUUID()))).toBe('not_found');
  });

  test('need a method, which is a word', async () => {
    const { id } = await invitee();
    const { issue } = app.gatehouse.sessions;
    for (const method of ['', 'SAML', 'two words', 'a'.repeat(33), '1st', 'x\ny', 7, null, undefined]) {
      expect(await refused(issue(id, { method: method as string }))).toBe('invalid_input');
    }
    expect(await refused(issue(id, undefined as never))).toBe('invalid_input');
    expect(await refused(issue(id, { method: 'saml', mfa: 'yes' } as never))).toBe('invalid_input');
    expect(await refused(issue(id, { method: 'saml', user: id } as never))).toBe('invalid_input');
    for (const method of ['a'.repeat(32), 'magic-link', 'oidc_2']) {
      expect(await issue(id, { method })).toHaveProperty('accessToken');
    }
  });

  test('end with a cutoff, however many are issued at the same moment', async () => {
    const { id } = await invitee();
    const begun = Array.from({ length: 10 }, () => sessionOf(id));
    await Promise.all(begun);
    await app.gatehouse.users.endSessions(id);
    for (const { token } of await Promise.all(begun)) {
      expect(await me(token)).toMatchObject({ code: 'unauthenticated' });
    }
    expect(await me((await sessionOf(id)).token)).toMatchObject({ id });
  });

  test('clear the failed sign-ins of the account, as every sign-in does', async () => {
    const member = await signUp(app);
    const wrong = { email: member.email, password: 'a wrong password' };
    for (let i = 0; i < 5; i++) await app.rest('POST', '/login', wrong);
    expect((await app.rest('POST', '/login', credentials(member))).body.code).toBe('account_locked');
    await sessionOf(member.id);
    expect((await app.rest('POST', '/login', credentials(member))).status).toBe(200);
  });
});

const credentials = ({ email, password }: Member) => ({ email, password });

test('an unverified account gets a session where verification is not required', async () => {
  const app = await startApp({ settings: { requireVerification: false } });
  const { id } = await app.gatehouse.users.create({ email: 'ada@example.org' });
  expect(await app.gatehouse.sessions.issue(id, { method: 'kiosk' })).toHaveProperty('accessToken');
  await app.close();
});

describe('where a second factor is required of everyone', () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ settings: { ...strongSettings, mfaRequired: 'everyone' } });
  });
  afterAll(() => app.close());

  test.each(doors)('a session of an account without one can only set one up ($name)', async door => {
    const { users, sessions } = app.gatehouse;
    const call = door.at(app);
    for (const mfa of [false, true]) {
      const { id } = await users.create({ email: newAddress(), isVerified: true });
      const session = await sessions.issue(id, { method: 'saml', mfa });
      const { accessToken: token } = session as Session;
      expect(await call('me', undefined, { token })).toMatchObject({ ok: true });
      expect(await call('updateProfile', { full_name: 'Ada' }, { token })).toMatchObject({
        code: 'mfa_enrolment_required',
      });
      const added = await setUpTotp(app, { token });
      // A session of two factors is complete already.
      expect(added.token === token).toBe(mfa);
      expect(await call('updateProfile', { full_name: 'Ada' }, added)).toMatchObject({ ok: true });
    }
  });

  test('an account with only a passkey gives it as the second step', async () => {
    const { id } = await app.gatehouse.users.create({ email: newAddress(), isVerified: true });
    await storePasskey(app, { id });
    const challenge = await app.gatehouse.sessions.issue(id, { method: 'saml' });
    expect(challenge).toMatchObject({ status: 'mfa_required', methods: ['passkey'] });
  });
});

test('the record of the audit says whom the host signed in, and what is still due', async () => {
  const app = await startApp({ settings: strongSettings });
  const member = await signUp(app);
  app.logs.length = 0;
  await app.gatehouse.sessions.issue(member.id, { method: 'saml' });
  await setUpTotp(app, member);
  await app.gatehouse.sessions.issue(member.id, { method: 'saml' });
  await refused(app.gatehouse.sessions.issue(randomUUID(), { method: 'saml' }));
  const records = app.logs.flatMap(({ message, fields }) =>
    message === 'audit' && 'act' in fields && fields.act === 'issueSession' ? [fields] : [],
  );
  const host = { by: 'host', actor: null, ip: null };
  expect(records).toMatchObject([
    { ...host, subject: member.id, outcome: 'ok', reason: null },
    { ...host, subject: member.id, outcome: 'ok', reason: 'mfa_required' },
    { ...host, subject: null, outcome: 'refused', reason: 'not_found' },
  ]);
  expect(JSON.stringify(app.logs)).not.toContain('eyJ');
  await app.close();
});
