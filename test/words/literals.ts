import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

const root = join(import.meta.dirname, '../..');

/** A text in a source, with `{}` for each value in it. */
export interface Literal {
  file: string;
  text: string;
  /** The name of the property or variable whose value it is, if any. */
  property: string | undefined;
}

interface Node {
  type: string;
  [member: string]: unknown;
}
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** Returns the texts in these sources: string literals and templates. */
export function literalsIn(pattern: string): Literal[] {
  return globSync(pattern, { cwd: root })
    .toSorted()
    .flatMap(file => {
      const source = readFileSync(join(root, file), 'utf8');
      const found: Literal[] = [];
      walk(
        parseAst(source, { lang: file.endsWith('.js') ? 'js' : 'ts' }) as unknown as Node,
        undefined,
        (text, property) => found.push({ file, text, property }),
      );
      return found;
    });
}

/** The nodes that name a value: a property, and a variable or parameter. */
const holders: Partial<Record<string, { name: string; value: string }>> = {
  Property: { name: 'key', value: 'value' },
  VariableDeclarator: { name: 'id', value: 'init' },
  AssignmentPattern: { name: 'left', value: 'right' },
};

function walk(
  node: Node,
  property: string | undefined,
  found: (text: string, property?: string) => void,
): void {
  if (/^(?:Import|ExportAll|TSType|TSInterface)/.test(node.type)) return;
  if (node.type === 'Literal' && typeof node.value === 'string') found(node.value, property);
  if (node.type === 'TemplateLiteral') {
    const parts = (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
    found(parts.join('{}'), property);
  }
  const named = holders[node.type];
  const key = named && (node[named.name] as { name?: string }).name;
  for (const [member, value] of Object.entries(node)) {
    if (member === named?.name) continue;
    for (const child of [value].flat())
      if (isNode(child)) walk(child, member === named?.value ? key : property, found);
  }
}

/** Returns whether a text is one for people: two words at least. */
export const hasWords = (text: string): boolean =>
  /\p{L}{2,}['’]?[ ,:;.…]+(?:\{\} )?\p{L}|\{\} \p{L}{2,}|^\p{Lu}\p{Ll}+…?$/u.test(text);
