import { readFileSync } from 'node:fs';
import { packageFile } from './package-files.ts';

/** Returns the version of this package. */
export const packageVersion = (): string => manifest().version;

/** Returns an optional package for `npm install`: with its version, if only that one works. */
export function installable(name: string): string {
  const version = manifest().peerDependencies[name] ?? '';
  return /^\d/.test(version) ? `${name}@${version}` : name;
}

function manifest(): { version: string; peerDependencies: Record<string, string> } {
  return JSON.parse(readFileSync(packageFile('package.json'), 'utf8'));
}
