import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One template: a folder of the same name beside the catalogue. */
export interface Template {
  /** Its name for people. */
  label: string;
  /** Where the application is in development. */
  origin: string;
  /** The path that needs a session. */
  guarded: string;
}

/** One database. */
export interface Database {
  label: string;
  /** The address that is written. */
  url: string;
  /** The packages that it needs, with their versions. */
  packages: Record<string, string>;
}

/** The templates and databases of this release, as the build wrote them. */
export interface Catalogue {
  version: string;
  templates: Record<string, Template>;
  databases: Record<string, Database>;
}

/** The folder that the build writes beside the bundled program. */
export const templatesFolder = join(import.meta.dirname, '../templates');

export const readCatalogue = (): Catalogue =>
  JSON.parse(readFileSync(join(templatesFolder, 'catalogue.json'), 'utf8'));
