import { readFileSync } from 'node:fs';

/** The version of this package. */
export const packageVersion = (): string => manifest().version;

/** An optional package as `npm install` is to be told: with its version, where only that one will do. */
export function installable(name: string): string {
  const version = manifest().peerDependencies[name] ?? '';
  return /^\d/.test(version) ? `${name}@${version}` : name;
}

/** What stands above `src` and `dist` alike. */
function manifest(): { version: string; peerDependencies: Record<string, string> } {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
}
