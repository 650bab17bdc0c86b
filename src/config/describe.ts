import { environmentName, type Field, fields } from './names.ts';

/** Every field with its name in the environment, its default and a note: a Markdown table for each section. */
export function configTable(): string {
  const sections = Map.groupBy(fields, ({ path }) => (path.length > 1 ? path[0]! : ''));
  return [...sections].map(([name, rows]) => sectionOf(name, rows)).join('\n\n');
}

function sectionOf(name: string, rows: readonly Field[]): string {
  const cells = rows.map(field => [
    `\`${field.path.at(-1)}\``,
    `\`${environmentName(field.path)}\``,
    shownDefault(field),
    field.isSecret ? `Secret. ${field.description}` : field.description,
  ]);
  const title = name === '' ? '### Top level' : `### \`[${name}]\``;
  return `${title}\n\n${alignedTable([['Field', 'In the environment', 'Default', 'Notes'], ...cells])}`;
}

function shownDefault({ default: value, isOptional }: Field): string {
  if (value === undefined) return isOptional ? 'none' : 'must be set';
  if (value === '' || (Array.isArray(value) && value.length === 0)) return 'empty';
  return `\`${value}\``;
}

/** Padded as the formatter pads tables, so that writing and formatting don't undo each other. */
function alignedTable(rows: string[][]): string {
  const escaped = rows.map(cells => cells.map(text => text.replaceAll('|', '\\|')));
  const widths = escaped[0]!.map((_, column) => Math.max(...escaped.map(cells => cells[column]!.length)));
  const line = (cells: string[]) => `| ${cells.map((text, i) => text.padEnd(widths[i]!)).join(' | ')} |`;
  const [head = [], ...body] = escaped;
  return [line(head), line(widths.map(width => '-'.repeat(width))), ...body.map(line)].join('\n');
}
