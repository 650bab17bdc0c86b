import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { newUser } from '../../src/domain/new-user.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { executeOnPostgres } from '../support/admin.ts';
import { isMissing } from '../support/needed.ts';
import { freePort } from '../support/server-process.ts';
import { type ServerHandle, startPostgres } from '../support/servers.ts';
import { storageOptions } from '../support/storage.ts';

const portOf = (server: ServerHandle) => Number(new URL(server.url).port);
const access = ['host all all all trust'];

/** The longest wait for an event on a loaded machine. */
const patience = { timeout: 20_000 };

describe.skipIf(isMissing('postgresql'))('of several PostgreSQL servers', () => {
  let primary: number;
  let standby: number;
  /** Takes no writes, and is no standby. */
  let readOnly: number;
  /** Nothing listens there. */
  let nobody: number;
  /** Takes connections, and says nothing. */
  let mute: number;
  const closers: (() => unknown)[] = [];

  beforeAll(async () => {
    const servers = await Promise.all([
      startPostgres({ access }),
      startPostgres({ access, standby: true }),
      startPostgres({ access }),
    ]);
    closers.push(...servers.map(server => () => server.close()));
    [primary, standby, readOnly] = servers.map(portOf) as [number, number, number];
    await writeRule(servers[2]!.url, 'off');
    nobody = await freePort();
    const silent = await listen();
    closers.push(() => silent.close());
    mute = (silent.address() as AddressInfo).port;
  });
  afterAll(() => Promise.all(closers.map(close => close())));

  async function listen(): Promise<Server> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return server;
  }

  /** Has a server take writes, or no longer. */
  async function writeRule(url: string, writes: 'on' | 'off'): Promise<void> {
    const readOnlyNow = writes === 'off' ? 'on' : 'off';
    await executeOnPostgres(url, `alter system set default_transaction_read_only = ${readOnlyNow}`);
    await executeOnPostgres(url, 'select pg_reload_conf()');
    const sql = 'select current_setting($$default_transaction_read_only$$) as it';
    await vi.waitFor(
      async () => expect(await executeOnPostgres(url, sql)).toEqual([{ it: readOnlyNow }]),
      patience,
    );
  }

  const urlOf = (ports: number[], query = '') =>
    `postgresql://postgres@${ports.map(port => `127.0.0.1:${port}`).join(',')}/postgres?${query}`;
  const open = (url: string) => openStorage(parseDatabaseUrl(url, 'svc'), storageOptions());

  /** The port of the server that is used now, or the reason why there is none. */
  async function chosenBy(storage: Storage): Promise<number | string> {
    const { store, run } = await storage.openCounters();
    const { query } = store.client as { query(s: object): Promise<{ rows: { port: number }[] }> };
    try {
      const { rows } = await run(() => query({ text: 'select inet_server_port() as port', values: [] }));
      return rows[0]!.port;
    } catch (error) {
      return ((error as Error).cause as Error).message;
    }
  }
  async function chosen(ports: number[], target?: string): Promise<number | string> {
    const storage = await open(urlOf(ports, target && `target_session_attrs=${target}`));
    try {
      return await chosenBy(storage);
    } finally {
      await storage.close();
    }
  }

  test('the first is taken, unless the URL asks for another kind', async () => {
    expect(await chosen([standby, primary])).toBe(standby);
    expect(await chosen([standby, primary], 'any')).toBe(standby);
    expect(await chosen([standby, readOnly, primary], 'read-write')).toBe(primary);
    expect(await chosen([standby, readOnly, primary], 'primary')).toBe(readOnly);
    expect(await chosen([primary, readOnly, standby], 'read-only')).toBe(readOnly);
    expect(await chosen([primary, readOnly, standby], 'standby')).toBe(standby);
    expect(await chosen([primary, standby], 'prefer-standby')).toBe(standby);
    expect(await chosen([primary, nobody], 'prefer-standby')).toBe(primary);
  });

  test('those that are not chosen keep no connection of ours', async () => {
    const storage = await open(urlOf([standby, readOnly], 'target_session_attrs=read-write'));
    for (let i = 0; i < 3; i++) expect(await chosenBy(storage)).toMatch(/^None of the PostgreSQL servers/);
    const sql = `select pid from pg_stat_activity where application_name = 'gatehouse'`;
    for (const port of [standby, readOnly])
      await expect.poll(() => executeOnPostgres(urlOf([port]), sql), patience).toEqual([]);
    await storage.close();
  });

  // The others mostly wait, and write to servers of their own.
  test.concurrent('those that are away are passed over', async ({ expect }) => {
    expect(await chosen([nobody, primary])).toBe(primary);
    expect(await chosen([mute, primary])).toBe(primary);
    expect(await chosen([mute, nobody, standby, primary], 'read-write')).toBe(primary);
  });

  test.concurrent('where none will do, one line says of each why', async ({ expect }) => {
    expect(await chosen([nobody, standby], 'read-write')).toBe(
      `None of the PostgreSQL servers can be used: 127.0.0.1:${nobody} is unreachable (ECONNREFUSED); 127.0.0.1:${standby} is read-only, because it is a standby.`,
    );
    expect(await chosen([standby], 'primary')).toBe(
      `PostgreSQL at 127.0.0.1:${standby} is a standby, and database_url asks for target_session_attrs=primary.`,
    );
  });

  test.concurrent('one that no longer takes writes is left for one that does', async ({ expect }) => {
    // A failover: the former primary goes on answering reads, as many of our connections lead there as before.
    const [former, next] = await Promise.all([startPostgres({ access }), startPostgres({ access })]);
    const ports = [portOf(former), portOf(next)];
    for (const server of [former, next]) {
      const storage = await open(urlOf([portOf(server)]));
      await storage.install();
      await storage.close();
    }
    const storage = await open(urlOf(ports, 'target_session_attrs=read-write'));
    const add = (email: string) =>
      storage.repositories.users.add(
        newUser(new Date(), { email, fullName: null, hashedPassword: null, isVerified: true }),
      );
    expect(await add('ada@example.org')).toBe(true);
    expect(await chosenBy(storage)).toBe(ports[0]);

    await writeRule(former.url, 'off');
    const refused = () => add('bob@example.org').then(String, error => error.code as string);
    await expect.poll(refused, patience).toBe('unavailable');
    // Each connection that was refused a write is given up.
    await expect.poll(() => chosenBy(storage), patience).toBe(ports[1]);
    expect(await add('eve@example.org')).toBe(true);

    await storage.close();
    await Promise.all([former.close(), next.close()]);
  });

  test.concurrent('one that hangs is left for good by the first request that fails, with every connection to it', async ({
    expect,
  }) => {
    const [former, next] = await Promise.all([startPostgres({ access }), startPostgres({ access })]);
    const ports = [portOf(former), portOf(next)];
    const storage = await open(urlOf(ports, 'target_session_attrs=read-write'));
    const chosenByTen = () => Promise.all(Array.from({ length: 10 }, () => chosenBy(storage)));
    expect(new Set(await chosenByTen())).toEqual(new Set([ports[0]]));
    former.pause();
    expect(await chosenBy(storage)).toMatch(/did not respond in time|is unreachable/);
    await expect.poll(() => chosenBy(storage), { ...patience, interval: 0 }).toBe(ports[1]);
    // It wakes up, and does not know that another has taken its place.
    former.resume();
    expect(new Set(await chosenByTen())).toEqual(new Set([ports[1]]));
    await storage.close();
    await Promise.all([former.close(), next.close()]);
  });

  test.concurrent('svc validate is told what a failover, or a crash, can undo', async ({ expect }) => {
    const remarks = async (query: string, ports = [primary, standby]) => {
      const storage = await open(urlOf(ports, query));
      const texts = (await storage.listRemarks()).map(({ text }) => text);
      await storage.close();
      return texts;
    };
    const undone = expect.stringMatching(/^commits do not wait for a standby/);
    expect(await remarks('')).toEqual([expect.stringContaining('target_session_attrs=any'), undone]);
    expect(await remarks('target_session_attrs=read-write')).toEqual([undone]);
    const own = urlOf([primary]);
    await executeOnPostgres(own, `alter system set synchronous_standby_names = '*'`);
    await executeOnPostgres(own, 'select pg_reload_conf()');
    await expect.poll(() => remarks('target_session_attrs=read-write'), patience).toEqual([]);
    await executeOnPostgres(own, 'alter system reset synchronous_standby_names');
    await executeOnPostgres(own, 'select pg_reload_conf()');
    expect(await remarks('options=-c%20synchronous_commit=off', [primary])).toEqual([
      expect.stringMatching(/^synchronous_commit is off/),
    ]);
    expect(await remarks('', [primary])).toEqual([]);
  });

  test.concurrent('connect_timeout bounds what each may take', async ({ expect }) => {
    // Without it an installation gives each five seconds.
    const storages = await Promise.all(['connect_timeout=1', ''].map(query => open(urlOf([mute], query))));
    const refusals = storages.map(async (storage, i) => {
      await expect(storage.install()).rejects.toThrow(/is unreachable \(no response in time\)/);
      return i;
    });
    expect(await Promise.race(refusals)).toBe(0);
    await Promise.all(refusals);
    await Promise.all(storages.map(storage => storage.close()));
  });
});
