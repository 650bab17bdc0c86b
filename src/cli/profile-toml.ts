import type { Setting } from '../assurance/needs.ts';
import type { ProfileSetting } from '../assurance/profile.ts';

/** A configuration file with the settings of a level, and those that only the operator can fill in. */
export interface WithProfile {
  text: string;
  left: string[];
}

/** The length of a line of comments, in characters. */
const longest = 110;

/**
 * Returns the file that `svc init` would write, with the settings of a level. Each has the requirements that need it as a
 * comment; what only the operator knows stays as it is.
 */
export function withProfile(file: string, profile: readonly ProfileSetting[], baseUrl: string): WithProfile {
  const lines = file.split('\n');
  const left: string[] = [];
  const added = new Map<string, string[]>();
  for (const setting of profile.flatMap(each => named(each, file))) {
    const [table, key] = partsOf(setting.key);
    const value = typeof setting.write === 'object' ? baseUrl : setting.write;
    const comment = commentOf(setting.ids);
    const at = lineOf(lines, table, key);
    const isCommented = at >= 0 && lines[at]!.startsWith('#');
    if (at < 0) {
      const example = setting.isExample ? '# ' : '';
      added.set(table, [...(added.get(table) ?? []), ...comment, `${example}${key} = ${toml(value)}`]);
    } else if (isCommented || (setting.isExample && isFilled(lines, setting, table, key))) {
      lines.splice(at, 0, ...comment);
    } else if (setting.isExample) lines.splice(at, 0, ...comment, `# ${key} = ${toml(value)}`);
    else lines.splice(at, 1, ...comment, `${key} = ${toml(value)}`);
    if (setting.isExample && !isFilled(lines, setting, table, key)) left.push(setting.key);
  }
  for (const [table, block] of added) insert(lines, table, block);
  return { text: lines.join('\n'), left };
}

/**
 * Returns the setting for each name that the file has chosen, where a name stands in its path. GitHub, which says nothing
 * about its sign-ins, has no such setting.
 */
function named(setting: ProfileSetting, file: string): ProfileSetting[] {
  if (!setting.key.includes('*')) return [setting];
  const [before = '', after = ''] = setting.key.split('.*.');
  const lines = file.split('\n');
  const tables = [...file.matchAll(/^\[(.+)\]$/gm)].map(([, table]) => table!);
  const isGithub = (table: string) => lines.slice(...rangeOf(lines, table)).includes('kind = "github"');
  return tables
    .filter(table => table.startsWith(`${before}.`) && !isGithub(table))
    .map(table => ({ ...setting, key: `${table}.${after}` }));
}

const partsOf = (path: string): [table: string, key: string] => {
  const names = path.split('.');
  const key = names.pop()!;
  return [names.join('.'), key];
};

/** JSON strings are valid TOML basic strings. */
const toml = (value: Setting) => JSON.stringify(value);

/** Returns the ids as lines of comments. */
function commentOf(ids: readonly string[]): string[] {
  const lines: string[] = [];
  for (const id of ids) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + id.length + 2 <= longest)
      lines[lines.length - 1] = `${last}, ${id}`;
    else lines.push(`# ${id}`);
  }
  return lines;
}

/** Returns where a table begins and ends. */
function rangeOf(lines: readonly string[], table: string): [from: number, to: number] {
  const from = table === '' ? 0 : lines.indexOf(`[${table}]`) + 1;
  const next = lines.findIndex((line, i) => i >= from && line.startsWith('['));
  return [from, next < 0 ? lines.length : next];
}

/** Returns the line of a setting, written or commented out; -1 where there is none. */
function lineOf(lines: readonly string[], table: string, key: string): number {
  if (table !== '' && !lines.includes(`[${table}]`)) return -1;
  const [from, to] = rangeOf(lines, table);
  const find = (start: string) => lines.findIndex((line, i) => i >= from && i < to && line.startsWith(start));
  const written = find(`${key} = `);
  return written >= 0 ? written : find(`# ${key} = `);
}

/** Whether somebody has answered what only the operator knows. */
function isFilled(lines: readonly string[], { is }: ProfileSetting, table: string, key: string): boolean {
  const line = lines[lineOf(lines, table, key)] ?? '#';
  if (line.startsWith('#')) return false;
  const value = line.slice(`${key} = `.length);
  return !('oneOf' in is) || is.oneOf.some(each => toml(each) === value);
}

/** Inserts lines at the end of a table, which is made where it is missing. */
function insert(lines: string[], table: string, block: readonly string[]): void {
  if (table !== '' && !lines.includes(`[${table}]`)) {
    if (lines.at(-1) === '') lines.pop();
    lines.push('', `[${table}]`, ...block, '');
    return;
  }
  const [, to] = rangeOf(lines, table);
  const end = lines.slice(0, to).findLastIndex(line => line !== '') + 1;
  lines.splice(end, 0, ...(table === '' ? [''] : []), ...block);
}
