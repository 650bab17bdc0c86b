import { expect, test } from 'vitest';
import { assertOneRelease } from '../../src/storage/orm-release.ts';

// MikroORM refuses packages of several releases; a start says which they are, and how that is mended.

const release = (versions: Record<string, string>) => (name: string) => versions[name] ?? null;

test.each(['sqlite', 'postgresql', 'mongodb'] as const)(
  'the installed packages for %s are of one release',
  backend => {
    expect(() => assertOneRelease(backend)).not.toThrow();
  },
);

test('packages of two releases are named, with the command that mends it', () => {
  const find = release({ core: '7.2.1', sql: '7.2.1', migrations: '7.2.1', postgresql: '7.2.3' });
  expect(() => assertOneRelease('postgresql', find)).toThrow(
    "MikroORM's packages must have one version: @mikro-orm/core is 7.2.1, but @mikro-orm/postgresql 7.2.3. " +
      'Mend it by: npm install @mikro-orm/postgresql@7.2.1',
  );
});

test('a package that is not installed is no second release: its import says that it is missing', () => {
  expect(() => assertOneRelease('mongodb', release({ core: '7.2.1' }))).not.toThrow();
});
