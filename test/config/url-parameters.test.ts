import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { parseRedisUrl } from '../../src/config/redis-url.ts';
import { createAuthority, writeFiles } from '../support/certificates.ts';
import { load, problemOf } from './support.ts';

const databaseProblem = (url: string) => problemOf({ env: { SVC_DATABASE_URL: url } });
const storeProblem = (url: string) => problemOf({ env: { SVC_RATE_LIMIT_STORE_URL: url } });
const parsed = (url: string) => parseDatabaseUrl(url, 'svc');

describe('the parameters of a PostgreSQL URL', () => {
  test('are those of libpq', () => {
    const query =
      'sslmode=verify-full&sslrootcert=/ca.pem&sslcert=/own.pem&sslkey=/own.key&application_name=acme' +
      '&options=-c%20geqo%3Doff%20-c%20x=a%26b&connect_timeout=3&target_session_attrs=read-write';
    expect(parsed(`postgresql+asyncpg://u%40x:p%3Aw@a,b:6432,[::1]:5433/my%20db?${query}`)).toMatchObject({
      hosts: [
        { host: 'a', port: 5432 },
        { host: 'b', port: 6432 },
        { host: '::1', port: 5433 },
      ],
      ...{ user: 'u@x', password: 'p:w', database: 'my db', sslMode: 'verify-full' },
      tlsFiles: {
        ca: { parameter: 'sslrootcert', path: '/ca.pem' },
        cert: { parameter: 'sslcert', path: '/own.pem' },
        key: { parameter: 'sslkey', path: '/own.key' },
      },
      ...{ applicationName: 'acme', options: '-c geqo=off -c x=a&b', connectTimeoutSeconds: 3 },
      target: 'read-write',
    });
  });

  test.each([
    ['postgresql://u@h/db', [{ host: 'h', port: 5432 }]],
    ['postgresql://u@%2Frun%2Fpostgresql/db', [{ host: '/run/postgresql', port: 5432 }]],
    ['postgresql:///db?host=/run/postgresql', [{ host: '/run/postgresql', port: 5432 }]],
    ['postgresql://u@/db?host=/cloudsql/a:b:c', [{ host: '/cloudsql/a:b:c', port: 5432 }]],
    [
      'postgresql://u@/db?host=a:1&host=b',
      [
        { host: 'a', port: 1 },
        { host: 'b', port: 5432 },
      ],
    ],
    [
      'postgresql:///db?host=a,b&port=1,2',
      [
        { host: 'a', port: 1 },
        { host: 'b', port: 2 },
      ],
    ],
  ])('%s is at these hosts', (url, hosts) => {
    expect(parsed(url)).toMatchObject({ hosts });
  });

  test.each([
    ['sslmode=nonsense', /has an invalid sslmode: it must be disable, allow, .* or verify-full$/],
    ['sslmode=', /has an invalid sslmode/],
    ['sslmod=require', /has the parameter sslmod, which is not known: did you mean sslmode\?$/],
    ['sslMode=require', /has the parameter sslMode, which is not known: did you mean sslmode\?$/],
    ['ssl=require', /has the parameter ssl, which is not supported: write sslmode=require/],
    ['schema=acme', /has the parameter schema, which is not supported: set database_schema$/],
    ['whatever=1', /has the parameter whatever, which is not known: docs\/configuration\.md lists/],
    ['sslmode=require&sslmode=disable', /has the parameter sslmode twice$/],
    ['sslmode', /must write its parameters as name=value/],
    ['connect_timeout=soon', /has an invalid connect_timeout: it must be a whole number/],
    ['connect_timeout=0', /has an invalid connect_timeout/],
    ['target_session_attrs=master', /has an invalid target_session_attrs: it must be any, read-write/],
    ['application_name=a%0Ab', /has an invalid application_name/],
    ['sslmode=verify-ca', /has sslmode=verify-ca without sslrootcert/],
    ['sslmode=verify-ca&sslrootcert=system', /has sslrootcert=system, which any certificate satisfies/],
    ['sslrootcert=/ca.pem', /has sslrootcert, which protects nothing without sslmode=verify-full/],
    ['sslmode=prefer&sslcert=/a&sslkey=/b', /has sslcert, which protects nothing/],
    ['sslmode=require&sslcert=/a', /must have sslcert and sslkey together/],
    ['host=other', /must name its hosts once/],
    ['port=1,2', /has an invalid port/],
  ])('%s is refused', (query, expected) => {
    const problem = databaseProblem(`postgresql+asyncpg://ada:hunter2@h/db?${query}`);
    expect(problem).toMatch(/^environment: SVC_DATABASE_URL: /);
    expect(problem).toMatch(expected);
    expect(problem).not.toContain('hunter2');
  });
});

describe('the options of a MongoDB URL', () => {
  test.each([
    ['mongodb://h/db', { isEncrypted: false, verifies: { issuer: false, name: false } }],
    ['mongodb://h/db?tls=true', { isEncrypted: true, verifies: { issuer: true, name: true } }],
    ['mongodb://h/db?ssl=true', { isEncrypted: true }],
    ['mongodb+srv://h/db', { isEncrypted: true, isSrv: true }],
    ['mongodb+srv://h/db?tls=false', { isEncrypted: false }],
    ['mongodb://h/db?TLS=true&tlscafile=/ca.pem', { tlsFiles: { ca: { path: '/ca.pem' } } }],
    ['mongodb://h/db?tls=true&tlsInsecure=true', { verifies: { issuer: false, name: false } }],
    ['mongodb://h/db?tls=true&tlsAllowInvalidHostnames=true', { verifies: { issuer: true, name: false } }],
    ['mongodb://h/db?appName=acme&maxPoolSize=7', { appName: 'acme', maxPoolSize: 7 }],
    ['mongodb://h/db?readPreferenceTags=dc:a&readPreferenceTags=', {}],
  ])('%s is understood', (url, expected) => {
    expect(parsed(url)).toMatchObject(expected);
  });

  test.each([
    ['mongodb://ada:hunter2@h/db?tsl=true', /has the parameter tsl, which is not known: did you mean tls\?$/],
    ['mongodb://ada:hunter2@h/db?tls=yes', /has an invalid tls: it must be true or false$/],
    ['mongodb://ada:hunter2@h/db?tlsCAFile=/ca.pem', /has tlsCAFile, which does nothing without tls=true$/],
    ['mongodb://ada:hunter2@h/db?tls=false&tlsInsecure=true', /tlsInsecure, which does nothing/],
    ['mongodb://ada:hunter2@h/db?tls=true&ssl=false', /tls and ssl, which contradict/],
    [
      'mongodb://ada:hunter2@h/db?tls=true&tlsInsecure=true&tlsAllowInvalidHostnames=true',
      /tlsInsecure together with tlsAllowInvalidHostnames/,
    ],
    ['mongodb://ada:hunter2@h/db?maxPoolSize=many', /has an invalid maxPoolSize/],
    ['mongodb://ada:hunter2@h/db?rejectUnauthorized=false', /rejectUnauthorized, which is not known/],
    ['mongodb+srv://ada:hunter2@h:27017/db', /must name one host and no port/],
    // A question mark in a password makes the rest of it a query.
    ['mongodb://ada:x?hunter2=y@h/db', /must (write \? as %3F|have the form)/],
  ])('%s is refused', (url, expected) => {
    const problem = databaseProblem(url);
    expect(problem).toMatch(expected);
    expect(problem).not.toContain('hunter2');
  });
});

describe('the URL of Redis', () => {
  test.each([
    ['redis://h', { address: { host: 'h', port: 6379 }, database: 0, isEncrypted: false }],
    ['redis://:p%40@h:1/3', { password: 'p@', database: 3, address: { host: 'h', port: 1 } }],
    ['redis://ada:p@[::1]', { user: 'ada', password: 'p', address: { host: '::1', port: 6379 } }],
    ['redis://%2Frun%2Fredis.sock/1', { address: { host: '/run/redis.sock' }, database: 1 }],
    ['rediss://h', { isEncrypted: true, verifies: { issuer: true, name: true } }],
    ['rediss://h?ssl_cert_reqs=none', { verifies: { issuer: false, name: false } }],
    ['rediss://h?ssl_check_hostname=false', { verifies: { issuer: true, name: false } }],
    [
      'rediss://h?ssl_ca_certs=/ca&ssl_certfile=/c&ssl_keyfile=/k',
      { tlsFiles: { ca: { path: '/ca' }, cert: { path: '/c' }, key: { path: '/k' } } },
    ],
  ])('%s is understood', (url, expected) => {
    expect(parseRedisUrl(url)).toMatchObject(expected);
  });

  test.each([
    ['http://:hunter2@h', /must have the form redis:/],
    ['redis://:hunter2@', /must have the form redis:/],
    ['redis://:hunter2@h/one', /must have the form redis:/],
    ['redis://:hunter2@h?db=1', /has the parameter db, which is not supported: write its number after/],
    [
      'rediss://:hunter2@h?ssl_ca_cert=/ca',
      /has the parameter ssl_ca_cert, which is not known: did you mean/,
    ],
    ['redis://:hunter2@h?ssl_ca_certs=/ca', /has ssl_ca_certs, which does nothing without rediss:/],
    [
      'rediss://:hunter2@h?ssl_cert_reqs=optional',
      /has an invalid ssl_cert_reqs: it must be required or none/,
    ],
    ['rediss://:hunter2@h?ssl_cert_reqs=none&ssl_ca_certs=/ca', /ssl_ca_certs, which does nothing with/],
    ['rediss://:hunter2@h?ssl_certfile=/c', /must have ssl_certfile and ssl_keyfile together/],
  ])('%s is refused', (url, expected) => {
    const problem = storeProblem(url);
    expect(problem).toMatch(/^environment: SVC_RATE_LIMIT_STORE_URL: /);
    expect(problem).toMatch(expected);
    expect(problem).not.toContain('hunter2');
  });
});

describe('the files that a URL names', () => {
  let files: Record<'ca' | 'cert' | 'key' | 'other' | 'both' | 'text', string>;
  let folder: string;
  beforeAll(async () => {
    const authority = await createAuthority();
    const [own, other] = await Promise.all([authority.sign(['a']), authority.sign(['b'])]);
    const both = own.cert + own.key;
    files = await writeFiles({ ca: authority.cert, ...own, other: other.key, both, text: 'Dear Ada' });
    folder = join(inject('temporaryFolder'), 'a folder.pem');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'kept'), '');
  });

  test('are read when it starts', () => {
    const { ca, cert, key, both } = files;
    for (const url of [
      `postgresql://h/db?sslmode=verify-full&sslrootcert=${ca}&sslcert=${cert}&sslkey=${key}`,
      'postgresql://h/db?sslmode=verify-full&sslrootcert=system',
      `mongodb://h/db?tls=true&tlsCAFile=${ca}&tlsCertificateKeyFile=${both}`,
    ]) {
      expect(load({ env: { SVC_DATABASE_URL: url } }).config.databaseUrl.reveal()).toBe(url);
    }
  });

  test('are named where they are missing, unreadable or something else', () => {
    const at = (query: string) =>
      databaseProblem(`postgresql://ada:hunter2@h/db?sslmode=verify-full&${query}`);
    expect(at('sslrootcert=/nowhere/ca.pem')).toBe(
      'environment: SVC_DATABASE_URL: names a file in sslrootcert that does not exist: /nowhere/ca.pem',
    );
    expect(at(`sslrootcert=${encodeURIComponent(folder)}`)).toContain(`can't be read (EISDIR): ${folder}`);
    expect(at(`sslrootcert=${files.text}`)).toContain(
      `names sslrootcert (${files.text}), which TLS can't use`,
    );
    expect(at(`sslrootcert=${files.key}`)).toContain("which TLS can't use");
    expect(at(`sslcert=${files.cert}&sslkey=${files.other}`)).toContain(
      `names sslcert (${files.cert}) and sslkey (${files.other}), which TLS can't use`,
    );
    expect(databaseProblem('mongodb://h/db?tls=true&tlsCAFile=/nowhere')).toContain(
      'names a file in tlsCAFile that does not exist: /nowhere',
    );
    expect(databaseProblem(`mongodb://h/db?tls=true&tlsCertificateKeyFile=${files.text}`)).toContain(
      `names tlsCertificateKeyFile (${files.text}), which TLS can't use`,
    );
    expect(storeProblem('rediss://h?ssl_ca_certs=/nowhere')).toContain('does not exist: /nowhere');
  });
});

test('several things that are wrong are told at once', () => {
  const env = {
    SVC_DATABASE_URL: 'postgresql://h/db?sslmode=nonsense',
    SVC_RATE_LIMIT_STORE_URL: 'redis://h?nonsense=1',
  };
  expect(problemOf({ env }).split('\n')).toHaveLength(2);
});
