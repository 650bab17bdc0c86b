import { readFileSync } from 'node:fs';

/** Returns the version of this package. */
export const packageVersion = (): string => manifest().version;

/** Returns an optional package for `npm install`: with its version, if only that one works. */
export function installable(name: string): string {
  const version = manifest().peerDependencies[name] ?? '';
  return /^\d/.test(version) ? `${name}@${version}` : name;
}

/** Reads the package.json, which is in the folder above both `src` and `dist`. */
function manifest(): { version: string; peerDependencies: Record<string, string> } {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
}
