import { StorageError } from './errors.ts';

/**
 * Loads an optional peer package when the configuration asks for what it does.
 * @throws {StorageError} naming the package to install when it is missing.
 */
export async function importOptional<T>(name: string, purpose: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new StorageError(`${purpose} needs the package ${name}: npm install ${name}`, { cause });
  }
}
