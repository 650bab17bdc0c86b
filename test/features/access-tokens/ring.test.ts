import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../../src/config/database-url.ts';
import { createDataEncryption } from '../../../src/crypto/data-key.ts';
import { isSigned, openPublic, signText, thumbprintOf } from '../../../src/features/access-tokens/keys.ts';
import { createRing } from '../../../src/features/access-tokens/ring.ts';
import type { TokenSettings } from '../../../src/features/access-tokens/settings.ts';
import { retiredMs } from '../../../src/features/access-tokens/table.ts';
import type { Logger } from '../../../src/logger.ts';
import { openStorage, type Storage } from '../../../src/storage/open.ts';
import { describeEachDriver, type TestDatabase } from '../../support/backends.ts';
import { storageOptions } from '../../support/storage.ts';

// The keys that sign access tokens (CONTRACT §16.2).

const dayMs = 86_400_000;
const leadMs = 1_200_000;
const dataKey = () => randomBytes(32).toString('base64url');
const silent = { debug() {}, info() {}, warn() {}, error() {} };

describe('a thumbprint', () => {
  test('is that of RFC 7638 §3.1 for RSA', () => {
    const n =
      '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw';
    expect(thumbprintOf({ kty: 'RSA', n, e: 'AQAB' })).toBe('NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs');
  });

  test('is that of RFC 8037 A.3 for Ed25519', () => {
    const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
    expect(thumbprintOf({ kty: 'OKP', crv: 'Ed25519', x })).toBe(
      'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
    );
  });
});

describeEachDriver('the ring', backend => {
  let database: TestDatabase;
  let storage: Storage;
  beforeAll(async () => {
    database = await backend.lendDatabase();
    storage = await openStorage(parseDatabaseUrl(database.url, 'gatehouse'), storageOptions());
    await storage.install();
  });
  afterAll(async () => {
    await storage?.close();
    await database?.drop();
  });

  /** Clocks that the processes of one test share. */
  function createTime() {
    let at = Date.now();
    return {
      clock: { now: () => new Date(at) },
      databaseNow: async () => new Date(at),
      monotonic: () => at,
      advance: (ms: number) => {
        at += ms;
      },
    };
  }

  interface Process {
    time?: ReturnType<typeof createTime>;
    key?: string;
    previousKey?: string;
    settings?: Partial<TokenSettings>;
    rows?: Storage['repositories']['signing_keys'];
    logger?: Logger;
  }

  const settings: TokenSettings = {
    enableTokens: true,
    signingAlgorithms: ['ES256'],
    signingKeyRotationDays: 90,
    signingKeyLeadSeconds: leadMs / 1000,
    accessTokenTtlSeconds: 300,
  };
  const presentKey = dataKey();

  function start({ time = createTime(), key = presentKey, previousKey, ...given }: Process = {}) {
    const { rows = storage.repositories.signing_keys, logger = silent } = given;
    return createRing({
      ...{ config: { ...settings, ...given.settings }, rows, logger },
      ...{ encryption: createDataEncryption(key, previousKey), ...time },
    });
  }

  /** A new ring, whatever there was. */
  async function fresh(given: Process = {}) {
    const ring = start(given);
    await ring.reset();
    return ring;
  }
  const states = async (ring: ReturnType<typeof start>) =>
    (await ring.keys()).map(({ algorithm, state }) => `${algorithm} ${state}`);
  const kids = async (ring: ReturnType<typeof start>) => (await ring.keys()).map(({ kid }) => kid);

  test('of two processes that start at once is one', async () => {
    const rings = [start(), start()];
    await Promise.all(rings.map(ring => ring.open()));
    const [a, b] = await Promise.all(rings.map(kids));
    expect(a).toEqual(b);
    expect(a).toHaveLength(2);
    expect((await rings[0]!.current('ES256')).kid).toBe((await rings[1]!.current('ES256')).kid);
  });

  test.each(['ES256', 'RS256', 'EdDSA'] as const)(
    'signs by %s with keys that are stored encrypted',
    async name => {
      const ring = await fresh({ settings: { signingAlgorithms: [name] } });
      const { privateKey, kid, publicJwk } = await ring.current(name);
      expect(kid).toBe(thumbprintOf(publicJwk));
      const signature = Buffer.from(signText(name, privateKey, 'text'), 'base64url');
      expect(isSigned(name, openPublic(publicJwk), 'text', signature)).toBe(true);
      expect(isSigned(name, openPublic(publicJwk), 'texts', signature)).toBe(false);
      const stored = JSON.stringify(await storage.repositories.signing_keys.list());
      const { d, p } = privateKey.export({ format: 'jwk' });
      for (const secret of [d, p].filter(text => text !== undefined)) expect(stored).not.toContain(secret);
    },
  );

  test('reads a key of another process at once when a token names it, at most each second', async () => {
    const time = createTime();
    let reads = 0;
    const rows = storage.repositories.signing_keys;
    const counted = {
      ...rows,
      list() {
        reads += 1;
        return rows.list();
      },
    };
    const mine = await fresh({ time });
    const other = start({ time, rows: counted });
    await other.keys();
    await mine.rotate(['ES256'], { force: true });
    await mine.rotate(['ES256'], { force: true });
    const { kid } = await mine.current('ES256');
    expect(await other.find(kid)).toMatchObject({ kid, state: 'current' });
    const before = reads;
    for (let i = 0; i < 1000; i++) expect(await other.find(`unknown ${i}`)).toBeNull();
    expect(reads).toBe(before);
    time.advance(1000);
    await Promise.all([other.find('a'), other.find('b')]);
    expect(reads).toBe(before + 1);
  });

  test('is read once for all tokens of a new key at a time, and while it cannot be read, none of them is unknown', async () => {
    const time = createTime();
    const rows = storage.repositories.signing_keys;
    let gate: Promise<void> = Promise.resolve();
    let reads = 0;
    const held: typeof rows = {
      ...rows,
      async list() {
        reads++;
        await gate;
        return rows.list();
      },
    };
    const mine = await fresh({ time });
    const other = start({ time, rows: held });
    await other.keys();
    await mine.rotate(['ES256'], { force: true });
    await mine.rotate(['ES256'], { force: true });
    const { kid } = await mine.current('ES256');
    const away = Promise.withResolvers<void>();
    gate = away.promise;
    const failing = Promise.allSettled([other.find(kid), other.find(kid)]);
    away.reject(new Error('the database is down'));
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    reads = 0;
    await expect(other.find(kid)).rejects.toThrow('the database is down');
    expect(reads).toBe(0);
    time.advance(1000);
    const back = Promise.withResolvers<void>();
    gate = back.promise;
    const found = Promise.all([other.find(kid), other.find(kid), other.find('unknown')]);
    back.resolve();
    expect(await found).toMatchObject([{ kid }, { kid }, null]);
    expect(await other.find('unknown')).toBeNull();
    expect(reads).toBe(1);
  });

  test('signs with a key at once that it promoted itself, while a former read was under way', async () => {
    const rows = storage.repositories.signing_keys;
    let written = Promise.withResolvers<void>();
    written.resolve();
    const held: typeof rows = {
      ...rows,
      async list() {
        const found = await rows.list();
        await written.promise;
        return found;
      },
      async change(...given) {
        const isChanged = await rows.change(...given);
        // The former read ends after the next one was asked for.
        setImmediate(written.resolve);
        return isChanged;
      },
    };
    const time = createTime();
    const ring = await fresh({ time, rows: held });
    const former = await ring.current('ES256');
    written = Promise.withResolvers();
    time.advance(30_000);
    const before = ring.keys();
    await ring.rotate(['ES256'], { force: true });
    await before;
    expect((await ring.current('ES256')).kid).not.toBe(former.kid);
  });

  test('signs with a key that another process promoted within 30 seconds', async () => {
    const time = createTime();
    const mine = await fresh({ time });
    const other = start({ time });
    const former = await other.current('ES256');
    time.advance(leadMs);
    await mine.rotate(['ES256']);
    const { kid } = await mine.current('ES256');
    await other.keys();
    time.advance(30_000);
    expect((await other.current('ES256')).kid).toBe(kid);
    expect(kid).not.toBe(former.kid);
    expect(await other.find(former.kid)).toMatchObject({ state: 'retired', privateKey: null });
  });

  test('promotes no key that verifiers may not know, unless it is forced', async () => {
    const time = createTime();
    const ring = await fresh({ time });
    const [, next] = await kids(ring);
    time.advance(leadMs - 1500);
    await expect(ring.rotate(['ES256'])).rejects.toMatchObject({
      ...{ code: 'key_not_published', retryAfterSeconds: 2 },
    });
    await ring.rotate(['ES256'], { force: true });
    expect((await ring.current('ES256')).kid).toBe(next);
    expect(await states(ring)).toEqual(['ES256 current', 'ES256 next', 'ES256 retired']);
  });

  test('is rotated with the others or not at all', async () => {
    const time = createTime();
    await fresh({ time });
    const ring = start({ time, settings: { signingAlgorithms: ['ES256', 'RS256'] } });
    time.advance(leadMs);
    await ring.open();
    const before = await states(ring);
    await expect(ring.rotate(['ES256', 'RS256'])).rejects.toMatchObject({ code: 'key_not_published' });
    expect(await states(ring)).toEqual(before);
    time.advance(leadMs);
    await ring.rotate(['ES256', 'RS256']);
    const each = (name: string) => ['current', 'next', 'retired'].map(state => `${name} ${state}`);
    expect(await states(ring)).toEqual([...each('ES256'), ...each('RS256')]);
  });

  test('is rotated once by processes that do it at once', async () => {
    const time = createTime();
    const first = await fresh({ time });
    const rings = [first, start({ time }), start({ time })];
    time.advance(leadMs);
    const results = await Promise.allSettled(rings.map(ring => ring.rotate(['ES256'])));
    expect(results.map(result => result.status)).toContain('fulfilled');
    const reasons = results.flatMap(result => (result.status === 'rejected' ? [result.reason.code] : []));
    expect(reasons.filter(code => code !== 'key_not_published')).toEqual([]);
    expect(await states(first)).toEqual(['ES256 current', 'ES256 next', 'ES256 retired']);
  });

  test.each([
    [false, 0],
    [false, 44],
    [true, 0],
  ])(
    'is rotated by two processes without a token that a verifier refuses, unless it is forced (%s, %i)',
    async (force, offset) => {
      const time = createTime();
      const given: Process = { time, settings: { signingKeyLeadSeconds: 60, signingKeyRotationDays: 0 } };
      const [first, second] = [await fresh(given), start(given)];
      await second.open();
      const processes = [first, second];
      // A verifier that renews its keys by their age alone, every 45 seconds, and never because of an unknown one.
      let known: string[] = [];
      let refused = 0;
      let rotations = 0;
      let rotatedAt = 0;
      for (let second = 0; second <= 300; second++) {
        // Each turn asks another process, and every process answers others meanwhile.
        const [asked, other] = second % 2 === 0 ? processes : processes.toReversed();
        if (second === 0 || second % 45 === offset) known = (await asked!.published()).map(({ kid }) => kid);
        if (second > 0 && (force ? second % 70 === 0 : second - rotatedAt > 60) && rotations < 3) {
          await other!.rotate(['ES256'], { force });
          if (force) await other!.rotate(['ES256'], { force });
          rotatedAt = second;
          rotations++;
        }
        for (const ring of processes) if (!known.includes((await ring.current('ES256')).kid)) refused++;
        time.advance(1000);
      }
      expect(rotations).toBe(3);
      expect(refused > 0).toBe(force);
    },
  );

  test('is rotated by its age, by the clocks of process and database both', async () => {
    const time = createTime();
    const ring = await fresh({ time });
    time.advance(90 * dayMs - 1);
    expect(await ring.rotateAged()).toEqual([]);
    const ahead = start({ time: { ...time, databaseNow: async () => new Date(time.monotonic() - dayMs) } });
    time.advance(1);
    expect(await ahead.rotateAged()).toEqual([]);
    expect(await start({ time, settings: { signingKeyRotationDays: 0 } }).rotateAged()).toEqual([]);
    expect(await ring.rotateAged()).toEqual(['ES256']);
    expect(await ring.rotateAged()).toEqual([]);
  });

  test('publishes a retired key for two hours, and the next write or the purge removes it', async () => {
    const time = createTime();
    const ring = await fresh({ time });
    await ring.rotate(['ES256'], { force: true });
    const rows = storage.repositories.signing_keys;
    expect(await rows.purge(new Date(time.monotonic() + retiredMs - 1))).toBe(0);
    expect(await rows.purge(new Date(time.monotonic() + retiredMs))).toBe(1);
    await ring.rotate(['ES256'], { force: true });
    time.advance(retiredMs);
    await ring.rotate(['ES256'], { force: true });
    expect(await states(ring)).toEqual(['ES256 current', 'ES256 next', 'ES256 retired']);
  });

  test('without a key has next sign whatever its age is, and refuses the removed one at once', async () => {
    const ring = await fresh();
    const [current, next] = await kids(ring);
    expect(await ring.remove(current!)).toBe('current');
    expect((await ring.current('ES256')).kid).toBe(next);
    expect(await ring.find(current!)).toBeNull();
    expect(await states(ring)).toEqual(['ES256 current', 'ES256 next']);
    expect(await ring.remove(current!)).toBeNull();
    expect(await ring.remove((await kids(ring))[1]!)).toBe('next');
    expect(await states(ring)).toEqual(['ES256 current', 'ES256 next']);
  });

  test('of an algorithm that is no longer listed signs nothing, and is made anew when it is listed again', async () => {
    const both = await fresh({ settings: { signingAlgorithms: ['ES256', 'EdDSA'] } });
    const { kid } = await both.current('EdDSA');
    const one = start();
    await one.open();
    expect(await states(one)).toEqual(['ES256 current', 'ES256 next', 'EdDSA retired', 'EdDSA retired']);
    expect(await one.find(kid)).toMatchObject({ state: 'retired', privateKey: null });
    const again = start({ settings: { signingAlgorithms: ['ES256', 'EdDSA'] } });
    await again.open();
    expect((await again.current('EdDSA')).kid).not.toBe(kid);
    await both.reset();
  });

  test('of an algorithm that is no longer listed is not rotated, so that it stays closed', async () => {
    const both = await fresh({ settings: { signingAlgorithms: ['ES256', 'EdDSA'] } });
    const one = start();
    await one.open();
    const before = await states(one);
    for (const force of [false, true])
      await expect(one.rotate(['ES256', 'EdDSA'], { force })).rejects.toMatchObject({
        code: 'invalid_input',
        errors: [{ path: 'algorithm', rule: 'option', params: { options: '"ES256"' } }],
      });
    expect(await states(one)).toEqual(before);
    await both.reset();
  });

  test('of an algorithm that a process of the former configuration opens again is closed by the upkeep, once in an hour', async () => {
    const time = createTime();
    const settings = { signingAlgorithms: ['ES256', 'EdDSA'] } satisfies Process['settings'];
    const former = await fresh({ time, settings });
    const present = start({ time, settings: { signingKeyRotationDays: 0 } });
    await present.open();
    time.advance(30_000);
    const { kid } = await former.current('EdDSA');
    time.advance(3_600_000 - 1);
    await present.rotateAged();
    expect((await former.current('EdDSA')).kid).toBe(kid);
    time.advance(1);
    await former.rotateAged();
    expect((await former.current('EdDSA')).kid).toBe(kid);
    await present.rotateAged();
    time.advance(30_000);
    expect(await present.find(kid)).toMatchObject({ state: 'retired', privateKey: null });
    expect(await states(present)).toEqual([
      ...['ES256 current', 'ES256 next'],
      ...Array(4).fill('EdDSA retired'),
    ]);
    await former.reset();
  });

  test('is encrypted again with a new data key, and one that does not open it fails the start with both remedies', async () => {
    const former = dataKey();
    const ring = await fresh({ key: former });
    const before = await kids(ring);
    const lost = start({ key: dataKey() });
    await expect(lost.open()).rejects.toThrow(/data_encryption_key_previous.*svc keys reset/);
    // Nor is a key added to it, with which neither data key would open all of them.
    for (const act of [
      () => lost.rotate(['ES256'], { force: true }),
      () => lost.remove(before[0]!),
      () => lost.remove(before[1]!),
    ])
      await expect(act()).rejects.toThrow(/cannot be decrypted/);
    const present = dataKey();
    await start({ key: present, previousKey: former }).open();
    const later = start({ key: present });
    await later.open();
    expect(await kids(later)).toEqual(before);
    await lost.reset();
    expect((await lost.current('ES256')).kid).not.toBe(before[0]);
  });

  test('is served from memory while the database is down, and unavailable where a process never had it', async () => {
    const time = createTime();
    await fresh({ time });
    let isDown = false;
    const { signing_keys: rows } = storage.repositories;
    const failing = {
      ...rows,
      list: () => (isDown ? Promise.reject(new Error('the database is down')) : rows.list()),
      find: (id: string) => (isDown ? Promise.reject(new Error('the database is down')) : rows.find(id)),
    };
    const ring = start({ time, rows: failing });
    const before = await kids(ring);
    isDown = true;
    time.advance(dayMs);
    expect(await kids(ring)).toEqual(before);
    expect((await ring.current('ES256')).kid).toBe(before[0]);
    await expect(start({ time, rows: failing }).keys()).rejects.toThrow('the database is down');
  });

  test('is read once in five seconds while the database is down, for all requests, and logged once for each read', async () => {
    const time = createTime();
    await fresh({ time });
    let isDown = false;
    let failed = 0;
    const { signing_keys: stored } = storage.repositories;
    const rows = {
      ...stored,
      async list() {
        if (!isDown) return stored.list();
        failed++;
        throw new Error('the database is down');
      },
    };
    const warnings: string[] = [];
    const warn = (_: object, message: string) => void warnings.push(message);
    const ring = start({ time, rows, logger: { ...silent, warn } });
    const before = await kids(ring);
    isDown = true;
    time.advance(30_000);
    const readAll = () => Promise.all([kids(ring), kids(ring), ring.published(), ring.find(before[0]!)]);
    for (const reads of [1, 2]) {
      expect((await readAll())[0]).toEqual(before);
      time.advance(4999);
      expect((await readAll())[0]).toEqual(before);
      expect(failed).toBe(reads);
      expect(warnings).toEqual(
        Array(reads).fill('the signing keys cannot be read, and those in memory are used'),
      );
      time.advance(1);
    }
    isDown = false;
    const other = start({ time });
    await other.rotate(['ES256'], { force: true });
    expect(await kids(ring)).toEqual(await kids(other));
  });
});
