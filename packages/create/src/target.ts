import { readdirSync } from 'node:fs';

/** Why a folder cannot be taken, in one line; undefined if it is absent, or empty. A repository without files counts as empty. */
export function problemWith(target: string): string | undefined {
  try {
    const names = readdirSync(target).filter(name => name !== '.git');
    return names.length > 0 ? `The folder ${target} is not empty. Name another one.` : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'ENOTDIR') return `${target} is not a folder. Name another one.`;
    return `The folder ${target} can't be read (${code}). Name another one.`;
  }
}
