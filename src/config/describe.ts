import { environmentName, type Field, fields, namedFields } from './names.ts';

/** The sections of the top level; a field belongs to the first section whose pattern matches its name. */
const groups: [title: string, names: RegExp][] = [
  ['Storage', /^(database|mongodb)_|_collection$|^table_prefix$/],
  ['Paths and pages', /_prefix$|^(theme|brand|extra|home)_/],
  ['Limits per client address', /_rate_limit$|^rate_limit_(store_url|key_prefix)$/],
  ['Lockout, codes and caps', /^(login|sms|mails|text_messages|rate_limit|limits)_/],
  ['Tokens and keys', /^jwt_|^data_encryption_|^transport$|_ttl_seconds$/],
  [
    'Features',
    /^(require|allow|enable|graphql|mfa|recent|max_sessions)_|^(roles|mail_store)$|^audit_(store|retention)/,
  ],
  ['Application and server', /./],
];

/** Returns every field with its environment variable, its default and a note: a Markdown table for each section. */
export function configurationTable(): string {
  const sections = Map.groupBy([...fields, ...namedFields], ({ path }) => {
    const table = path.slice(0, -1).join('.');
    return table === '' ? groups.find(([, names]) => names.test(path[0]!))![0] : `\`[${table}]\``;
  });
  return [...sections].map(([title, rows]) => `### ${title}\n\n${tableOf(rows)}`).join('\n\n');
}

function tableOf(rows: readonly Field[]): string {
  const cells = rows.map(field => [
    `\`${field.path.at(-1)}\``,
    `\`${environmentName(field.path)}\``,
    shownDefault(field),
    field.isSecret ? `Secret. ${field.description}` : field.description,
  ]);
  return alignedTable([['Field', 'In the environment', 'Default', 'Notes'], ...cells]);
}

function shownDefault({ default: value, isOptional }: Field): string {
  if (value === undefined) return isOptional ? 'none' : 'must be set';
  if (value === '' || (Array.isArray(value) && value.length === 0)) return 'empty';
  return `\`${value}\``;
}

/** Returns a Markdown table; the first row is its head. The cells are padded, so that it is readable as plain text, too. */
export function alignedTable(rows: string[][]): string {
  const escaped = rows.map(cells => cells.map(text => text.replaceAll('|', '\\|')));
  const widths = escaped[0]!.map((_, column) => Math.max(...escaped.map(cells => cells[column]!.length)));
  const line = (cells: string[]) => `| ${cells.map((text, i) => text.padEnd(widths[i]!)).join(' | ')} |`;
  const [head = [], ...body] = escaped;
  return [line(head), line(widths.map(width => '-'.repeat(width))), ...body.map(line)].join('\n');
}
