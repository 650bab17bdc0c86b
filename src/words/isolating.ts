import type { Tree, Values } from './message.ts';

/** The parsed form of `{name}`. */
const argument = 1;

/**
 * Returns a message whose texts of others keep their direction to themselves (UAX #9): they stand between U+2068 and
 * U+2069. Values that only select a variant of the message stay as they are.
 */
export const isolating = (tree: Tree, values: Values): Tree =>
  tree.flatMap((element): Tree => {
    if ('children' in element) return [{ ...element, children: isolating(element.children, values) }];
    if ('options' in element) {
      const options = Object.entries(element.options).map(([key, option]) => [
        key,
        { ...option, value: isolating(option.value, values) },
      ]);
      return [{ ...element, options: Object.fromEntries(options) }];
    }
    return element.type === argument && hasDirection(values[element.value])
      ? [literal('\u2068'), element, literal('\u2069')]
      : [element];
  });

/** A number has none, lines have one each, and what has isolates is a message of the same language. */
export const hasDirection = (value: unknown) => typeof value === 'string' && !/[\n\u2068]/.test(value);

const literal = (value: string): Tree[number] => ({ type: 0, value });
