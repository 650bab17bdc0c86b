import { existsSync, readFileSync, statSync } from 'node:fs';
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
}

/** Names with the prefix that are no fields. */
const reserved = new Set(['SVC_CONFIG', 'SVC_SECRETS', 'SVC_ADMIN_PASSWORD']);
const byEnvironmentName = new Map(fields.map(field => [environmentName(field.path), field]));
const tables = new Set(fields.filter(field => field.path.length > 1).map(field => field.path[0]!));

/** Variables with the prefix `SVC_`, from the environment or a secrets file. */
export function fromVariables(variables: Record<string, string | undefined>, source: string): SourceResult {
  const result: SourceResult = { entries: [], problems: [] };
  for (const [key, text] of Object.entries(variables)) {
    if (!key.startsWith('SVC_') || reserved.has(key) || text === undefined) continue;
    const field = byEnvironmentName.get(key);
    if (!field) {
      const meant = nearest(key, [...byEnvironmentName.keys()]);
      result.problems.push({
        source,
        key,
        message: `is not a setting${meant ? `; did you mean ${meant}?` : ''}`,
      });
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
export function fromSecretsFile(path: string): SourceResult & { warnings: string[] } {
  const variables: Record<string, string> = {};
  const problems: ConfigProblem[] = [];
  for (const [index, line] of readFileSync(path, 'utf8').split(/\r?\n/).entries()) {
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

/** The TOML file. Unknown keys are left in, for the schema to refuse with the others. */
export function fromTomlFile(path: string): SourceResult {
  let parsed: Record<string, unknown>;
  try {
    parsed = parseToml(readFileSync(path, 'utf8')) as Record<string, unknown>;
  } catch (error) {
    const { message, line } = error as { message: string; line?: number };
    const where = line === undefined ? 'syntax' : `line ${line}`;
    return {
      entries: [],
      problems: [{ source: path, key: where, message: `is not valid TOML: ${message.split('\n')[0]}` }],
    };
  }
  return { entries: flatten(parsed, path, name => name), problems: [] };
}

const snakeNames = new Map(fields.flatMap(({ path }) => path).map(name => [camelCase(name), name]));

/** What a program passed, in camelCase. */
export function fromArguments(given: object): SourceResult {
  // A name in snake_case is no name here, so it is kept from matching one.
  const snake = (name: string) => snakeNames.get(name) ?? `(${name})`;
  return { entries: flatten(given as Record<string, unknown>, 'arguments', snake), problems: [] };
}

function flatten(object: Record<string, unknown>, source: string, toName: (name: string) => string): Entry[] {
  return Object.entries(object).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (!tables.has(toName(name)) || !isTable(value))
      return [{ path: [toName(name)], value, source, key: name }];
    return Object.entries(value).flatMap(([key, inner]) =>
      inner === undefined
        ? []
        : [{ path: [toName(name), toName(key)], value: inner, source, key: `${name}.${key}` }],
    );
  });
}

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A file that somebody named must be there; one that is merely looked for need not. */
export function locate(
  named: string | undefined,
  usual: string,
): { path?: string; problems: ConfigProblem[] } {
  if (named === undefined) return { path: existsSync(usual) ? usual : undefined, problems: [] };
  if (existsSync(named) && statSync(named).isFile()) return { path: named, problems: [] };
  return { problems: [{ source: named, key: 'file', message: 'does not exist or is no file' }] };
}
