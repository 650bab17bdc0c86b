import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { findOptional, importOptional } from '../src/optional.ts';

const missing = (name: string) => () => {
  const error = new Error(`Cannot find package '${name}' imported from here`);
  return Promise.reject(Object.assign(error, { code: 'ERR_MODULE_NOT_FOUND' }));
};

test('a missing package is named with its version where only that one will do', async () => {
  const name = '@mikro-orm/postgresql';
  const version = manifest.peerDependencies[name];
  await expect(importOptional(name, 'PostgreSQL', missing(name))).rejects.toThrow(
    `PostgreSQL needs the package ${name}: npm install ${name}@${version}`,
  );
  await expect(importOptional('ioredis', 'rate_limit_store_url', missing('ioredis'))).rejects.toThrow(
    /: npm install ioredis$/,
  );
});

test('a package that is there and broken is not told as missing', async () => {
  // A half-finished deployment: the service starts, and nothing is counted or traced any more.
  const broken = () => Promise.reject(new Error('Unexpected token'));
  const lacking = missing('a part of its own');
  for (const load of [broken, lacking]) {
    const { message } = await load().catch((error: Error) => error);
    await expect(findOptional('ioredis', load)).rejects.toThrow(message);
    await expect(importOptional('ioredis', 'rate_limit_store_url', load)).rejects.toThrow(message);
  }
  expect(await findOptional('ioredis', missing('ioredis'))).toBeNull();
});
