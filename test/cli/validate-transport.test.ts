import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthority, writeFiles } from '../support/certificates.ts';
import { isMissing } from '../support/needed.ts';
import { startRelay } from '../support/relay.ts';
import { type ServerHandle, startMongo, startPostgres, startRedis } from '../support/servers.ts';
import { installedFolder, svc } from './support.ts';

interface Check {
  name: string;
  outcome: string;
  detail: string;
}

/** What a configuration's checks say of one part. */
async function checksOf(
  part: string,
  env: Record<string, string>,
): Promise<[outcome: string, detail: string][]> {
  const cwd = await installedFolder();
  const { stdout } = await svc(['validate', '--json'], { cwd, env });
  expect(stdout).not.toContain('hunter2');
  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  return checks.filter(({ name }) => name === part).map(({ outcome, detail }) => [outcome, detail]);
}
/** What is said of the connection; the version of the tests' own server is another matter. */
const ofDatabase = async (url: string) =>
  (await checksOf('database', { SVC_DATABASE_URL: url })).filter(([, text]) => !/CVE-/.test(String(text)));

/** An address that leads to this machine and does not say so. */
const elsewhere = (url: string) => url.replace('127.0.0.1', '0.0.0.0');

const local = ['ok', 'the connection is not encrypted, and stays on this machine'];
const inTheClear = ['warn', expect.stringMatching(/^the connection to another machine is not encrypted: /)];
const verified = ['ok', 'the connection is encrypted, and the server is verified'];
const unverified = (outcome: string) => [
  outcome,
  expect.stringMatching(/^the connection is encrypted, but the server is not verified/),
];
const answers = ['ok', expect.stringMatching(/ is reachable$/)];

const certificate = async () => {
  const authority = await createAuthority();
  const own = await authority.sign(['localhost', '127.0.0.1']);
  return { tls: { ...own, clientAuthority: authority.cert }, ...(await writeFiles({ ca: authority.cert })) };
};

describe.skipIf(isMissing('postgresql'))('svc validate on PostgreSQL', () => {
  let server: ServerHandle;
  let ca: string;
  beforeAll(async () => {
    const made = await certificate();
    ca = made.ca;
    const access = ['hostssl all strict all trust', 'host all all all trust'];
    server = await startPostgres({ tls: made.tls, access: ['hostnossl all strict all reject', ...access] });
  });
  afterAll(() => server?.close());
  const at = (query: string, user = 'postgres') => {
    const { host } = new URL(server.url);
    return `postgresql+asyncpg://${user}:hunter2@${host}/postgres?${query}`;
  };

  test('says whether the connection is encrypted and the server verified', async () => {
    expect(await ofDatabase(at(''))).toEqual([answers, local]);
    expect(await ofDatabase(at('sslmode=require'))).toEqual([answers, unverified('ok')]);
    expect(await ofDatabase(at(`sslmode=verify-ca&sslrootcert=${ca}`))).toEqual([
      answers,
      ['ok', expect.stringContaining('but not its name')],
    ]);
    expect(await ofDatabase(at(`sslmode=verify-full&sslrootcert=${ca}`))).toEqual([answers, verified]);
  });

  test('warns of what strangers on the way to another machine could read or be', async () => {
    expect(await ofDatabase(elsewhere(at('sslmode=disable')))).toEqual([answers, inTheClear]);
    expect(await ofDatabase(elsewhere(at('')))).toEqual([answers, unverified('warn')]);
  });

  test('says that TLS is needed where the server insists on it', async () => {
    const { host } = new URL(server.url);
    expect(await ofDatabase(at('', 'strict'))).toEqual([
      [
        'fail',
        `PostgreSQL at ${host} rejects unencrypted connections, so it may require TLS: add sslmode=verify-full and sslrootcert to database_url. If it should not require TLS, its pg_hba.conf has no line for this client.`,
      ],
    ]);
  });

  test('refuses what it does not know, as does every start', async () => {
    const env = { SVC_DATABASE_URL: at('sslmode=nonsense') };
    const said = /environment: SVC_DATABASE_URL: has an invalid sslmode: it must be disable, allow/;
    for (const command of ['validate', 'migrate', 'serve']) {
      const { code, stdout, stderr } = await svc([command], { env });
      expect([command, code]).toEqual([command, 1]);
      expect(stdout + stderr).toMatch(said);
      expect(stdout + stderr).not.toContain('hunter2');
    }
  });
});

describe.skipIf(isMissing('mongodb'))('svc validate on MongoDB', () => {
  let server: ServerHandle;
  let plain: ServerHandle;
  let ca: string;
  beforeAll(async () => {
    const made = await certificate();
    ca = made.ca;
    [server, plain] = await Promise.all([startMongo({ tls: made.tls }), startMongo()]);
  });
  afterAll(() => Promise.all([server?.close(), plain?.close()]));

  test('says whether the connection is encrypted and the server verified', async () => {
    expect(await ofDatabase(`${plain.url}svc`)).toEqual([answers, local]);
    expect(await ofDatabase(elsewhere(`${plain.url}svc`))).toEqual([answers, inTheClear]);
    expect(await ofDatabase(`${server.url}svc?tls=true&tlsCAFile=${ca}`)).toEqual([answers, verified]);
    const insecure = `${server.url}svc?tls=true&tlsAllowInvalidCertificates=true`;
    expect(await ofDatabase(insecure)).toEqual([answers, unverified('ok')]);
    expect(await ofDatabase(elsewhere(insecure))).toEqual([answers, unverified('warn')]);
    expect(await ofDatabase(`${server.url}svc`)).toEqual([
      ['fail', expect.stringMatching(/^MongoDB at \S+ closes the connection.*add tls=true/)],
    ]);
  });
});

describe.skipIf(isMissing('redis'))('svc validate with counts in Redis', () => {
  test('says whether the connection is encrypted and the server verified', async () => {
    const redis = await startRedis({ requirepass: 'hunter2' });
    const { tls, ca } = await certificate();
    const relay = await startRelay(Number(new URL(redis.url).port), tls);
    const ofLimits = (url: string) =>
      checksOf('limits', { SVC_LOGIN_RATE_LIMIT: '5/minute', SVC_RATE_LIMIT_STORE_URL: url });
    const plain = redis.url.replace('//', '//:hunter2@');
    const counted = ['ok', '1 route is limited, counted in Redis'];
    expect(await ofLimits(plain)).toEqual([counted, local]);
    expect(await ofLimits(elsewhere(plain))).toEqual([counted, inTheClear]);
    const encrypted = `rediss://:hunter2@127.0.0.1:${relay.port}?ssl_ca_certs=${ca}`;
    expect(await ofLimits(encrypted)).toEqual([counted, verified]);
    expect(await ofLimits(plain.replace('hunter2', 'hunter22'))).toEqual([
      ['fail', expect.stringMatching(/^Redis at \S+ rejects the user name or the password/)],
    ]);
    await relay.close();
    await redis.close();
  });
});
