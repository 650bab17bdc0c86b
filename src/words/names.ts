import type { Parsed, Tree } from './message.ts';

/** Kinds of elements, as the parser numbers them: a literal, and a number, a choice, a plural. */
const literal = 0;
const types: Partial<Record<number, 'string' | 'number'>> = { 2: 'number', 5: 'string', 6: 'number' };

/** The names of the values and of the tags of a message. */
export interface Names {
  /** Each value with its type. */
  values: Map<string, 'string | number' | 'string' | 'number'>;
  tags: Set<string>;
}

/** Returns the names in a message. */
export function namesIn(message: Parsed): Names {
  const values: Names['values'] = new Map();
  const tags = new Set<string>();
  function visit(tree: Tree): void {
    for (const element of tree) {
      if (!('value' in element) || element.type === literal) continue;
      if ('children' in element) {
        tags.add(element.value);
        visit(element.children);
      } else {
        const type = types[element.type] ?? 'string | number';
        if (type !== 'string | number' || !values.has(element.value)) values.set(element.value, type);
        if ('options' in element) for (const { value } of Object.values(element.options)) visit(value);
      }
    }
  }
  if (typeof message !== 'string') visit(message);
  return { values, tags };
}
