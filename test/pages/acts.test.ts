import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withEveryFeature } from '../../scripts/write-schema.ts';
import { type OperationSpec, routeSpecsOf } from '../../src/domain/operation.ts';
import { looks } from '../../src/features/audit-store/selection.ts';
import type { Activity } from '../../static/types.d.ts';
import { standInForPage } from '../support/page-messages.ts';

standInForPage();

/** A script of the pages, as browsers load it. */
const { hasWords, tellsOf, wordsForAct } = (await import(
  join(import.meta.dirname, '../../static/acts.js')
)) as {
  hasWords: (operation: string) => boolean;
  tellsOf: () => (act: Activity, index: number, all: readonly Activity[]) => boolean;
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
  const { choicesOf, hasAdminWords } = (await import(
    join(import.meta.dirname, '../../static/admin-acts.js')
  )) as {
    choicesOf: () => { name: string; words: string }[];
    hasAdminWords: (operation: string) => boolean;
  };
  const specs = await withEveryFeature(({ operations }) => operations.map(({ spec }) => spec));
  const seen = specs.filter(({ audited }) => audited !== false);
  expect(seen.map(({ name }) => name).filter(name => !hasAdminWords(name))).toEqual([]);
  const chosen = new Set(choicesOf().map(({ name }) => name));
  expect(seen.map(({ name }) => name).filter(name => !chosen.has(name))).toEqual([]);
  const isRead = (spec: OperationSpec) => routeSpecsOf(spec)[0]?.at.startsWith('GET');
  const read = seen.filter(spec => spec.access.kind === 'superuser' && isRead(spec));
  // The gateway of a supergraph asks for it, and no door has it under its name.
  const names = [...read.map(({ name }) => name), 'resolveEntities'];
  expect(names.toSorted()).toEqual(looks.toSorted());
});

test('no two acts that an administrator can choose are called the same', async () => {
  const { choicesOf } = (await import(join(import.meta.dirname, '../../static/admin-acts.js'))) as {
    choicesOf: () => { words: string }[];
  };
  const words = choicesOf().map(each => each.words);
  expect(words.filter((each, i) => words.indexOf(each) !== i)).toEqual([]);
  expect(words).toEqual(expect.arrayContaining(['Began to add a passkey', 'Added a passkey']));
});

test.each(['en', 'de', 'fr', 'es', 'ja', 'ar'])('no two acts have the same words, in %s', locale => {
  const path = join(import.meta.dirname, `../../locales/${locale}.arb`);
  const messages = JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>;
  const acts = Object.entries(messages).filter(([id]) => id.startsWith('console_act_'));
  const texts = acts.map(([, text]) => text);
  expect(texts.filter((each, i) => texts.indexOf(each) !== i)).toEqual([]);
});

/** The operations that are told, of acts of which the last one is the newest, a minute apart. */
function told(...acts: Partial<Activity>[]): string[] {
  const newestFirst = acts
    .map((each, minute): Activity => {
      const at = new Date(Date.UTC(2026, 0, 31, 12, minute)).toISOString();
      return { ...act, operation: 'login', outcome: 'ok', code: null, at, ...each };
    })
    .reverse();
  return newestFirst.filter(tellsOf()).map(({ operation }) => operation);
}
const firstStep = { operation: 'login', code: 'mfa_required' } as const;

test('a sign-in of several steps is told once', () => {
  const step = { operation: 'confirmLoginMfa' };
  expect(told(firstStep, { operation: 'sendMfaCode' }, step)).toEqual(['confirmLoginMfa']);
  expect(told({ operation: 'startPasskeyLogin' }, { operation: 'loginWithPasskey' })).toEqual([
    'loginWithPasskey',
  ]);
  expect(told({ operation: 'oauthCallback' }, { operation: 'exchangeOAuth' })).toEqual(['exchangeOAuth']);
  expect(told({}, { operation: 'createBrowserSession' })).toEqual(['login']);
});

test('one that got no further than its first step is told, and so is each that was refused', () => {
  expect(told(firstStep)).toEqual(['login']);
  const wrong = { operation: 'confirmLoginMfa', outcome: 'refused', code: 'mfa_code_wrong' } as const;
  expect(told(firstStep, wrong)).toEqual(['confirmLoginMfa', 'login']);
  expect(told(firstStep, wrong, { operation: 'confirmLoginMfa' })).toEqual([
    'confirmLoginMfa',
    'confirmLoginMfa',
  ]);
});

test('the first step of somebody elsewhere is not taken for part of one’s own sign-in', () => {
  const own = { operation: 'confirmLoginMfa', ip: '192.0.2.1' };
  expect(told({ ...firstStep, ip: '198.51.100.9' }, { ...firstStep, ip: '192.0.2.1' }, own)).toEqual([
    'confirmLoginMfa',
    'login',
  ]);
});

test('the sign-out of a session that a stronger one replaces belongs to the set-up, and one of its own is told', () => {
  const setUp = { operation: 'confirmTotpSetup', at: '2026-01-31T12:00:00.000Z' };
  const logout = (at: string, more = {}) => ({ operation: 'logout', at, ...more });
  const replaced = logout('2026-01-31T12:00:01.000Z');
  expect(told({ operation: 'startTotpSetup' }, setUp, replaced)).toEqual(['confirmTotpSetup']);
  const own = logout('2026-01-31T12:00:02.000Z');
  expect(told(setUp, replaced, own)).toEqual(['logout', 'confirmTotpSetup']);
  for (const other of [logout('2026-01-31T12:01:00.000Z'), { ...replaced, ip: '192.0.2.1' }])
    expect(told(setUp, other)).toEqual(['logout', 'confirmTotpSetup']);
});

test('two sign-ins are told as two', () => {
  expect(told({}, {})).toEqual(['login', 'login']);
});
