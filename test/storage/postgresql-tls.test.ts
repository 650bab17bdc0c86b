import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { StorageError } from '../../src/storage/errors.ts';
import { openStorage } from '../../src/storage/open.ts';
import type { Transport } from '../../src/storage/transport.ts';
import { executeOnPostgres } from '../support/admin.ts';
import { createAuthority, writeFiles } from '../support/certificates.ts';
import { isMissing } from '../support/needed.ts';
import { type ServerHandle, startPostgres } from '../support/servers.ts';
import { storageOptions } from '../support/storage.ts';

const unencrypted = 'not encrypted';
const unverified = 'encrypted';
const issuer = 'encrypted, issuer verified';
const full = 'encrypted, issuer and name verified';

const inWords = ({ isEncrypted, verifies }: Transport) => {
  if (!isEncrypted) return unencrypted;
  if (verifies.name) return full;
  return verifies.issuer ? issuer : unverified;
};

/** How a connection by this URL is protected, or the one line with which it is refused. */
async function connect(url: string): Promise<string> {
  const storage = await openStorage(parseDatabaseUrl(url, 'svc'), storageOptions());
  try {
    const { transport } = await storage.describeConnection();
    return inWords(transport!);
  } catch (error) {
    const { cause } = error as Error;
    expect(cause).toBeInstanceOf(StorageError);
    expect((cause as Error).message).toMatch(/^[^\n]+\.$/);
    return (cause as Error).message;
  } finally {
    await storage.close();
  }
}

describe.skipIf(isMissing('postgresql'))('a connection to PostgreSQL', () => {
  // Two servers of one authority: one certificate is for the address too, the other only for the name.
  let byAddress: ServerHandle;
  let byName: ServerHandle;
  let withoutTls: ServerHandle;
  let files: Record<'ca' | 'stranger' | 'cert' | 'key', string>;
  beforeAll(async () => {
    const [authority, stranger] = await Promise.all([createAuthority(), createAuthority('Stranger')]);
    const [address, name, client] = await Promise.all([
      authority.sign(['localhost', '127.0.0.1']),
      authority.sign(['localhost']),
      authority.sign(['by_certificate']),
    ]);
    files = await writeFiles({ ca: authority.cert, stranger: stranger.cert, ...client });
    const access = [
      'hostssl all tls_only all scram-sha-256',
      'hostnossl all clear_only all scram-sha-256',
      'hostssl all by_certificate all cert',
      'host all postgres all scram-sha-256',
    ];
    [byAddress, byName, withoutTls] = await Promise.all([
      startPostgres({ tls: { ...address, clientAuthority: authority.cert }, access }),
      startPostgres({ tls: { ...name, clientAuthority: authority.cert } }),
      startPostgres(),
    ]);
    for (const role of ['tls_only', 'clear_only', 'by_certificate'])
      await executeOnPostgres(byAddress.url, `create role ${role} login password 'hunter2'`);
  });
  afterAll(() => Promise.all([byAddress, byName, withoutTls].map(server => server?.close())));

  /** The URL of a server with a host and parameters of the test's own. */
  function at(server: ServerHandle, query: string, { host = '127.0.0.1', user = '' } = {}): string {
    const url = new URL(server.url);
    url.hostname = host;
    if (user) Object.assign(url, { username: user, password: 'hunter2' });
    return `${url.href}?${query}`;
  }
  const trusting = (query: string) => `${query}&sslrootcert=${files.ca}`;

  test.each([
    ['', unencrypted],
    ['sslmode=disable', unencrypted],
    ['sslmode=allow', unencrypted],
    ['sslmode=prefer', unverified],
    ['sslmode=require', unverified],
  ])('with %j is as libpq has it, and the server sees the same', async (query, expected) => {
    const url = at(byAddress, query);
    expect(await connect(url)).toBe(expected);
    const storage = await openStorage(parseDatabaseUrl(url, 'svc'), storageOptions());
    const { store } = await storage.openCounters();
    const { query: ask } = store.client as { query(statement: object): Promise<{ rows: object[] }> };
    const sql = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()';
    expect((await ask({ text: sql, values: [] })).rows).toEqual([{ ssl: expected !== unencrypted }]);
    await storage.close();
  });

  test.each(['require', 'verify-ca'])(
    'with sslmode=%s and an authority takes its servers only',
    async mode => {
      expect(await connect(at(byAddress, trusting(`sslmode=${mode}`)))).toBe(issuer);
      expect(await connect(at(byName, trusting(`sslmode=${mode}`)))).toBe(issuer);
      expect(await connect(at(byName, `sslmode=${mode}&sslrootcert=${files.stranger}`))).toMatch(
        /^The TLS connection to PostgreSQL at 127\.0\.0\.1:\d+ failed: its certificate is not signed by a trusted authority/,
      );
    },
  );

  test('with sslmode=verify-full compares the certificate with the host, an address too', async () => {
    const query = trusting('sslmode=verify-full');
    expect(await connect(at(byName, query, { host: 'localhost' }))).toBe(full);
    expect(await connect(at(byAddress, query, { host: 'localhost' }))).toBe(full);
    expect(await connect(at(byAddress, query))).toBe(full);
    // The driver alone would compare with "localhost" here, and be content.
    expect(await connect(at(byName, query))).toMatch(/its certificate is for another name/);
    expect(await connect(at(byAddress, query, { host: '0.0.0.0' }))).toMatch(/another name/);
  });

  test.each(['sslmode=verify-full', 'sslmode=verify-full&sslrootcert=system'])(
    'with %j trusts the authorities that everybody trusts, and not that of a test',
    async query => {
      expect(await connect(at(byAddress, query))).toMatch(/not signed by a trusted authority/);
    },
  );

  test('to another machine is encrypted where the server can, unless the URL says otherwise', async () => {
    // An address that leads to this machine and does not say so.
    const elsewhere = { host: '0.0.0.0' };
    expect(await connect(at(byAddress, '', elsewhere))).toBe(unverified);
    expect(await connect(at(withoutTls, '', elsewhere))).toBe(unencrypted);
    expect(await connect(at(byAddress, 'sslmode=disable', elsewhere))).toBe(unencrypted);
  });

  test('that must be encrypted is refused where the server can’t', async () => {
    expect(await connect(at(withoutTls, 'sslmode=require'))).toMatch(
      /^PostgreSQL at 127\.0\.0\.1:\d+ does not support TLS, and sslmode in database_url requires it\./,
    );
    expect(await connect(at(withoutTls, 'sslmode=prefer'))).toBe(unencrypted);
    expect(await connect(at(withoutTls, 'sslmode=allow'))).toBe(unencrypted);
  });

  test('to a server that insists on TLS is encrypted, or the refusal says what it wants', async () => {
    const user = { user: 'tls_only' };
    for (const query of ['', 'sslmode=disable']) {
      expect(await connect(at(byAddress, query, user))).toMatch(
        /^PostgreSQL at \S+ rejects unencrypted connections, so it may require TLS: add sslmode=verify-full/,
      );
    }
    for (const mode of ['allow', 'prefer', 'require'])
      expect(await connect(at(byAddress, `sslmode=${mode}`, user))).toBe(unverified);
  });

  test('to a server that takes no TLS of this user falls back, unless it must be encrypted', async () => {
    const user = { user: 'clear_only' };
    expect(await connect(at(byAddress, 'sslmode=prefer', user))).toBe(unencrypted);
    expect(await connect(at(byAddress, 'sslmode=require', user))).toMatch(
      /does not allow "clear_only" to connect to "postgres" from here\. Its pg_hba\.conf has no line/,
    );
  });

  test('shows its own certificate, and says so where one is wanted', async () => {
    const user = { user: 'by_certificate' };
    const query = trusting('sslmode=verify-full');
    expect(await connect(at(byAddress, `${query}&sslcert=${files.cert}&sslkey=${files.key}`, user))).toBe(
      full,
    );
    expect(await connect(at(byAddress, query, user))).toMatch(/client certificate \(sslcert and sslkey\)/);
  });

  test('with the wrong password is not tried in the clear', async () => {
    // The password has been asked for by the server itself: a second try would only show it to more people.
    const url = at(byAddress, 'sslmode=prefer', { user: 'tls_only' }).replace('hunter2', 'wrong');
    expect(await connect(url)).toMatch(/rejects the credentials of "tls_only"\. Check user and password/);
  });

  test('carries the name of the application and its options', async () => {
    const url = at(byAddress, 'application_name=acme&options=-c%20search_path%3Delsewhere');
    const storage = await openStorage(parseDatabaseUrl(url, 'svc'), storageOptions());
    const { store } = await storage.openCounters();
    const { query } = store.client as { query(statement: object): Promise<{ rows: object[] }> };
    const text = `select current_setting('application_name') as name, current_setting('search_path') as path`;
    expect((await query({ text, values: [] })).rows).toEqual([{ name: 'acme', path: 'elsewhere' }]);
    await storage.close();
  });
});
