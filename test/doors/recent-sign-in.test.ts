import { decodeJwt } from 'jose';
import { WebAuthnEmulator } from 'nid-webauthn-emulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Claims } from '../../src/crypto/claims.ts';
import { type App, logIn, type Member, signUp, startApp } from '../support/app.ts';
import { describeStory } from '../support/backends.ts';
import { operationsOf } from '../support/described.ts';
import { type Answer, doorsOn, type OperationName, resultOf } from '../support/doors.ts';
import { type External, startExternal } from '../support/external.ts';
import { codeIn, isAlive, newAddress, newPhone, newSubject } from '../support/people.ts';
import { signer } from '../support/signer.ts';
import {
  answerOf,
  codeOf,
  nextCodeOf,
  origin,
  passkeyProof,
  setUpPasskey,
  setUpPhone,
  setUpTotp,
  strong,
} from '../support/strong.ts';

const claimsOf = (token: string) => decodeJwt(token) as unknown as Claims;
const tooOld = { ok: false, code: 'recent_sign_in_required', status: 401 };
/** `recent_sign_in_seconds`, in milliseconds. */
const recentMs = 900_000;

describeStory('a recent sign-in', backend => {
  let external: External;
  let app: App;
  beforeAll(async () => {
    external = await startExternal({ backend, settings: { ...strong, recentSignInForLinks: true } });
    app = external.app;
  });
  afterAll(() => external?.close());

  const nowSeconds = () => Math.floor(app.clock.now().getTime() / 1000);

  /** Begins a sign-in with the password, and returns the pending token. */
  async function begin({ email, password }: Member): Promise<string> {
    const { body } = await app.rest('POST', '/login', { email, password });
    expect(body.status).toBe('mfa_required');
    return body.mfa_pending_token;
  }

  async function finish(mfa_pending_token: string, proof: object): Promise<string> {
    const { body } = await app.rest('POST', '/login/mfa-confirm', { mfa_pending_token, ...proof });
    expect(body).toHaveProperty('access_token');
    return body.access_token;
  }

  /** Somebody with a password and an authenticator app. */
  async function withTotp() {
    const member = await signUp(app);
    return { member, ...(await setUpTotp(app, member)) };
  }

  /** Somebody without a password, and how this person signs in. */
  async function passwordless() {
    const subject = newSubject();
    const token = (await external.sessionOf(subject))!;
    const { id, email } = await external.me(token);
    return { id: id as string, email: email as string, subject, token, password: null };
  }

  describe('its claims', () => {
    // The emulated device keeps its keys in software: they are synchronised (RFC 8176 §2).
    const cases: Record<string, [string[], () => Promise<string>]> = {
      'a password': [['pwd'], async () => logIn(app, await signUp(app))],
      'a password and an authenticator app': [
        ['pwd', 'otp', 'mfa'],
        async () => {
          const { member, secret } = await withTotp();
          return finish(await begin(member), { method: 'totp', code: nextCodeOf(app, secret) });
        },
      ],
      'a password and a text message': [
        ['pwd', 'sms', 'mfa'],
        async () => {
          const member = await signUp(app);
          const phone = await setUpPhone(app, member);
          const pending = await begin(member);
          return finish(pending, { code: codeIn(await app.nextText(phone)) });
        },
      ],
      'a password and a recovery code': [
        ['pwd', 'mfa'],
        async () => {
          const { member, recoveryCodes } = await withTotp();
          return finish(await begin(member), { method: 'recovery_code', code: recoveryCodes[0] });
        },
      ],
      'a password and a passkey': [
        ['pwd', 'swk', 'mfa'],
        async () => {
          const { member, recoveryCodes } = await withTotp();
          const fresh = await finish(await begin(member), {
            method: 'recovery_code',
            code: recoveryCodes[0],
          });
          const { device } = await setUpPasskey(app, { token: fresh });
          const pending = await begin(member);
          const { body } = await app.rest('POST', '/login/mfa-passkey/start', { mfa_pending_token: pending });
          return finish(pending, { method: 'passkey', ...answerOf(device, body) });
        },
      ],
      'a passkey': [
        ['swk', 'mfa'],
        async () => {
          const { device } = await setUpPasskey(app, await signUp(app));
          const { body } = await app.rest('POST', '/login/passkey', await passkeyProof(app, device));
          return body.access_token;
        },
      ],
      'a provider': [['fed'], async () => (await passwordless()).token],
      'a provider and an authenticator app': [
        ['fed', 'otp', 'mfa'],
        async () => {
          const person = await passwordless();
          const { secret } = await setUpTotp(app, person);
          const { body } = await external.exchange(await external.signIn(person.subject));
          return finish(body.mfa_pending_token, { method: 'totp', code: nextCodeOf(app, secret) });
        },
      ],
      'signing in again with the password': [
        ['pwd'],
        async () => {
          const { token, password } = await signUp(app);
          const { body } = await app.rest('POST', '/reauthenticate', { password }, { token });
          return body.access_token;
        },
      ],
      'signing in again with a passkey': [
        ['swk', 'mfa'],
        async () => {
          const { token } = await signUp(app);
          const { device } = await setUpPasskey(app, { token });
          const { body } = await app.rest('POST', '/reauthenticate', await passkeyProof(app, device), {
            token,
          });
          return body.access_token;
        },
      ],
    };

    // Shows 63b/5.1#aal-not-above.
    test.each(Object.entries(cases))('%s', async (_, [amr, signIn]) => {
      const token = await signIn();
      expect(claimsOf(token)).toMatchObject({ amr, auth_time: nowSeconds() });
      expect(await isAlive(app, token)).toBe(true);
    });
  });

  describe.each(doorsOn(backend))('through $name', door => {
    const call = (...args: Parameters<ReturnType<typeof door.at>>) => door.at(app)(...args);
    const strip = (answer: Answer) => (answer.ok ? 'ok' : answer.code);

    // Shows asvs/7.5.1.
    test('marked operations refuse an old one, and say which age they accept', async () => {
      const { member, id } = await withTotp();
      const inputs: Partial<Record<OperationName, object>> = {
        startTotpSetup: {},
        confirmTotpSetup: { id: 'x', code: '123456' },
        startPasskeySetup: {},
        confirmPasskeySetup: { id: 'x', credential: {} },
        removeAuthenticator: { id },
        replaceRecoveryCodes: {},
        startOAuthLink: { provider: 'google' },
        unlinkOAuth: { provider: 'google' },
      };
      const fresh = await signUp(app);
      expect((await refusedAsOld(fresh)).toSorted()).toEqual(Object.keys(inputs).toSorted());
      app.clock.advance(recentMs);
      for (const [name, input] of Object.entries(inputs) as [OperationName, object][]) {
        // A session without the second step that its account asks for, and one that is too old.
        const given = Object.keys(input).length > 0 ? input : undefined;
        expect(await call(name, given, { token: member.token })).toMatchObject(tooOld);
        app.clock.advance(1000);
        expect(await call(name, given, { token: fresh.token })).toMatchObject(tooOld);
        app.clock.advance(-1000);
      }
    });

    // Shows asvs/7.2.4.
    test('is what signing in again gives; the old token ends', async () => {
      const member = await signUp(app);
      app.clock.advance(recentMs + 1000);
      expect(await call('startTotpSetup', undefined, member)).toMatchObject(tooOld);
      const { access_token } = await resultOf(call('reauthenticate', { password: member.password }, member));
      expect(claimsOf(access_token).auth_time).toBe(nowSeconds());
      expect(await call('startTotpSetup', undefined, { token: access_token })).toMatchObject({ ok: true });
      expect(await call('me', undefined, member)).toMatchObject({ ok: false, code: 'unauthenticated' });
    });

    test('a wrong password counts as a wrong current_password does', async () => {
      const member = await signUp(app);
      const wrong = { password: 'not the password' };
      for (let i = 0; i < 3; i++) {
        expect(await call('reauthenticate', wrong, member)).toMatchObject({
          code: 'wrong_password',
          status: 400,
        });
      }
      for (let i = 0; i < 2; i++) {
        const input = { current_password: 'not the password', new_email: newAddress() };
        expect(await call('changeEmail', input, member)).toMatchObject({
          code: 'wrong_password',
          status: 400,
        });
      }
      const locked = await call('reauthenticate', { password: member.password }, member);
      expect(locked).toMatchObject({ code: 'account_locked', status: 429 });
      expect(await isAlive(app, member.token)).toBe(true);
      // The sign-in itself is counted by itself.
      await logIn(app, member);
    });

    test('an input that proves nothing, or two things, is refused', async () => {
      const member = await signUp(app);
      for (const input of [{}, { id: 'x' }, { password: null }, { password: 'x', id: 'y', credential: {} }]) {
        expect(strip(await call('reauthenticate', input, member))).toBe('invalid_input');
      }
      expect(strip(await call('reauthenticate', { id: 'x', credential: {} }, member))).toBe('not_found');
    });

    test('somebody else’s passkey does not sign in again', async () => {
      const [member, other] = [await signUp(app), await signUp(app)];
      const { device } = await setUpPasskey(app, other);
      const answer = await call('reauthenticate', await passkeyProof(app, device), member);
      expect(answer).toMatchObject({ code: 'passkey_invalid', status: 400 });
      expect(await isAlive(app, member.token)).toBe(true);
    });

    test('needs the second step where one is due, which any browser can finish', async () => {
      const { member, secret } = await withTotp();
      const begun = await resultOf(call('reauthenticate', { password: member.password }, member));
      expect(begun).toMatchObject({ status: 'mfa_required', methods: ['totp', 'recovery_code'] });
      // The session goes on until the step is done.
      expect(await isAlive(app, member.token)).toBe(true);
      const { mfa_pending_token } = begun;
      const step = { mfa_pending_token, method: 'totp', code: nextCodeOf(app, secret) };
      const { access_token } = await resultOf(call('confirmLoginMfa', step));
      expect(claimsOf(access_token)).toMatchObject({ amr: ['pwd', 'otp', 'mfa'], auth_time: nowSeconds() });
      expect(await isAlive(app, member.token)).toBe(false);
      // It replaces one session, so it cannot be finished twice.
      const again = { ...step, code: nextCodeOf(app, secret) };
      expect(await call('confirmLoginMfa', again)).toMatchObject({ code: 'invalid_token', status: 400 });
      expect(await isAlive(app, access_token)).toBe(true);
    });

    test.each(['logout', 'everywhere', 'its end by id'])(
      'a second step that was begun in a session gives none after %s',
      async how => {
        const { member, secret } = await withTotp();
        const other = await finish(await begin(member), { method: 'totp', code: nextCodeOf(app, secret) });
        const begun = await resultOf(call('reauthenticate', { password: member.password }, member));
        if (how === 'its end by id') {
          await call('endSession', { id: claimsOf(member.token).jti }, { token: other });
        } else await call('logout', { everywhere: how === 'everywhere' }, member);
        const { mfa_pending_token } = begun;
        const step = { mfa_pending_token, method: 'totp', code: nextCodeOf(app, secret) };
        expect(await call('confirmLoginMfa', step)).toMatchObject({ code: 'invalid_token', status: 400 });
        const passkey = await call('startMfaPasskey', { mfa_pending_token });
        expect(passkey).toMatchObject({ code: 'invalid_token', status: 400 });
      },
    );

    // Shows 63b/3.1.2.1#delivery.
    test('no session without the factor changes the factors or the links of its account', async () => {
      // An attacker has taken a session that was made before the factor was there.
      const { member, id } = await withTotp();
      const before = await call('authenticators', undefined, member);
      for (const [name, input] of [
        ['startTotpSetup', undefined],
        ['startPasskeySetup', undefined],
        ['removeAuthenticator', { id }],
        ['replaceRecoveryCodes', undefined],
        ['startOAuthLink', { provider: 'google' }],
        ['unlinkOAuth', { provider: 'google' }],
      ] as [OperationName, object | undefined][]) {
        expect(await call(name, input, member)).toMatchObject(tooOld);
      }
      expect(await call('authenticators', undefined, member)).toEqual(before);
    });

    test('no session from before the app ends a link that it began before it', async () => {
      const member = await signUp(app);
      const { authorization_url } = await resultOf(call('startOAuthLink', { provider: 'google' }, member));
      await setUpTotp(app, member);
      const ended = await external.comeBack(authorization_url, newSubject());
      expect(ended.searchParams.get('error')).toBe('recent_sign_in_required');
      expect(await external.identitiesOf(member)).toEqual([]);
    });

    describe('an account without a password', () => {
      const acts: [OperationName, (person: { email: string }) => object][] = [
        ['changeEmail', () => ({ new_email: newAddress() })],
        ['startPhoneSetup', () => ({ phone_number: newPhone() })],
        ['disablePhone', () => ({})],
        ['deleteAccount', () => ({})],
      ];

      test.each(acts)('needs none for %s after a recent sign-in, and only then', async (name, input) => {
        const person = await passwordless();
        app.clock.advance(recentMs + 1000);
        const notSet = { ok: false, code: 'password_not_set', status: 400 };
        expect(await call(name, input(person), person)).toMatchObject(notSet);
        const token = (await external.sessionOf(person.subject))!;
        // There is no password to compare with.
        expect(await call(name, { ...input(person), current_password: 'x' }, { token })).toMatchObject(
          notSet,
        );
        expect(await call(name, input(person), { token })).toMatchObject({ ok: true });
      });

      // Shows asvs/6.2.3.
      test('sets its first one after a recent sign-in', async () => {
        const person = await passwordless();
        const new_password = 'a first password';
        expect(await call('changePassword', { new_password }, person)).toMatchObject({ ok: true });
        await logIn(app, { email: person.email, password: new_password });
      });

      test('needs its second factor for that', async () => {
        const person = await passwordless();
        const phone = await setUpPhone(app, person);
        // The session was made without the phone: an attacker who has it must not remove the phone.
        expect(await call('disablePhone', {}, person)).toMatchObject({ code: 'password_not_set' });
        const { body } = await external.exchange(await external.signIn(person.subject));
        const code = codeIn(await app.nextText(phone));
        // The first text set the phone up.
        const token = await finish(body.mfa_pending_token, { code });
        expect(await call('disablePhone', {}, { token })).toMatchObject({ ok: true });
      });
    });

    test('an account with a password still has to send it', async () => {
      const member = await signUp(app);
      for (const [name, input] of [
        ['changeEmail', { new_email: newAddress() }],
        ['changePassword', { new_password: 'another password' }],
        ['startPhoneSetup', { phone_number: newPhone() }],
        ['disablePhone', {}],
        ['deleteAccount', {}],
      ] as [OperationName, object][]) {
        for (const given of [input, { ...input, current_password: null }]) {
          expect(await call(name, given, member)).toMatchObject({
            ...{ ok: false, code: 'invalid_input', status: 422 },
            errors: [{ path: 'current_password', message: 'is required', rule: 'required' }],
          });
        }
      }
    });
  });

  test('is named by WWW-Authenticate over REST, and by an extension over GraphQL', async () => {
    const member = await signUp(app);
    app.clock.advance(recentMs + 1000);
    const rest = await app.rest('POST', '/totp/start', {}, member);
    expect(rest.headers.get('WWW-Authenticate')).toBe(
      'Bearer error="insufficient_user_authentication", max_age=900',
    );
    const { body } = await app.graphql('mutation { startTotpSetup { id } }', {}, member);
    const { code, status, maxAge } = body.errors[0].extensions;
    expect({ code, status, maxAge }).toEqual({ code: 'recent_sign_in_required', status: 401, maxAge: 900 });
  });

  test('of a session from before these claims is the time of its token', async () => {
    const member = await signUp(app);
    const former = signer(app.clock).sign('session', { sub: member.id, issuedAt: app.clock.now() });
    expect(claimsOf(former)).not.toHaveProperty('auth_time');
    expect((await app.rest('POST', '/totp/start', {}, { token: former })).status).toBe(200);
    app.clock.advance(recentMs + 1000);
    expect(await app.rest('POST', '/totp/start', {}, { token: former })).toMatchObject({ status: 401 });
    const { body } = await app.rest(
      'POST',
      '/reauthenticate',
      { password: member.password },
      { token: former },
    );
    expect(claimsOf(body.access_token)).toMatchObject({ amr: ['pwd'], auth_time: nowSeconds() });
  });

  /** The operations that refuse an old sign-in before they look at anything else, of all there are. */
  async function refusedAsOld({ token }: Pick<Member, 'token'>): Promise<string[]> {
    app.clock.advance(recentMs + 1000);
    const refused: string[] = [];
    for (const { method, path, operationId } of await operationsOf(app)) {
      if (operationId === 'logout') continue;
      const { body } = await app.rest(method, path, method === 'GET' ? undefined : {}, { token });
      if (body.code === 'recent_sign_in_required') refused.push(operationId);
    }
    app.clock.advance(-recentMs - 1000);
    return refused;
  }

  // Shows 63b/5.1#after-event.
  test('is made by the operations that sign in, and by no other that answers a session', async () => {
    const giving = (await operationsOf(app)).filter(({ givesSession }) => givesSession);
    const signIns = ['login', 'loginWithPasskey', 'confirmLoginMfa', 'exchangeOAuth', 'reauthenticate'];
    // These continue a session, of one factor or ended with the others, as one of two factors.
    const renewing = ['confirmTotpSetup', 'confirmPasskeySetup'];
    expect(giving.map(({ operationId }) => operationId).toSorted()).toEqual(
      [...signIns, ...renewing].toSorted(),
    );
  });
});

describe('a session that a new factor renews', () => {
  let app: App;
  beforeAll(async () => {
    // Where sessions are not listed, the others end by a cutoff, and the present one with them.
    app = await startApp({ settings: { ...strong, enableSessionList: false } });
  });
  afterAll(() => app?.close());

  test.each(['totp', 'passkeys'])('keeps the time of its sign-in, and has both proofs: %s', async kind => {
    const member = await signUp(app);
    const other = await logIn(app, member);
    app.clock.advance(600_000);
    const { body: begun } = await app.rest('POST', `/${kind}/start`, {}, member);
    const proof =
      kind === 'totp'
        ? { code: codeOf(app, begun.secret) }
        : { credential: new WebAuthnEmulator().createJSON(origin, begun.options) };
    const input = { id: begun.id, ...proof, end_other_sessions: true };
    const { body } = await app.rest('POST', `/${kind}/confirm`, input, member);
    const { access_token } = body.session;
    expect(claimsOf(access_token)).toMatchObject({
      auth_time: claimsOf(member.token).auth_time,
      amr: ['pwd', kind === 'totp' ? 'otp' : 'swk', 'mfa'],
    });
    expect(await isAlive(app, access_token)).toBe(true);
    for (const token of [member.token, other]) expect(await isAlive(app, token)).toBe(false);
  });
});
