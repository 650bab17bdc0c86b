import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import type { Assembled } from '../../src/gatehouse.ts';
import { buildFilter } from '../../src/passwords/build-filter.ts';
import { sha1Of } from '../../src/passwords/filter.ts';
import { refusals } from '../../src/passwords/refusals.ts';
import { type App, logIn, signUp, startApp, tokenOf } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { type Answer, type Call, doors, resultOf } from '../support/doors.ts';
import { newAddress } from '../support/people.ts';
import { forgot, logged } from './passwords.ts';

// The rules for new passwords hold wherever one is set, and nowhere else.

const good = 'correct horse battery';
const common = 'iloveyou1';

/** How a place answers a refused password: its field is named, the password is not. */
const refused = (field: string, message: string) => ({
  ok: false,
  code: 'invalid_input',
  status: 422,
  errors: [{ path: field, message }],
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

describeEachDriver('the rules for new passwords', backend => {
  const isFirst = backend.name === 'sqlite-memory';

  describe.each(isFirst ? doors : doors.slice(0, 1))('through $name', door => {
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

      test('refuse a common one, in any case, then the own words, and take another one then', async () => {
        const { field, email, set } = place;
        const mails = () => app.mails.filter(({ to }) => to === email);
        const sent = mails();
        for (const password of [common, 'ILoveYou1', 'ｉloveyou1', '29101976']) {
          expect(await set(password)).toEqual(refused(field, refusals.common));
        }
        const local = email.slice(0, email.indexOf('@'));
        for (const password of [local, local.toUpperCase(), email]) {
          expect(await set(password)).toEqual(refused(field, refusals.person));
        }
        for (const password of ['acme accounts', 'AcmeAccounts', 'accounts', 'accounts.acme.example']) {
          expect(await set(password)).toEqual(refused(field, refusals.service));
        }
        expect(mails()).toEqual(sent);
        // An own word within a longer password is no reason to refuse it.
        expect(await set(`acme accounts ${local}`)).toMatchObject({ ok: true });
        for (const secret of [common, 'ILoveYou1', local.toUpperCase()]) {
          expect(logged(app)).not.toContain(`"${secret}"`);
        }
      });
    });

    test('know the name that is given with a registration, and that of the account later', async () => {
      const email = newAddress();
      const register = (password: string) =>
        call('register', { email, password, full_name: 'Augusta Lovelace' });
      for (const password of ['augusta lovelace', 'AugustaLovelace', 'lovelace']) {
        expect(await register(password)).toEqual(refused('password', refusals.person));
      }
      await resultOf(register(good));
      const token = tokenOf(await app.nextMail(email));
      expect(await call('verify', { token, password: 'lovelace' })).toEqual(
        refused('password', refusals.person),
      );
      await resultOf(call('verify', { token }));
      const session = await logIn(app, { email, password: good });
      const change = { current_password: good, new_password: 'lovelace' };
      expect(await call('changePassword', change, { token: session })).toEqual(
        refused('new_password', refusals.person),
      );
    });

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
  test('is configurable, is counted after normalisation, and is among the features', async () => {
    const app = await startApp({ settings: { passwordMinLength: 15 } });
    try {
      const call = door.at(app);
      const register = (password: string) => call('register', { email: newAddress(), password });
      const short = refused('password', 'must have 15 to 128 characters');
      expect(await register('fourteen chars')).toEqual(short);
      expect(await register('ﬁfteen charact')).toMatchObject({ ok: true });
      expect(await register('😀'.repeat(14))).toEqual(short);
      expect(await resultOf(call('features'))).toMatchObject({ password_min_length: 15 });
      const document = await app.rest('GET', '/openapi.json');
      expect(JSON.stringify(document.body)).toContain('15 to 128 characters.');
    } finally {
      await app.close();
    }
  });
});

describe('the breach check', () => {
  let service: Server;
  let url: string;
  let asked: IncomingMessage[];
  let answer: (response: ServerResponse, path: string) => void;
  const breached = 'known from a breach';
  const [prefix, rest] = [sha1Of(breached).slice(0, 5), sha1Of(breached).slice(5)];
  const padding = `${'0'.repeat(34)}A:0\r\n${'F'.repeat(35)}:3\r\n`;

  beforeAll(async () => {
    service = createServer((request, response) => {
      asked.push(request);
      answer(response, request.url!);
    }).listen(0, '127.0.0.1');
    await once(service, 'listening');
    url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/range`;
  });
  beforeEach(() => {
    asked = [];
    answer = (response, path) =>
      void response.end(path === `/range/${prefix}` ? `${padding}${rest.toLowerCase()}:12` : padding);
  });
  afterAll(() => {
    service?.closeAllConnections();
    service?.close();
  });

  async function using<T>(settings: ConfigInput, work: (app: App) => Promise<T>): Promise<T> {
    const app = await startApp({ settings });
    try {
      return await work(app);
    } finally {
      await app.close();
    }
  }
  const online = <T>(work: (app: App) => Promise<T>) =>
    using({ passwordBreachCheck: 'online', passwordBreachUrl: url }, work);
  const register = (app: App, password: string) =>
    app.rest('POST', '/register', { email: newAddress(), password });
  const warnings = (app: App) => app.logs.filter(({ level }) => level === 'warn');

  describe('online', () => {
    test('refuses a known password, and sends five digits of its digest and nothing else', () =>
      online(async app => {
        expect(await register(app, breached)).toMatchObject({
          status: 422,
          body: { code: 'invalid_input', errors: [{ path: 'password', message: refusals.breached }] },
        });
        expect((await register(app, good)).status).toBe(201);
        expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
          `GET /range/${prefix}`,
          `GET /range/${sha1Of(good).slice(0, 5)}`,
        ]);
        expect(asked[0]!.headers).toMatchObject({ 'add-padding': 'true' });
        expect(warnings(app)).toEqual([]);
      }));

    test('is not asked at sign-in', () =>
      online(async app => {
        const { email, password } = await signUp(app);
        asked = [];
        await logIn(app, { email, password });
        expect(asked).toEqual([]);
      }));

    test('takes the lines of the padding for none', () =>
      online(async app => {
        answer = response => void response.end(`${rest}:0\r\n${padding}`);
        expect((await register(app, breached)).status).toBe(201);
      }));

    test.each<[string, (response: ServerResponse) => void]>([
      ['is down', response => void response.destroy()],
      ['answers an error', response => void response.writeHead(503).end()],
      ['answers a page', response => void response.end('<html>')],
      [
        'sends elsewhere',
        response => void response.writeHead(302, { Location: 'http://127.0.0.1:9/' }).end(),
      ],
      ['answers without end', response => void response.end(`${'0'.repeat(34)}A:0\n`.repeat(100_000))],
    ])('lets a password through, with one log record, when the service %s', (_, respond) =>
      online(async app => {
        answer = respond;
        expect((await register(app, breached)).status).toBe(201);
        const [record, ...more] = warnings(app);
        expect([record?.message, more]).toEqual([expect.stringContaining('not checked for breaches'), []]);
        expect(logged(app)).not.toContain(breached);
        expect(logged(app)).not.toContain(rest);
      }),
    );

    test('does not hold anybody else up while the service is silent', () =>
      online(async app => {
        const silent: ServerResponse[] = [];
        answer = response => void silent.push(response);
        const waiting = register(app, breached);
        let isDone = false;
        void waiting.then(() => {
          isDone = true;
        });
        while (silent.length === 0) await new Promise(setImmediate);
        expect((await app.rest('GET', '/features')).status).toBe(200);
        expect(isDone).toBe(false);
        // After its two seconds.
        expect((await waiting).status).toBe(201);
        expect(warnings(app)).toHaveLength(1);
      }));
  });

  describe('by a filter file', () => {
    async function filterOf(...passwords: string[]): Promise<string> {
      const folder = await mkdtemp(join(inject('temporaryFolder'), 'breaches-'));
      const source = join(folder, 'source.txt');
      await writeFile(source, passwords.map(password => `${sha1Of(password)}:1\n`).join(''));
      const output = join(folder, 'breaches.filter');
      await buildFilter({ source, output, falsePositives: 1e-9, leastCount: 1 });
      return output;
    }

    test('refuses what the file knows, in any form of its characters', async () => {
      const file = await filterOf(breached, 'Breached 1 of them');
      await using({ passwordBreachCheck: file }, async app => {
        for (const password of [breached, 'Ｂreached ① of them']) {
          expect(await register(app, password)).toMatchObject({
            status: 422,
            body: { errors: [{ path: 'password', message: refusals.breached }] },
          });
        }
        expect((await register(app, good)).status).toBe(201);
      });
      expect(asked).toEqual([]);
    });

    test('is an error at start when the file is missing or damaged', async () => {
      await expect(using({ passwordBreachCheck: './onlin' }, async () => {})).rejects.toThrow(
        /password_breach_check: .*\.\/onlin can't be read \(ENOENT\)/,
      );
      const file = await filterOf(breached);
      await writeFile(file, 'x', { flag: 'r+' });
      await expect(using({ passwordBreachCheck: file }, async () => {})).rejects.toThrow(
        `${file} is no filter file`,
      );
    });
  });
});
