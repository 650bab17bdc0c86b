// Parses the messages of every shipped language, and finds which of them each page's scripts use. Made anew whenever the
// service is started or built from its sources, like the scripts of the pages.
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { type MessageFile, readArb } from '../src/words/arb.ts';
import { namesIn } from '../src/words/names.ts';
import { replaceFile } from './replace-file.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'locales');

/** Returns the messages of a shipped language. @throws {Error} that names the messages that do not parse */
export function shippedFile(tag: string): MessageFile {
  const file = readArb(readFileSync(join(folder, `${tag}.arb`), 'utf8'));
  const [problem] = file.problems;
  if (problem)
    throw new Error(`locales/${tag}.arb: ${problem.id}: ${problem.message}, column ${problem.column}`);
  return file;
}

/** The scripts that begin a page, and those of others that they load. */
const bundles = {
  people: { entries: ['svc.js'], without: ['account.js'] },
  account: {
    entries: ['svc.js', 'account.js'],
    without: ['sign-in.js', 'oauth.js', 'registration.js', 'password.js', 'email-change.js', 'not-me.js'],
  },
  console: { entries: ['admin.js'], without: [] },
};

/** The messages whose ids a script makes of the name of an operation, or of a code. */
const madeIds = { 'acts.js': /^act_/, 'admin-acts.js': /^(?:console_act|error)_/ };

/** Writes `locales/parsed`: each language, and the ids of each bundle of scripts. */
export function writeWords(): void {
  const write = (name: string, content: object) =>
    replaceFile(join(folder, 'parsed', `${name}.json`), JSON.stringify(content));
  const tags = globSync('*.arb', { cwd: folder }).map(file => basename(file, '.arb'));
  for (const tag of tags) write(tag, shippedFile(tag).messages);
  const ids = Object.keys(shippedFile('en').messages);
  write(
    'bundles',
    Object.fromEntries(Object.entries(bundles).map(([name, bundle]) => [name, idsOf(ids, bundle)])),
  );
}

/** Returns the ids that the scripts of a bundle name. */
function idsOf(ids: string[], { entries, without }: { entries: string[]; without: string[] }): string[] {
  const scripts = new Set(entries);
  const named = new Set<string>();
  for (const script of scripts) {
    const { imports, texts } = contentOf(script);
    for (const other of imports) if (!without.includes(other) || entries.includes(other)) scripts.add(other);
    for (const text of texts) named.add(text);
  }
  const made = Object.entries(madeIds).flatMap(([script, pattern]) => (scripts.has(script) ? [pattern] : []));
  return ids.filter(id => named.has(id) || made.some(pattern => pattern.test(id)));
}

/** Returns the scripts that a script imports, and its texts. */
function contentOf(script: string): { imports: string[]; texts: string[] } {
  const texts: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if ('type' in node && node.type === 'Literal' && 'value' in node && typeof node.value === 'string')
      texts.push(node.value);
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseAst(readFileSync(join(root, 'static', script), 'utf8')));
  const imports = texts.flatMap(text => /^\.\/([\w-]+\.js)$/.exec(text)?.[1] ?? []);
  return { imports, texts };
}

/** Returns the text of the module that gives each message the types of its values. */
export function messagesModule(): string {
  const { messages } = shippedFile('en');
  const members = Object.entries(messages).map(([id, message]) => {
    const { values, tags } = namesIn(message);
    const types = [...values].map(([name, type]) => `${name}: ${type}`).join('; ');
    const tag = [...tags].map(name => `'${name}'`).join(' | ');
    const parameters = [values.size > 0 || tag ? (types ? `{ ${types} }` : 'object') : '', tag].filter(
      Boolean,
    );
    return `  ${id}: Message${parameters.length > 0 ? `<${parameters.join(', ')}>` : ''};`;
  });
  return `// Generated from locales/en.arb by \`npm run docs\`.
import type { Message } from './message-type.ts';

/** Every message, with the types of its values and the names of its tags. */
export interface Messages {
${members.join('\n')}
}
`;
}
