import { mkdtemp, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { buildFilter } from '../../../src/features/breached-passwords/build-filter.ts';
import { sha1Of } from '../../../src/features/breached-passwords/filter.ts';
import { logged } from '../../doors/passwords.ts';
import { type App, logIn, signUp, startApp } from '../../support/app.ts';
import { type Listening, listen } from '../../support/listening.ts';
import { newAddress } from '../../support/people.ts';

// New passwords are held against those of data breaches, by a service that learns nothing, or by a file.

const good = 'correct horse battery';
const refusal = 'appears in known data breaches, so others will try it: choose another one';

describe('the breach check', () => {
  let service: Listening;
  let url: string;
  let asked: IncomingMessage[];
  let answer: (response: ServerResponse, path: string) => void;
  const breached = 'known from a breach';
  const [prefix, rest] = [sha1Of(breached).slice(0, 5), sha1Of(breached).slice(5)];
  const padding = `${'0'.repeat(34)}A:0\r\n${'F'.repeat(35)}:3\r\n`;

  beforeAll(async () => {
    service = await listen((request, response) => {
      asked.push(request);
      answer(response, request.url!);
    });
    url = `${service.origin}/range`;
  });
  beforeEach(() => {
    asked = [];
    answer = (response, path) =>
      void response.end(path === `/range/${prefix}` ? `${padding}${rest.toLowerCase()}:12` : padding);
  });
  afterAll(() => service?.close());

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
    // Shows asvs/6.2.12.
    test('refuses a known password, and sends five digits of its digest and nothing else', () =>
      online(async app => {
        expect(await register(app, breached)).toMatchObject({
          status: 422,
          body: { code: 'invalid_input', errors: [{ path: 'password', message: refusal }] },
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

    // Shows asvs/6.2.12, 63b/3.1.1.2#blocklist.
    test('refuses what the file knows, in any form of its characters', async () => {
      const accented = 'Bréached with an accent'.normalize('NFC');
      const file = await filterOf(breached, accented);
      await using({ passwordBreachCheck: file }, async app => {
        for (const password of [breached, accented.normalize('NFD')]) {
          expect(await register(app, password)).toMatchObject({
            status: 422,
            body: { errors: [{ path: 'password', message: refusal }] },
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
