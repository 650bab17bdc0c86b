import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { StorageError } from '../../src/storage/errors.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createAuthority, writeFiles } from '../support/certificates.ts';
import { isMissing } from '../support/needed.ts';
import { type ServerHandle, startMongo } from '../support/servers.ts';
import { storageOptions } from '../support/storage.ts';

const full = { isLocal: true, isEncrypted: true, verifies: { issuer: true, name: true } };

describe.skipIf(isMissing('mongodb'))('a connection to MongoDB', () => {
  let byAddress: ServerHandle;
  let byName: ServerHandle;
  let plain: ServerHandle;
  let files: Record<'ca' | 'stranger' | 'client', string>;
  beforeAll(async () => {
    const [authority, stranger] = await Promise.all([createAuthority(), createAuthority('Stranger')]);
    const [address, name, client] = await Promise.all([
      authority.sign(['localhost', '127.0.0.1']),
      authority.sign(['localhost']),
      authority.sign(['client']),
    ]);
    files = await writeFiles({
      ...{ ca: authority.cert, stranger: stranger.cert, client: client.cert + client.key },
    });
    [byAddress, byName, plain] = await Promise.all([
      startMongo({ tls: { ...address, clientAuthority: authority.cert } }),
      startMongo({ tls: { ...name, clientAuthority: authority.cert } }),
      startMongo(),
    ]);
  });
  afterAll(() => Promise.all([byAddress, byName, plain].map(server => server?.close())));

  /** How a connection is protected, or the one line with which it is refused. */
  async function connect(server: ServerHandle, query: string, host = '127.0.0.1') {
    const url = `${server.url.replace('127.0.0.1', host)}svc?${query}`;
    const storage = await openStorage(parseDatabaseUrl(url, 'svc'), storageOptions());
    try {
      return (await storage.describeConnection()).transport;
    } catch (error) {
      const { cause } = error as Error;
      expect(cause).toBeInstanceOf(StorageError);
      expect((cause as Error).message).toMatch(/^[^\n]+\.$/);
      return (cause as Error).message;
    } finally {
      await storage.close();
    }
  }

  test('is encrypted and verified with tls=true, by the host it has', async () => {
    const query = `tls=true&tlsCAFile=${files.ca}`;
    expect(await connect(byAddress, query)).toEqual(full);
    expect(await connect(byAddress, query, 'localhost')).toEqual(full);
    expect(await connect(byName, query, 'localhost')).toEqual(full);
    expect(await connect(byName, query)).toMatch(
      /^The TLS connection to MongoDB at 127\.0\.0\.1:\d+ failed: its certificate is for another name/,
    );
  });

  test('trusts whom it is told to trust', async () => {
    expect(await connect(byAddress, `tls=true&tlsCAFile=${files.stranger}`)).toMatch(
      /its certificate is not signed by a trusted authority/,
    );
    expect(await connect(byAddress, 'tls=true')).toMatch(/not signed by a trusted authority/);
  });

  test('says what of it was not verified', async () => {
    const verifies = (issuer: boolean) => ({ ...full, verifies: { issuer, name: false } });
    const trusting = `tls=true&tlsCAFile=${files.ca}`;
    expect(await connect(byName, `${trusting}&tlsAllowInvalidHostnames=true`)).toEqual(verifies(true));
    expect(await connect(byName, 'tls=true&tlsAllowInvalidCertificates=true')).toEqual(verifies(false));
    expect(await connect(byName, 'tls=true&tlsInsecure=true')).toEqual(verifies(false));
    expect(await connect(plain, '')).toEqual({ ...verifies(false), isEncrypted: false });
  });

  test('shows its own certificate', async () => {
    const own = `tls=true&tlsCAFile=${files.ca}&tlsCertificateKeyFile=${files.client}`;
    expect(await connect(byAddress, own)).toEqual(full);
  });

  test('that is not encrypted is refused by a server that insists on it, and the line says so', async () => {
    expect(await connect(byAddress, '')).toMatch(
      /^MongoDB at 127\.0\.0\.1:\d+ closes the connection without a reply, so it may require TLS: add tls=true/,
    );
  });

  test('that must be encrypted is refused where the server does not encrypt', async () => {
    expect(await connect(plain, `tls=true&tlsCAFile=${files.ca}`)).toMatch(
      /^(The TLS connection to|MongoDB at) .*127\.0\.0\.1/,
    );
  });

  test.each([
    ['retryWrites=perhaps', 'retryWrites must be either "true" or "false"'],
    ['minPoolSize=many', 'minPoolSize'],
    ['replicaSet=a&loadBalanced=true', 'loadBalanced'],
  ])('that the driver can’t make of %s is refused when it is opened', async (query, said) => {
    const url = parseDatabaseUrl(`mongodb://ada:hunter2@127.0.0.1/svc?${query}`, 'svc');
    const refusal = await Promise.resolve(openStorage(url, storageOptions())).catch(error => error as Error);
    expect(refusal).toBeInstanceOf(StorageError);
    expect((refusal as Error).message).toContain(said);
    expect((refusal as Error).message).not.toContain('hunter2');
  });
});
