import { environmentName, type Field, fields } from './names.ts';

/** The sections of the top level; a field belongs to the first one that its name fits. */
const groups: [title: string, names: RegExp][] = [
  ['Storage', /^(database_url|mongodb_database)$|_collection$/],
  ['Paths and pages', /_prefix$|^(theme|brand|extra)_/],
  ['Limits per client address', /_rate_limit$|^rate_limit_store_url$/],
  ['Lockout, codes and caps', /^(login|sms|mails|text_messages|rate_limit)_/],
  ['Tokens', /^jwt_|^transport$|_ttl_seconds$/],
  ['Features', /^(require|allow|enable|graphql)_/],
  ['Application and server', /./],
];

/** Every field with its name in the environment, its default and a note: a Markdown table for each section. */
export function configurationTable(): string {
  const sections = Map.groupBy(fields, ({ path: [first = '', second] }) =>
    second === undefined ? groups.find(([, names]) => names.test(first))![0] : `\`[${first}]\``,
  );
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

/** A Markdown table; the first row is its head. Padded, so that it reads well as text, too. */
export function alignedTable(rows: string[][]): string {
  const escaped = rows.map(cells => cells.map(text => text.replaceAll('|', '\\|')));
  const widths = escaped[0]!.map((_, column) => Math.max(...escaped.map(cells => cells[column]!.length)));
  const line = (cells: string[]) => `| ${cells.map((text, i) => text.padEnd(widths[i]!)).join(' | ')} |`;
  const [head = [], ...body] = escaped;
  return [line(head), line(widths.map(width => '-'.repeat(width))), ...body.map(line)].join('\n');
}
