import { isDeepStrictEqual } from 'node:util';
import { parse } from '@decimalturn/toml-patch';

/** One setting: its table, none for the top level, its key and its value. */
export interface Setting {
  table?: string;
  key: string;
  value: string | boolean;
}

/**
 * The text with these settings in it and every other byte as it was: a value is replaced where it stands, a new line
 * follows the last one of its table. Null where the text is written in a way that lines alone don't show, as with
 * inline tables, so that the result would not mean what it should.
 */
export function setLines(text: string, settings: Setting[], meaning: object): string | null {
  const edited = settings.reduce(setLine, text);
  try {
    return isDeepStrictEqual(plain(parse(edited)), plain(meaning)) ? edited : null;
  } catch {
    return null;
  }
}

/** Without the prototypes that a parser gives its tables. */
const plain = (tables: unknown) => JSON.parse(JSON.stringify(tables));

function setLine(text: string, { table, key, value }: Setting): string {
  const literal = JSON.stringify(value);
  const [start, end] = sectionOf(text, table) ?? [text.length, text.length];
  const section = text.slice(start, end);
  const present = new RegExp(`^([ \\t]*${key}[ \\t]*=[ \\t]*)(?:"[^"\\n]*"|'[^'\\n]*'|\\w+)`, 'm');
  if (present.test(section)) {
    const changed = section.replace(present, (_, before: string) => before + literal);
    return text.slice(0, start) + changed + text.slice(end);
  }
  const isNewTable = table !== undefined && sectionOf(text, table) === null;
  const lines = [...(isNewTable ? [...(text === '' ? [] : ['']), `[${table}]`] : []), `${key} = ${literal}`];
  return insertLines(text, end === text.length ? end : start + endOfLastSetting(section), lines);
}

/** Where a table's own lines begin and end, without its header; null when the text has no such header. */
function sectionOf(text: string, table: string | undefined): [start: number, end: number] | null {
  let start = text.startsWith('\uFEFF') ? 1 : 0;
  if (table !== undefined) {
    const header = new RegExp(`^[ \\t]*\\[[ \\t]*${table}[ \\t]*\\][^\\n]*(?:\\n|$)`, 'm').exec(text);
    if (!header) return null;
    start = header.index + header[0].length;
  }
  const next = text.slice(start).search(/^[ \t]*\[/m);
  return [start, next < 0 ? text.length : start + next];
}

/** Comments and blank lines at the end belong to what follows. */
const endOfLastSetting = (section: string) => section.search(/(?<![^\n])(?:[ \t\r]*(?:#[^\n]*)?\n)*$/);

function insertLines(text: string, at: number, lines: string[]): string {
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
  const before = text.slice(0, at);
  const gap = before === '' || before.endsWith('\n') || before === '\uFEFF' ? '' : lineBreak;
  return before + gap + lines.map(line => line + lineBreak).join('') + text.slice(at);
}
