import { installable } from './version.ts';

/** An optional package that the configuration asks for is not installed. */
export class MissingPackageError extends Error {
  override readonly name = 'MissingPackageError';
}

/** Whether an import failed because this package is not installed, as opposed to one that is there and broken. */
function isMissing(error: unknown, name: string): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    const { code } = e as { code?: string };
    if (code === 'ERR_MODULE_NOT_FOUND' && e.message.includes(`package '${name}'`)) return true;
  }
  return false;
}

/** Loads an optional peer package where it is installed, and answers null where it is not. */
export async function findOptional<T>(name: string, load: () => Promise<T>): Promise<T | null> {
  try {
    return await load();
  } catch (error) {
    if (isMissing(error, name)) return null;
    throw error;
  }
}

/**
 * Loads an optional peer package when the configuration asks for what it does.
 * @throws {MissingPackageError} naming the package to install when it is missing
 */
export async function importOptional<T>(name: string, purpose: string, load: () => Promise<T>): Promise<T> {
  const loaded = await findOptional(name, load);
  if (loaded) return loaded;
  throw new MissingPackageError(`${purpose} needs the package ${name}: npm install ${installable(name)}`);
}
