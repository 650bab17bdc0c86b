import { readFileSync, statSync } from 'node:fs';
import { parse as parseToml } from '@decimalturn/toml-patch';
import type { ConfigProblem } from '../errors.ts';
import { camelCase, environmentName, type Field, fields, nearest } from './names.ts';

/** One value that a source gives, with the source's own name for it. */
export interface Entry {
  path: string[];
  value: unknown;
  source: string;
  key: string;
}

/** What one source gives, and what is wrong with it. */
export interface SourceResult {
  entries: Entry[];
  problems: ConfigProblem[];
  /** Whether the source could not be read, so that nobody knows what stands there. */
  isUnread?: boolean;
}

/** Names with the prefix that are no fields. */
const reserved = new Set(['SVC_CONFIG', 'SVC_SECRETS', 'SVC_ADMIN_PASSWORD']);
const byEnvironmentName = new Map(fields.map(field => [environmentName(field.path), field]));
const tables = new Set(fields.filter(field => field.path.length > 1).map(field => field.path[0]!));

function unknown(source: string, key: string, known: Iterable<string>): ConfigProblem {
  const meant = nearest(key, [...known]);
  return { source, key, message: `is not a setting${meant ? `; did you mean ${meant}?` : ''}` };
}

/** Variables with the prefix `SVC_`, from the environment or a secrets file. */
export function fromVariables(variables: Record<string, string | undefined>, source: string): SourceResult {
  const result: SourceResult = { entries: [], problems: [] };
  for (const [key, text] of Object.entries(variables)) {
    if (!key.startsWith('SVC_') || reserved.has(key) || text === undefined) continue;
    const field = byEnvironmentName.get(key);
    if (!field) {
      result.problems.push(unknown(source, key, byEnvironmentName.keys()));
      continue;
    }
    // An empty variable is how a shell unsets one.
    if (text === '' && field.isOptional) continue;
    try {
      result.entries.push({ path: field.path, value: fromText(field, text), source, key });
    } catch (error) {
      result.problems.push({ source, key, message: (error as Error).message });
    }
  }
  return result;
}

const words = new Map([
  ...['true', '1', 'yes', 'on'].map(word => [word, true] as const),
  ...['false', '0', 'no', 'off'].map(word => [word, false] as const),
]);

function fromText(field: Field, text: string): unknown {
  switch (field.kind) {
    case 'flag': {
      const value = words.get(text.trim().toLowerCase());
      if (value === undefined) throw new Error('must be true or false (or 1, 0, yes, no, on, off)');
      return value;
    }
    case 'whole':
      if (!/^\s*-?\d+\s*$/.test(text)) throw new Error('must be a whole number');
      return Number(text);
    case 'list':
      return text.trim().startsWith('[')
        ? fromJson(text)
        : text
            .split(',')
            .map(part => part.trim())
            .filter(Boolean);
    case 'text':
      return text;
  }
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('must be a JSON list, or items separated by commas');
  }
}

/** The secrets file: `KEY=VALUE` lines, comments, optional quotes and `export`. */
export function fromSecretsFile({ path, text }: File): SourceResult & { warnings: string[] } {
  const variables: Record<string, string> = {};
  const problems: ConfigProblem[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const match = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|(.*?))\s*$/.exec(
      line,
    );
    if (match) variables[match[1]!] = match[2] ?? match[3] ?? match[4] ?? '';
    else problems.push({ source: path, key: `line ${index + 1}`, message: 'must have the form KEY=VALUE' });
  }
  for (const key of Object.keys(variables)) {
    if (!key.startsWith('SVC_')) problems.push({ source: path, key, message: 'must begin with SVC_' });
  }
  const { entries, problems: more } = fromVariables(variables, path);
  return { entries, problems: [...problems, ...more], warnings: readableByOthers(path) };
}

function readableByOthers(path: string): string[] {
  if (process.platform === 'win32' || (statSync(path).mode & 0o077) === 0) return [];
  return [`${path} holds secrets and can be read by others: chmod 600 ${path}`];
}

/** The TOML file. */
export function fromTomlFile({ path, text }: File): SourceResult {
  let parsed: Record<string, unknown>;
  try {
    parsed = parseToml(text.replace(/^\uFEFF/, '')) as Record<string, unknown>;
  } catch (error) {
    // The parser's own message quotes the line, where a secret may stand.
    const { line, column } = error as { line?: number; column?: number };
    const message = `is not valid TOML${column === undefined ? '' : ` (column ${column})`}`;
    const key = line === undefined ? 'syntax' : `line ${line}`;
    return { entries: [], problems: [{ source: path, key, message }], isUnread: true };
  }
  return fromTables(parsed, path, name => name);
}

/** What a program passed, in camelCase. */
export const fromArguments = (given: object): SourceResult =>
  fromTables(given as Record<string, unknown>, 'arguments', camelCase);

/** Values and tables of values, in names spelled as the source spells them. */
function fromTables(
  given: Record<string, unknown>,
  source: string,
  spelled: (name: string) => string,
): SourceResult {
  const result: SourceResult = { entries: [], problems: [] };
  const known = new Map(fields.map(({ path }) => [path.map(spelled).join('.'), path]));
  const knownTables = new Set([...tables].map(spelled));
  const add = (key: string, value: unknown) => {
    if (value === undefined) return;
    const path = known.get(key);
    if (path) result.entries.push({ path, value, source, key });
    else result.problems.push(unknown(source, key, [...known.keys(), ...knownTables]));
  };
  for (const [name, value] of Object.entries(given)) {
    if (!knownTables.has(name)) add(name, value);
    else if (isTable(value)) for (const [key, inner] of Object.entries(value)) add(`${name}.${key}`, inner);
    else if (value !== undefined) result.problems.push({ source, key: name, message: 'must be a table' });
  }
  return result;
}

/** A plain object: a date of TOML's is none. */
const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value));

/** A file of the configuration, with what stands in it. */
export interface File {
  path: string;
  text: string;
}

/** Reads a file: one that somebody named must be there, one that is merely looked for need not. */
export function readFile(
  named: string | undefined,
  usual: string,
): { path: string; file?: File; problems: ConfigProblem[] } {
  const path = named ?? usual;
  try {
    return { path, file: { path, text: readFileSync(path, 'utf8') }, problems: [] };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && named === undefined) return { path, problems: [] };
    const message = code === 'ENOENT' ? 'does not exist' : `can't be read (${code})`;
    return { path, problems: [{ source: path, key: 'file', message }] };
  }
}
