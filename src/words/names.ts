import type { Parsed, Tree } from './message.ts';

/** Kinds of elements, as the parser numbers them; its package is not loaded for three numbers. */
const kinds = { literal: 0, number: 2, plural: 6 };

/** The names of the values and of the tags of a message. */
export interface Names {
  /** Each value with its type. */
  values: Map<string, 'string' | 'number'>;
  tags: Set<string>;
}

/** Returns the names in a message. */
export function namesIn(message: Parsed): Names {
  const values: Names['values'] = new Map();
  const tags = new Set<string>();
  function visit(tree: Tree): void {
    for (const element of tree) {
      if (!('value' in element) || element.type === kinds.literal) continue;
      if ('children' in element) {
        tags.add(element.value);
        visit(element.children);
      } else {
        const isNumber = element.type === kinds.number || element.type === kinds.plural;
        if (isNumber || !values.has(element.value)) values.set(element.value, isNumber ? 'number' : 'string');
        if ('options' in element) for (const { value } of Object.values(element.options)) visit(value);
      }
    }
  }
  if (typeof message !== 'string') visit(message);
  return { values, tags };
}
