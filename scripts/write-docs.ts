// Rewrites the parts of docs/ that are made from the code.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { alignedTable, configurationTable } from '../src/config/describe.ts';
import { type ErrorCode, errorCodes } from '../src/errors.ts';
import { statusOf } from '../src/rest/problem.ts';

const root = join(import.meta.dirname, '..');

/** A part of a document that stands between `<!-- generated: name -->` and `<!-- /generated -->`. */
export interface GeneratedDoc {
  /** Relative to the project's root. */
  file: string;
  name: string;
  /** The part as it should be now. */
  content(): string;
}

/** Every generated part. */
export const generatedDocs: GeneratedDoc[] = [
  { file: 'docs/configuration.md', name: 'configuration', content: configurationTable },
  { file: 'docs/errors.md', name: 'errors', content: errorTable },
];

/** Every code, by status. */
function errorTable(): string {
  const rows = (Object.keys(errorCodes) as ErrorCode[])
    .sort((a, b) => statusOf(a) - statusOf(b))
    .map(code => [`\`${code}\``, String(statusOf(code)), errorCodes[code].title, errorCodes[code].detail]);
  return alignedTable([['Code', 'Status', 'Title', 'Meaning'], ...rows]);
}

/** The document with its generated part replaced. @throws {Error} when the markers are missing */
export function withGenerated(text: string, { file, name, content }: GeneratedDoc): string {
  const begin = `<!-- generated: ${name} -->`;
  const end = '<!-- /generated -->';
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`${file} needs the lines ${begin} and ${end}.`);
  return `${text.slice(0, from)}${begin}\n\n${content()}\n\n${text.slice(to)}`;
}

/** A document as it stands in the project. */
export function readDoc(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

if (import.meta.main) {
  for (const doc of generatedDocs) {
    writeFileSync(join(root, doc.file), withGenerated(readDoc(doc.file), doc));
    console.log(`${doc.file}: ${doc.name} written`);
  }
}
