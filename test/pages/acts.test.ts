import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withEveryFeature } from '../../scripts/write-schema.ts';
import { type OperationSpec, routeSpecsOf } from '../../src/domain/operation.ts';
import { looks } from '../../src/features/audit-store/selection.ts';
import type { Activity } from '../../static/types.d.ts';

/** A script of the pages, as browsers load it. */
const { hasWords, wordsForAct } = (await import(join(import.meta.dirname, '../../static/acts.js'))) as {
  hasWords: (operation: string) => boolean;
  wordsForAct: (act: Activity) => string;
};

const act = { id: '1', at: '2026-01-31T12:00:00.000Z', ip: null, device: null };

test('every act that a person can see of their account is in words', async () => {
  const specs = await withEveryFeature(({ operations }) => operations.map(({ spec }) => spec));
  const seen = specs.filter(({ access, audited }) => access.kind !== 'superuser' && audited === undefined);
  expect(seen.length).toBeGreaterThan(30);
  expect(seen.map(({ name }) => name).filter(name => !hasWords(name))).toEqual([]);
});

test('the words say whether it was done, refused, failed, or needs a second step', () => {
  const words = (outcome: 'ok' | 'refused' | 'failed', code: string | null, operation = 'login') =>
    wordsForAct({ ...act, operation, outcome, code });
  expect([
    words('ok', null),
    words('ok', 'mfa_required'),
    words('refused', 'invalid_credentials'),
    words('failed', 'unavailable'),
    words('ok', null, 'toString'),
  ]).toEqual([
    'You signed in with a password',
    'A sign-in with a password got as far as the second step',
    'A sign-in with a password was refused',
    'A sign-in with a password failed on our side',
    'Something else was done',
  ]);
});

test('every act that an administrator can see is in words, and every look is known as one', async () => {
  const { hasAdminWords } = (await import(join(import.meta.dirname, '../../static/admin-acts.js'))) as {
    hasAdminWords: (operation: string) => boolean;
  };
  const specs = await withEveryFeature(({ operations }) => operations.map(({ spec }) => spec));
  const seen = specs.filter(({ audited }) => audited !== false);
  expect(seen.map(({ name }) => name).filter(name => !hasAdminWords(name))).toEqual([]);
  const isRead = (spec: OperationSpec) => routeSpecsOf(spec)[0]?.at.startsWith('GET');
  const read = seen.filter(spec => spec.access.kind === 'superuser' && isRead(spec));
  expect(read.map(({ name }) => name).toSorted()).toEqual(looks.toSorted());
});
