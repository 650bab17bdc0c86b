import { createRequire } from 'node:module';
import { StorageError } from './errors.ts';

const require = createRequire(import.meta.url);

/** The packages of MikroORM that each backend uses. */
const packages = {
  sqlite: ['core', 'sql', 'migrations', 'sqlite'],
  postgresql: ['core', 'sql', 'migrations', 'postgresql'],
  mongodb: ['core', 'mongodb'],
};

/** Returns the version of a package of MikroORM; null where it is not installed, which its import says. */
function versionOf(name: string): string | null {
  try {
    return (require(`@mikro-orm/${name}/package.json`) as { version: string }).version;
  } catch {
    return null;
  }
}

/**
 * Checks that the packages of MikroORM are of one release: it refuses others, in words that name no remedy.
 * @throws {StorageError} that names both versions and the command that mends it
 * @example assertOneRelease('postgresql');
 */
export function assertOneRelease(backend: keyof typeof packages, find = versionOf): void {
  const core = find('core');
  const others = packages[backend].flatMap(name => {
    const version = find(name);
    return version === null || version === core ? [] : [{ name: `@mikro-orm/${name}`, version }];
  });
  if (others.length === 0) return;
  const found = others.map(({ name, version }) => `${name} ${version}`).join(', ');
  const command = `npm install ${others.map(({ name }) => `${name}@${core}`).join(' ')}`;
  throw new StorageError(
    `MikroORM's packages must have one version: @mikro-orm/core is ${core}, but ${found}. Mend it by: ${command}`,
  );
}
