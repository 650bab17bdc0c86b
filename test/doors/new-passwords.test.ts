import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import type { Assembled } from '../../src/gatehouse.ts';
import { type App, logIn, signUp, startApp, tokenOf } from '../support/app.ts';
import { describeStory } from '../support/backends.ts';
import { type Answer, type Call, doors, doorsOn, resultOf } from '../support/doors.ts';
import { newAddress } from '../support/people.ts';
import { forgot, logged } from './passwords.ts';

// The rules for new passwords hold wherever one is set, and nowhere else.

const good = 'correct horse battery';
const common = 'iloveyou1';

/** How a place answers a refused password: its field is named, the password is not. */
const refused = (field: string, rule: string, params?: object) => ({
  ok: false,
  code: 'invalid_input',
  status: 422,
  errors: [{ path: field, message: expect.any(String), rule, ...(params && { params }) }],
});

/** A place where a password is set, ready for one; it may be tried again after a refusal. */
interface Place {
  field: 'password' | 'new_password';
  email: string;
  set(password: string): Promise<Answer>;
}

/** The answer of what is called within this process, as a door would give it. */
const answerOf = (call: Promise<unknown>): Promise<Answer> =>
  call.then(
    value => ({ ok: true, value }),
    ({ code, errors }) => ({ ok: false, code, status: 422, errors }),
  );

const places: Record<string, (app: App, call: Call) => Promise<Place>> = {
  async register(_, call) {
    const email = newAddress();
    return { field: 'password', email, set: password => call('register', { email, password }) };
  },
  async 'verify, with a password of its own'(app, call) {
    const email = newAddress();
    await resultOf(call('register', { email, password: good }));
    const token = tokenOf(await app.nextMail(email));
    return { field: 'password', email, set: password => call('verify', { token, password }) };
  },
  async 'verify, of a contested registration'(app, call) {
    const email = newAddress();
    for (let i = 0; i < 2; i++) await resultOf(call('register', { email, password: good }));
    await app.nextMail(email);
    const token = tokenOf(await app.nextMail(email));
    return { field: 'password', email, set: password => call('verify', { token, password }) };
  },
  async resetPassword(app, call) {
    const { email } = await signUp(app);
    const token = await forgot(app, email);
    return {
      field: 'new_password',
      email,
      set: new_password => call('resetPassword', { token, new_password }),
    };
  },
  async changePassword(app, call) {
    const { email, password, token } = await signUp(app);
    const change = (new_password: string) =>
      call('changePassword', { current_password: password, new_password }, { token });
    return { field: 'new_password', email, set: change };
  },
  async acceptInvitation(app, call) {
    const { email } = await app.gatehouse.users.create({ email: newAddress(), invite: true });
    const token = tokenOf(await app.nextMail(email));
    return { field: 'password', email, set: password => call('acceptInvitation', { token, password }) };
  },
  async 'the server API'(app) {
    const email = newAddress();
    return {
      field: 'password',
      email,
      set: password => answerOf(app.gatehouse.users.create({ email, password, isVerified: true })),
    };
  },
  async 'createAdmin, of a new account'(app) {
    const email = newAddress();
    return {
      field: 'password',
      email,
      set: password => answerOf((app.gatehouse as Assembled).operator.createAdmin({ email, password })),
    };
  },
};

describeStory('the rules for new passwords', backend => {
  describe.each(doorsOn(backend))('through $name', door => {
    let app: App;
    let call: Call;
    beforeAll(async () => {
      const settings: ConfigInput = {
        ...{ passwordBlocklist: true, appName: 'Acme Accounts', baseUrl: 'https://accounts.acme.example' },
      };
      app = await startApp({ backend, settings });
      call = door.at(app);
    });
    afterAll(() => app?.close());

    describe.each(Object.entries(places))('at %s', (_, open) => {
      let place: Place;
      beforeEach(async () => {
        place = await open(app, call);
      });

      // Shows asvs/6.2.4, 63b/3.1.1.2#blocklist, 63b/3.1.1.2#reason.
      test('refuse a common one, in any case, then the own words, and take another one then', async () => {
        const { field, email, set } = place;
        const mails = () => app.mails.filter(({ to }) => to === email);
        const sent = mails();
        for (const password of [common, 'ILoveYou1', 'ｉloveyou1', '29101976']) {
          expect(await set(password)).toEqual(refused(field, 'common_password'));
        }
        const local = email.slice(0, email.indexOf('@'));
        for (const password of [local, local.toUpperCase(), email]) {
          expect(await set(password)).toEqual(refused(field, 'own_word'));
        }
        for (const password of ['acme accounts', 'AcmeAccounts', 'accounts', 'accounts.acme.example']) {
          expect(await set(password)).toEqual(refused(field, 'own_word'));
        }
        expect(mails()).toEqual(sent);
        // An own word within a longer password is no reason to refuse it.
        expect(await set(`acme accounts ${local}`)).toMatchObject({ ok: true });
        for (const secret of [common, 'ILoveYou1', local.toUpperCase()]) {
          expect(logged(app)).not.toContain(`"${secret}"`);
        }
      });
    });

    // Shows asvs/6.2.11.
    test('know the name that is given with a registration, and that of the account later', async () => {
      const email = newAddress();
      const register = (password: string) =>
        call('register', { email, password, full_name: 'Augusta Lovelace' });
      for (const password of ['augusta lovelace', 'AugustaLovelace', 'lovelace']) {
        expect(await register(password)).toEqual(refused('password', 'own_word'));
      }
      await resultOf(register(good));
      const token = tokenOf(await app.nextMail(email));
      expect(await call('verify', { token, password: 'lovelace' })).toEqual(refused('password', 'own_word'));
      await resultOf(call('verify', { token }));
      const session = await logIn(app, { email, password: good });
      const change = { current_password: good, new_password: 'lovelace' };
      expect(await call('changePassword', change, { token: session })).toEqual(
        refused('new_password', 'own_word'),
      );
    });

    // Shows asvs/6.2.10.
    test('are not applied at sign-in: a password from before them is as good as it was', async () => {
      const email = newAddress();
      const other = await startApp({ settings: {} });
      const hashedPassword = await (async () => {
        const user = await other.gatehouse.users.create({ email, password: common });
        return (await other.gatehouse.repositories.users.find(user.id))!.hashedPassword;
      })();
      await other.close();
      const { id } = await app.gatehouse.users.create({ email, isVerified: true });
      await app.gatehouse.repositories.users.change(id, { set: { hashedPassword } });
      const { access_token } = await resultOf(call('login', { email, password: common }));
      const again = { current_password: common, new_email: newAddress() };
      expect(await call('changeEmail', again, { token: access_token })).toMatchObject({ ok: true });
    });
  });
});

describe('the rules for new passwords, as they are by default,', () => {
  test('are only the length', async () => {
    const app = await startApp();
    try {
      const { status } = await app.rest('POST', '/register', { email: newAddress(), password: common });
      expect(status).toBe(201);
    } finally {
      await app.close();
    }
  });
});

describe.each(doors)('the length of a password through $name', door => {
  // Shows 63b/3.1.1.2#length.
  test('is configurable, is counted after normalisation, and is among the features', async () => {
    const app = await startApp({ settings: { passwordMinLength: 15 } });
    try {
      const call = door.at(app);
      const register = (password: string) => call('register', { email: newAddress(), password });
      const short = refused('password', 'too_short', { least: 15, most: 128 });
      expect(await register('fourteen chars')).toEqual(short);
      // Fifteen as typed, of which two become one.
      expect(await register('fourte\u0301en chars')).toEqual(short);
      expect(await register('fifte\u0301en charact')).toMatchObject({ ok: true });
      expect(await register('😀'.repeat(14))).toEqual(short);
      expect(await resultOf(call('features'))).toMatchObject({ password_min_length: 15 });
      const document = await app.rest('GET', '/openapi.json');
      expect(JSON.stringify(document.body)).toContain('15 to 128 characters.');
    } finally {
      await app.close();
    }
  });
});
