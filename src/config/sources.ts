import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { parse as parseToml } from '@decimalturn/toml-patch';
import type { ConfigProblem } from '../errors.ts';
import { camelCase, environmentName, type Field, fieldAt, fields, namedFieldOfVariable } from './names.ts';
import { type Entry, fromTables, type SourceResult, unknown } from './tables.ts';

/** Names with the prefix that are not fields. */
const reserved = new Set(['SVC_CONFIG', 'SVC_SECRETS', 'SVC_ADMIN_PASSWORD']);
const byEnvironmentName = new Map(fields.map(field => [environmentName(field.path), field]));

/** A variable with this ending names the file that holds the secret. */
const fileEnding = '_FILE';

/**
 * Reads variables with the prefix `SVC_`, from the environment or a secrets file. Files that they name are relative to
 * `cwd`.
 */
export function fromVariables(
  variables: Record<string, string | undefined>,
  source: string,
  cwd: string,
): Required<Omit<SourceResult, 'isUnread'>> {
  const result = fromNothing();
  for (const [key, text] of Object.entries(variables)) {
    if (!key.startsWith('SVC_') || reserved.has(key) || text === undefined) continue;
    const { field, plainKey } = targetOf(key);
    if (!field) {
      result.problems.push(unknown(source, key, byEnvironmentName.keys()));
      continue;
    }
    const isFile = plainKey !== key;
    // A shell sets a variable to the empty text to unset it.
    if (text === '' && (field.isOptional || isFile || variables[key + fileEnding])) continue;
    try {
      if (isFile && variables[plainKey]) {
        throw new Error(`can't be set together with ${plainKey}: choose one`);
      }
      const file = isAbsolute(text) ? text : join(cwd, text);
      const value = isFile ? secretIn(file) : fromText(field, text);
      if (isFile) result.filesRead.push(file);
      result.entries.push({ path: field.path, value, source, key });
    } catch (error) {
      result.problems.push({ source, key, message: (error as Error).message });
      if (isFile) result.unreadFields.push(field.path.join('.'));
    }
  }
  return result;
}

/** Returns the field that a variable sets, and the name of the variable that holds its value directly. */
function targetOf(key: string): { field: Field | undefined; plainKey: string } {
  const fieldOf = (name: string) => byEnvironmentName.get(name) ?? namedFieldOfVariable(name);
  const field = fieldOf(key);
  if (field || !key.endsWith(fileEnding)) return { field, plainKey: key };
  const plainKey = key.slice(0, -fileEnding.length);
  const secret = fieldOf(plainKey);
  return { field: secret?.isSecret ? secret : undefined, plainKey };
}

const fromNothing = (): Required<Omit<SourceResult, 'isUnread'>> => ({
  entries: [],
  problems: [],
  filesRead: [],
  unreadFields: [],
});

/** Returns the secret in a file, without the line break that editors and `echo` add at its end. */
function secretIn(path: string): string {
  const { file, problems } = readFile(path, path);
  if (!file) throw new Error(`${path} ${problems[0]?.message}`);
  const text = file.text.replace(/[\r\n]+$/, '');
  if (text === '') throw new Error(`${path} is empty`);
  return text;
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
        ? fromJson(text, 'must be a JSON list, or items separated by commas')
        : text
            .split(',')
            .map(part => part.trim())
            .filter(Boolean);
    case 'record':
      return fromJson(text, 'must be a JSON object');
    case 'text':
      return text;
  }
}

function fromJson(text: string, expected: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(expected);
  }
}

/** Reads the secrets file: `KEY=VALUE` lines, comments, optional quotes and `export`. */
export function fromSecretsFile({ path, text }: File, cwd: string): SourceResult & { warnings: string[] } {
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
  const result = fromVariables(variables, path, cwd);
  const warnings = canOthersRead(path)
    ? [`${path} contains secrets and can be read by others: chmod 600 ${path}`]
    : [];
  return { ...result, problems: [...problems, ...result.problems], warnings };
}

const canOthersRead = (path: string) => process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0;

/** A user with a password, or a password among the parameters: a URL without them is not secret. */
const credentials = /^[^/]*\/\/[^/?#]*:[^/?#]*@|[?&]\w*password=/i;

function holdsSecret({ path, value }: Entry): boolean {
  if (!fieldAt(path)?.isSecret || typeof value !== 'string' || value === '') return false;
  return !path.at(-1)!.endsWith('_url') || credentials.test(value);
}

/** Others may read the TOML file, unless it holds a secret. */
function warningsOfToml(path: string, entries: Entry[]): string[] {
  const keys = entries.filter(holdsSecret).map(({ key }) => key);
  if (keys.length === 0 || !canOthersRead(path)) return [];
  return [
    `${path} contains ${keys.join(', ')} and can be read by others: move secrets to svc.secrets.env, or chmod 600 ${path}`,
  ];
}

/** Reads the TOML file. */
export function fromTomlFile({ path, text }: File): SourceResult & { warnings: string[] } {
  let parsed: Record<string, unknown>;
  try {
    parsed = parseToml(text.replace(/^\uFEFF/, '')) as Record<string, unknown>;
  } catch (error) {
    // The parser's own message quotes the line, which may hold a secret.
    const { line, column } = error as { line?: number; column?: number };
    const message = `is not valid TOML${column === undefined ? '' : ` (column ${column})`}`;
    const key = line === undefined ? 'syntax' : `line ${line}`;
    return { entries: [], problems: [{ source: path, key, message }], isUnread: true, warnings: [] };
  }
  const result = fromTables(parsed, path, name => name);
  return { ...result, warnings: warningsOfToml(path, result.entries) };
}

/** Reads what a program passed, in camelCase. */
export const fromArguments = (given: object): SourceResult =>
  fromTables(given as Record<string, unknown>, 'arguments', camelCase);

/** A file of the configuration, with its content. */
export interface File {
  path: string;
  text: string;
}

/** Reads a file. A file that was named must exist; a default one need not. */
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
