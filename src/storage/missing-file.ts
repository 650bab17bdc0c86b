import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type DatabaseUrl, isInMemory } from '../config/database-url.ts';

/** Says that an SQLite file is not there, for commands that only look: opening it would make an empty one. */
export function missingFile(database: DatabaseUrl): string | null {
  if (database.backend !== 'sqlite' || isInMemory(database)) return null;
  const path = resolve(database.path);
  if (existsSync(path)) return null;
  return `There is no SQLite file ${path}: run this command in the service's folder, or make the file with svc migrate.`;
}
