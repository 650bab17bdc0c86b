import { expect, test } from 'vitest';
import { remarksOnVersion } from '../../src/storage/versions.ts';

test.each([
  ['PostgreSQL', '13.22 (Debian 13.22-1)', 'PostgreSQL 13.22 is too old: Gatehouse needs 14 or later'],
  ['PostgreSQL', '9.6.24', 'PostgreSQL 9.6.24 is too old: Gatehouse needs 14 or later'],
  ['MongoDB', '4.2.25', 'MongoDB 4.2.25 is too old: Gatehouse needs 4.4 or later'],
  ['SQLite', '3.43.2', 'SQLite 3.43.2 is too old: Gatehouse needs 3.44 or later'],
] as const)('%s %s is a failure', (database, version, text) => {
  expect(remarksOnVersion(database, version)).toEqual([{ outcome: 'fail', text }]);
});

test.each([
  ['PostgreSQL', '14.0'],
  ['PostgreSQL', '18.4'],
  ['PostgreSQL', '19beta1'],
  ['SQLite', '3.44.0'],
  ['SQLite', '3.53.4'],
  ['SQLite', '4.0.0'],
] as const)('there is nothing to say of %s %s', (database, version) => {
  expect(remarksOnVersion(database, version)).toEqual([]);
});

test.each([
  ['8.2.2', '8.2.3'],
  ['8.1.4', '8.2.3'],
  ['8.0.16', '8.0.17'],
  ['7.3.4', '8.2.3'],
  ['7.0.27', '7.0.28'],
  ['6.3.2', '8.2.3'],
  ['6.0.5', '6.0.27'],
  ['5.0.31', '5.0.32'],
  ['4.4.29', '4.4.30'],
])('MongoDB %s is told to be vulnerable until %s', (version, fix) => {
  expect(remarksOnVersion('MongoDB', version)).toEqual([
    {
      outcome: 'warn',
      text: `MongoDB ${version} lets anyone who can connect read its memory (CVE-2025-14847): upgrade it to ${fix} or later`,
    },
  ]);
});

test.each(['4.4.30', '5.0.32', '6.0.27', '7.0.28', '8.0.17', '8.2.3', '8.3.0', '9.0.0'])(
  'MongoDB %s is not',
  version => {
    expect(remarksOnVersion('MongoDB', version)).toEqual([]);
  },
);
