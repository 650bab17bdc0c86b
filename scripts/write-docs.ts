// Rewrites the parts of docs/ that are generated from the code.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { alignedTable, configurationTable } from '../src/config/describe.ts';
import { eventViews } from '../src/contract/events.ts';
import { detailOf, errorCodeNames, errorCodes } from '../src/errors.ts';
import { statusOf } from '../src/http/problem.ts';
import { commonVariables } from '../src/mail/define.ts';
import { mailKindOf, mailNames, mails } from '../src/mail/mails.ts';
import { camelCase } from '../src/names.ts';
import { countsTable, requirementTable, shownList, waysInTable } from './docs/assurance.ts';
import { belowRequiredTable, optionalTable, pinReasons, requiredTable } from './docs/dependencies.ts';
import { restReference } from './docs/rest-reference.ts';
import { shippedFile } from './words.ts';

const root = join(import.meta.dirname, '..');

/** A part of a document between `<!-- generated: name -->` and `<!-- /generated -->`. */
export interface GeneratedDoc {
  /** Relative to the project's root. */
  file: string;
  name: string;
  /** Returns the present content of the part. */
  content(): string | Promise<string>;
}

/** Every generated part. */
export const generatedDocs: GeneratedDoc[] = [
  { file: 'README.md', name: 'assurance', content: countsTable },
  { file: 'docs/assurance.md', name: 'ways in', content: waysInTable },
  { file: 'docs/assurance.md', name: 'requirements', content: requirementTable },
  { file: 'docs/assurance.md', name: 'tests', content: shownList },
  { file: 'docs/configuration.md', name: 'configuration', content: configurationTable },
  { file: 'docs/dependencies.md', name: 'required', content: requiredTable },
  { file: 'docs/dependencies.md', name: 'pins', content: pinReasons },
  { file: 'docs/dependencies.md', name: 'below', content: belowRequiredTable },
  { file: 'docs/dependencies.md', name: 'optional', content: optionalTable },
  { file: 'docs/embedding.md', name: 'events', content: eventTable },
  { file: 'docs/errors.md', name: 'rules', content: ruleTable },
  { file: 'docs/errors.md', name: 'errors', content: errorTable },
  { file: 'docs/rest-reference.md', name: 'operations', content: restReference },
  { file: 'docs/templates.md', name: 'emails', content: mailTable },
  { file: 'docs/templates.md', name: 'variables of emails', content: mailVariableTable },
];

/** Returns a table of every error code, by status. */
function errorTable(): string {
  const rows = [...errorCodeNames]
    .sort((a, b) => statusOf(a) - statusOf(b))
    .map(code => [`\`${code}\``, String(statusOf(code)), errorCodes[code].title, detailOf(code)]);
  return alignedTable([['Code', 'Status', 'Title', 'Meaning'], ...rows]);
}

/** Returns a table of every event, with the members of its argument in Node. */
function eventTable(): string {
  const rows = Object.entries(eventViews).map(([name, { shape }]) => {
    const members = Object.keys(shape).map(member => code(camelCase(member)));
    return [code(name), members.join(', ')];
  });
  return alignedTable([['Event', 'Carries'], ...rows]);
}

/** Returns a table of every rule, with a message that has it. */
function ruleTable(): string {
  const { sources } = shippedFile('en');
  const rules = new Map<string, string>();
  for (const [id, source] of Object.entries(sources)) {
    const rule = /^field_(.*?)(?:__.*)?$/.exec(id)?.[1];
    if (rule && !rules.has(rule)) rules.set(rule, source.replace(/\{(\w+), select.*/, '{$1}'));
  }
  const rows = [...rules].toSorted().map(([rule, message]) => [code(rule), message]);
  return alignedTable([['Rule', 'Message'], ...rows]);
}

const isCommon = (name: string) => commonVariables.some(common => common === name);
const code = (name: string) => `\`${name}\``;

/** Returns a table of every kind of email, with its variables beside those that all have. */
function mailTable(): string {
  const rows = mailNames.map(name => {
    const { shape, description = '' } = mails[name].variables;
    const own = Object.keys(shape).filter(name => !isCommon(name));
    return [code(mailKindOf(name)), description, own.map(code).join(', ')];
  });
  return alignedTable([['Kind', 'Sent when', 'Variables of its own'], ...rows]);
}

/** Returns a table of every variable of an email. */
function mailVariableTable(): string {
  const described = new Map<string, string>();
  for (const mail of mailNames) {
    for (const [name, { description = '' }] of Object.entries(mails[mail].variables.shape)) {
      described.set(name, description);
    }
  }
  const rows = [...described].map(([name, description]) => [code(name), description]);
  return alignedTable([['Variable', 'Holds'], ...rows]);
}

/** Returns the document with its generated part replaced. @throws {Error} when the markers are missing */
export async function withGenerated(text: string, { file, name, content }: GeneratedDoc): Promise<string> {
  const begin = `<!-- generated: ${name} -->`;
  const end = '<!-- /generated -->';
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`${file} needs the lines ${begin} and ${end}.`);
  return `${text.slice(0, from)}${begin}\n\n${await content()}\n\n${text.slice(to)}`;
}

/** Returns the text of a document of the project. */
export function readDoc(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

if (import.meta.main) {
  for (const doc of generatedDocs) {
    writeFileSync(join(root, doc.file), await withGenerated(readDoc(doc.file), doc));
    console.log(`${doc.file}: ${doc.name} written`);
  }
}
