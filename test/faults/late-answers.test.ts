import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type App, type Member, signUp, startApp } from '../support/app.ts';
import { describeEachBackend, type TestDatabase } from '../support/backends.ts';
import { type Relay, startRelay } from '../support/relay.ts';

/** Each answer is late, and none so late that a call of the database ends at its own deadline. */
const lateMs = 1200;

// CONTRACT §4.5: a request is refused within three seconds, however many answers it waits for.
describeEachBackend(
  'while the database answers late',
  backend => {
    let database: TestDatabase;
    let relay: Relay;
    let app: App;
    let member: Member;
    beforeAll(async () => {
      database = await backend.lendDatabase();
      const [, port] = /@?(?:127\.0\.0\.1|localhost):(\d+)/.exec(database.url)!;
      relay = await startRelay(Number(port));
      app = await startApp({ databaseUrl: database.url.replace(`:${port}`, `:${relay.port}`) });
      member = await signUp(app);
    });
    afterAll(async () => {
      await app?.close();
      await relay?.close();
      await database?.drop();
    });

    function beLate(): void {
      relay.delay(lateMs);
      onTestFinished(() => relay.delay(0));
    }
    const refused = { status: 503, body: { code: 'unavailable' } };

    test('a request that waits for many answers is refused, and served when they are in time', async () => {
      const ask = {
        register: () =>
          app.rest('POST', '/register', { email: 'eve@example.org', password: 'correct horse' }),
        change: () =>
          app.rest(
            'POST',
            '/change-password',
            { current_password: member.password, new_password: 'a new correct horse' },
            { token: member.token },
          ),
      };
      beLate();
      const [registered, changed] = await Promise.all([ask.register(), ask.change()]);
      expect([registered, changed]).toMatchObject([refused, refused]);
      expect(Number(registered.headers.get('Retry-After'))).toBeGreaterThan(0);
      relay.delay(0);
      const other = await signUp(app);
      expect((await app.rest('GET', '/me', undefined, { token: other.token })).status).toBe(200);
    });

    test('mutations of one document that come too late are refused, and not begun', async () => {
      const { token } = await signUp(app);
      const names = Array.from({ length: 5 }, (_, i) => `name-${i}`);
      const fields = names.map(
        (name, i) => `m${i}: updateProfile(input: {fullName: "${name}"}) { fullName }`,
      );
      beLate();
      const { body } = await app.rest(
        'POST',
        '/graphql',
        { query: `mutation { ${fields.join(' ')} }` },
        { token },
      );
      relay.delay(0);
      const codes = (body.errors as { extensions: { code: string } }[]).map(each => each.extensions.code);
      expect(new Set(codes)).toEqual(new Set(['unavailable']));
      expect(body.data).toMatchObject({ m0: { fullName: 'name-0' }, m4: null });
      const { body: found } = await app.rest('GET', '/me', undefined, { token });
      expect(found.full_name).not.toBe('name-4');
    });

    test('a request that needs few answers is served', async () => {
      const { token } = await signUp(app);
      beLate();
      expect((await app.rest('GET', '/me', undefined, { token })).status).toBe(200);
    });
  },
  { only: ['mongodb'] },
);
