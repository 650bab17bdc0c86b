import { installable } from './version.ts';

/**
 * An optional package that the configuration requires is not installed.
 * @example if (error instanceof MissingPackageError) console.error(error.message);
 */
export class MissingPackageError extends Error {
  override readonly name = 'MissingPackageError';
}

/**
 * Returns whether an import failed because this package is not installed, as opposed to one that is installed and broken.
 */
function isMissing(error: unknown, name: string): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    const { code } = e as { code?: string };
    if (code === 'ERR_MODULE_NOT_FOUND' && e.message.includes(`package '${name}'`)) return true;
  }
  return false;
}

/** Loads an optional peer package if it is installed; returns null if it is not. */
export async function findOptional<T>(name: string, load: () => Promise<T>): Promise<T | null> {
  try {
    return await load();
  } catch (error) {
    if (isMissing(error, name)) return null;
    throw error;
  }
}

/**
 * Loads an optional peer package when the configuration requires it.
 * @throws {MissingPackageError} that names the package to install when it is missing
 */
export async function importOptional<T>(name: string, purpose: string, load: () => Promise<T>): Promise<T> {
  const loaded = await findOptional(name, load);
  if (loaded) return loaded;
  throw new MissingPackageError(lackOf(name, purpose));
}

/** Returns a message that says what is missing, for which purpose, and what to do. */
export const lackOf = (name: string, purpose: string) =>
  `${purpose} needs the package ${name}: npm install ${installable(name)}`;

/** Returns whether an optional peer package is installed, without loading it. */
export function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch (error) {
    if (isMissing(error, name)) return false;
    throw error;
  }
}
