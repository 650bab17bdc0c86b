import { installable } from './version.ts';

/** An optional package that the configuration asks for is not installed. */
export class MissingPackageError extends Error {
  override readonly name = 'MissingPackageError';
}

/**
 * Loads an optional peer package when the configuration asks for what it does.
 * @throws {MissingPackageError} naming the package to install when it is missing
 */
export async function importOptional<T>(name: string, purpose: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    const message = `${purpose} needs the package ${name}: npm install ${installable(name)}`;
    throw new MissingPackageError(message, { cause });
  }
}
