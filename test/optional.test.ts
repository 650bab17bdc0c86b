import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { findOptional, importOptional } from '../src/optional.ts';

const missing = () => Promise.reject(Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' }));

test('a missing package is named with its version where only that one will do', async () => {
  const name = '@mikro-orm/postgresql';
  const version = manifest.peerDependencies[name];
  await expect(importOptional(name, 'PostgreSQL', missing)).rejects.toThrow(
    `PostgreSQL needs the package ${name}: npm install ${name}@${version}`,
  );
  await expect(importOptional('ioredis', 'rate_limit_store_url', missing)).rejects.toThrow(
    /: npm install ioredis$/,
  );
});

test('a package that is there and broken is not told as missing', async () => {
  // A half-finished deployment: the service starts, and nothing is counted or traced any more.
  const broken = () => Promise.reject(new Error('Unexpected token'));
  await expect(findOptional(broken)).rejects.toThrow('Unexpected token');
  await expect(importOptional('ioredis', 'rate_limit_store_url', broken)).rejects.toThrow('Unexpected token');
  expect(await findOptional(missing)).toBeNull();
});
