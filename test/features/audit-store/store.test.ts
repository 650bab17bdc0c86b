import { expect, test } from 'vitest';
import { createAuditStore } from '../../../src/features/audit-store/store.ts';
import type { StoredAuditRecord } from '../../../src/features/audit-store/table.ts';
import type { AuditRecord } from '../../../src/observability/audit.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const record = (fields: Partial<AuditRecord>): AuditRecord => ({
  at: '2040-01-02T03:04:05.678Z',
  ...{ act: 'login', outcome: 'refused', reason: 'invalid_credentials', by: 'self' },
  ...{ actor: null, subject: null, changes: null, address_hash: null, ip: '192.0.2.1', request_id: null },
  ...fields,
});

function open(add: (row: StoredAuditRecord) => Promise<void>) {
  const { store } = createAuditStore({ add, logger: silent });
  return (fields: Partial<AuditRecord> = {}) => store(record(fields), undefined);
}

test('refusals are equal by operation, code, subject, client and minute, and only without a session', async () => {
  const rows: StoredAuditRecord[] = [];
  const store = open(async row => void rows.push(row));
  const foldOf = async (fields: Partial<AuditRecord> = {}) => {
    await store(fields);
    return rows.at(-1)!.fold;
  };
  const usual = await foldOf();
  expect(usual).toMatch(/^[\w-]{43}$/);
  for (const same of [{}, { at: '2040-01-02T03:04:59.999Z' }, { request_id: 'another' }])
    expect(await foldOf(same)).toBe(usual);
  const others: Partial<AuditRecord>[] = [
    ...[{ act: 'verify' }, { reason: 'account_locked' }, { subject: 'ada' }, { ip: '192.0.2.2' }],
    ...[{ at: '2040-01-02T03:05:00.000Z' }, { outcome: 'failed' as const }, { ip: null }],
  ];
  const folds = [];
  for (const other of others) folds.push(await foldOf(other));
  expect(new Set([usual, ...folds]).size).toBe(others.length + 1);
  expect(await foldOf({ ip: '2001:db8::1' })).toBe(await foldOf({ ip: '2001:db8::2' }));
  for (const own of [{ actor: 'ada' }, { outcome: 'ok' as const }, { by: 'cli' as const }])
    expect(await foldOf(own)).toBeNull();
});

test('an address is stored, and what is none is not', async () => {
  const rows: StoredAuditRecord[] = [];
  const store = open(async row => void rows.push(row));
  for (const ip of ['192.0.2.1', '2001:db8::1', 'planted text', null]) await store({ ip });
  expect(rows.map(({ ip }) => ip)).toEqual(['192.0.2.1', '2001:db8::1', null, null]);
});

test('equal refusals at once are two writes, the second for all that came during the first', async () => {
  const rows: StoredAuditRecord[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const store = open(async row => {
    rows.push(row);
    await promise;
  });
  const flood = Array.from({ length: 100 }, () => store());
  const other = store({ reason: 'account_locked' });
  resolve();
  expect(new Set(await Promise.all([...flood, other]))).toEqual(new Set([true]));
  expect(rows.map(({ count }) => count)).toEqual([1, 1, 99]);
  await store();
  expect(rows.at(-1)!.count).toBe(1);
});

test('a write that fails is told to each that waited for it, and the next one is tried again', async () => {
  let isDown = true;
  const counts: number[] = [];
  const store = open(async ({ count }) => {
    if (isDown) throw new Error('down');
    counts.push(count);
  });
  expect(await Promise.all([store(), store(), store()])).toEqual([false, false, false]);
  isDown = false;
  expect(await store()).toBe(true);
  expect(counts).toEqual([1]);
});
