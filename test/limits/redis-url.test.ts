import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { openRateLimits } from '../../src/limits/open.ts';
import { withRedis } from '../support/admin.ts';
import { jwtSecret, startApp } from '../support/app.ts';
import { type Authority, type Certificate, createAuthority, writeFiles } from '../support/certificates.ts';
import { isMissing } from '../support/needed.ts';
import { type Relay, startRelay } from '../support/relay.ts';
import { freePort } from '../support/server-process.ts';
import { type ServerHandle, startRedis } from '../support/servers.ts';

const noDatabase = () => Promise.reject(new Error('the counts are in Redis'));
const portOf = (url: string) => Number(new URL(url).port);

/** Opens the limits of a configuration whose counts are at this URL, and counts one request. */
async function countOnce(url: string, settings: Record<string, string> = {}) {
  const env = {
    SVC_JWT_SECRET: jwtSecret,
    SVC_LOGIN_RATE_LIMIT: '1000/hour',
    SVC_RATE_LIMIT_STORE_URL: url,
    ...settings,
  };
  const { config } = loadConfig({ env, cwd: inject('temporaryFolder') });
  const logged: string[] = [];
  const log = (_: object, message: string) => void logged.push(message);
  const opened = await openRateLimits(config, noDatabase, undefined, { info: log, warn: log });
  try {
    await opened.limits.consume('login', '192.0.2.1');
    return { transport: opened.store?.transport, logged };
  } catch (error) {
    const { name, message } = (error as Error).cause as Error;
    const ping = await opened.store?.ping().catch(error => (error as Error).message);
    return { name, message, ping, logged };
  } finally {
    await opened.close();
  }
}

/** The one line with which it does not count, the same wherever it is asked, and once in the log. */
async function refusalOf(url: string): Promise<string> {
  const { name, message, ping, logged } = await countOnce(url);
  expect(name).toBe('StorageError');
  expect(message).toMatch(/^Redis at [^\n]+\.$/);
  expect(ping).toBe(message);
  expect(logged).toEqual([`requests with a limit are refused: ${message}`]);
  return message!;
}

describe.skipIf(isMissing('redis'))('a Redis that counts requests', () => {
  let redis: ServerHandle;
  let locked: ServerHandle;
  beforeAll(async () => {
    [redis, locked] = await Promise.all([startRedis(), startRedis({ requirepass: 'hunter2' })]);
    const url = `redis://:hunter2@127.0.0.1:${portOf(locked.url)}`;
    await withRedis(url, client => client.acl('SETUSER', 'counter', 'on', '>hunter2', '~*', '&*', '+@all'));
    await withRedis(url, client =>
      client.acl('SETUSER', 'reader', 'on', '>hunter2', '~*', '&*', '+@read', '+@connection', '+info'),
    );
  });
  afterAll(() => Promise.all([redis, locked].map(server => server?.close())));

  test.each([
    ['Gatehouse', {}, 'gatehouse:1000/3600:login:192.0.2.1'],
    ['Café de l’Europe', {}, 'cafe-de-l-europe:1000/3600:login:192.0.2.1'],
    ['灯笼', {}, 'app-8f9e9336:1000/3600:login:192.0.2.1'],
    ['Acme', { SVC_RATE_LIMIT_KEY_PREFIX: 'acme:eu' }, 'acme:eu:1000/3600:login:192.0.2.1'],
  ])('keeps the counts of %s apart from those of others', async (name, settings, key) => {
    await withRedis(redis.url, client => client.flushall());
    await countOnce(redis.url, { SVC_APP_NAME: name, ...settings });
    expect(await withRedis(redis.url, client => client.keys('*'))).toEqual([key]);
  });

  test('takes the password, the user and the number of the URL', async () => {
    const at = (userinfo: string, path = '') => `redis://${userinfo}@127.0.0.1:${portOf(locked.url)}${path}`;
    expect(await countOnce(at(':hunter2'))).toMatchObject({ logged: [] });
    expect(await countOnce(at('counter:hunter2', '/3'))).toMatchObject({ logged: [] });
    await withRedis(at(':hunter2', '/3'), async client => expect(await client.dbsize()).toBe(1));
  });

  test('says what is wrong, without the password', async () => {
    const port = portOf(locked.url);
    const address = `127.0.0.1:${port}`;
    expect(await refusalOf(`redis://:wrong@${address}`)).toBe(
      `Redis at ${address} rejects the user name or the password. Check them in rate_limit_store_url.`,
    );
    expect(await refusalOf(`redis://nobody:hunter2@${address}`)).toMatch(
      /rejects the user name or the password/,
    );
    expect(await refusalOf(`redis://${address}`)).toBe(
      `Redis at ${address} requires a password. Add it to rate_limit_store_url.`,
    );
    // It may connect; only to count is refused.
    expect(await countOnce(`redis://reader:hunter2@${address}`)).toMatchObject({
      message: expect.stringMatching(/does not permit this user the commands that limits need: EVAL/),
      ping: undefined,
    });
    expect(await refusalOf(`redis://:hunter2@${address}/99`)).toMatch(/has no database with that number/);
    const free = await freePort();
    expect(await refusalOf(`redis://:hunter2@127.0.0.1:${free}`)).toBe(
      `Redis at 127.0.0.1:${free} is unreachable (ECONNREFUSED): nothing listens there.`,
    );
    expect(await refusalOf('redis://:hunter2@redis.invalid')).toMatch(
      /^Redis at redis\.invalid:6379 is unreachable: /,
    );
  });

  test('that refuses us is in the log of every request that is refused for it', async () => {
    const rateLimitStoreUrl = `redis://:wrong@127.0.0.1:${portOf(locked.url)}`;
    const app = await startApp({ settings: { loginRateLimit: '5/minute', rateLimitStoreUrl } });
    const { status } = await app.rest('POST', '/login', { email: 'a@b.example', password: 'correct horse' });
    expect(status).toBe(503);
    const reason =
      /: Redis at \S+ rejects the user name or the password\. Check them in rate_limit_store_url\.$/;
    const messages = app.logs.map(({ message }) => message).filter(message => reason.test(message));
    expect(messages.map(message => message.replace(reason, ''))).toEqual([
      'requests with a limit are refused',
      'a dependency is unavailable',
    ]);
    await app.close();
  });

  describe('behind TLS', () => {
    let authority: Authority;
    let files: Record<'ca' | 'stranger' | 'cert' | 'key', string>;
    let byAddress: Relay;
    let byName: Relay;
    let strict: Relay;
    beforeAll(async () => {
      authority = await createAuthority();
      const stranger = await createAuthority('Stranger');
      const [address, name, client] = (await Promise.all([
        authority.sign(['localhost', '127.0.0.1']),
        authority.sign(['localhost']),
        authority.sign(['client']),
      ])) as [Certificate, Certificate, Certificate];
      files = await writeFiles({ ca: authority.cert, stranger: stranger.cert, ...client });
      const port = portOf(redis.url);
      byAddress = await startRelay(port, address);
      byName = await startRelay(port, name);
      strict = await startRelay(port, { ...address, ca: authority.cert, requestCert: true });
    });
    afterAll(() => Promise.all([byAddress, byName, strict].map(relay => relay?.close())));

    const verified = (name: boolean, issuer = true) => ({
      transport: { isLocal: true, isEncrypted: true, verifies: { issuer, name } },
      logged: [],
    });

    test('is verified, by the host it has', async () => {
      const ca = `ssl_ca_certs=${files.ca}`;
      expect(await countOnce(`rediss://127.0.0.1:${byAddress.port}?${ca}`)).toEqual(verified(true));
      expect(await countOnce(`rediss://localhost:${byName.port}?${ca}`)).toEqual(verified(true));
      expect(await refusalOf(`rediss://127.0.0.1:${byName.port}?${ca}`)).toMatch(
        /can't be reached by TLS: its certificate is for another name/,
      );
      expect(await refusalOf(`rediss://127.0.0.1:${byAddress.port}`)).toMatch(
        /not signed by a trusted authority/,
      );
      expect(await refusalOf(`rediss://127.0.0.1:${byAddress.port}?ssl_ca_certs=${files.stranger}`)).toMatch(
        /not signed by a trusted authority/,
      );
    });

    test('is verified less where the URL says so', async () => {
      const ca = `ssl_ca_certs=${files.ca}&ssl_check_hostname=false`;
      expect(await countOnce(`rediss://127.0.0.1:${byName.port}?${ca}`)).toEqual(verified(false));
      const none = `rediss://127.0.0.1:${byName.port}?ssl_cert_reqs=none`;
      expect(await countOnce(none)).toEqual(verified(false, false));
    });

    test('is shown a certificate', async () => {
      const own = `ssl_ca_certs=${files.ca}&ssl_certfile=${files.cert}&ssl_keyfile=${files.key}`;
      expect(await countOnce(`rediss://127.0.0.1:${strict.port}?${own}`)).toEqual(verified(true));
      expect(await refusalOf(`rediss://127.0.0.1:${strict.port}?ssl_ca_certs=${files.ca}`)).toMatch(
        /requires a client certificate/,
      );
    });

    test('refuses who does not encrypt, and the line says so', async () => {
      expect(await refusalOf(`redis://127.0.0.1:${byAddress.port}`)).toBe(
        `Redis at 127.0.0.1:${byAddress.port} closes the connection without a reply. It may require TLS: write rediss:// in place of redis://.`,
      );
    });
  });

  test('that does not encrypt is not taken for one that does', async () => {
    expect(await refusalOf(`rediss://127.0.0.1:${portOf(redis.url)}`)).toMatch(
      /does not support TLS|does not respond in time/,
    );
  });
});
