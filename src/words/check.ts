import { once } from '../lazily.ts';
import { nearest } from '../nearest.ts';
import { type MessageFile, readArb } from './arb.ts';
import { type Catalogue, shippedCatalogue } from './catalogue.ts';
import { namesIn } from './names.ts';

/** Why a message of a file cannot be used. */
export type Breakage = 'file' | 'syntax' | 'unknown_id' | 'unknown_value' | 'unknown_tag' | 'missing_tag';

/** A problem of a message of a file. */
export interface Finding<Rule extends string = string> {
  rule: Rule;
  /** The message; null where it is the file. */
  id: string | null;
  /** From 1 on: in the message; of an unknown id, in its line of the file. */
  column: number;
  message: string;
}

const english = once((): Catalogue => shippedCatalogue('en'));

/** Returns a file of messages, and why some of them cannot be used; without the file where it is none. */
export function readMessages(text: string): { file: MessageFile | null; broken: Finding<Breakage>[] } {
  let file: MessageFile;
  try {
    file = readArb(text);
  } catch (error) {
    return { file: null, broken: [fileProblem(error instanceof Error ? error.message : '')] };
  }
  const broken: Finding<Breakage>[] = file.problems.map(({ id, column, message }) => ({
    ...{ rule: 'syntax' as const, id, column },
    message: causes[message] ?? message,
  }));
  for (const id of Object.keys(file.sources)) {
    if (Object.hasOwn(english(), id)) continue;
    const meant = nearest(id, Object.keys(english()));
    broken.push({
      ...{ rule: 'unknown_id', id, ...placeOf(id, text) },
      message: `is not the id of a message${meant ? `; did you mean ${meant}?` : ''}`,
    });
  }
  for (const [id, message] of Object.entries(file.messages)) {
    if (!Object.hasOwn(english(), id)) continue;
    const [own, known] = [namesIn(message), namesIn(english()[id]!)];
    const columnOf = (start: string) => file.sources[id]!.indexOf(start) + 1 || 1;
    for (const name of own.values.keys()) {
      if (known.values.has(name)) continue;
      const expected = [...known.values.keys()].map(each => `{${each}}`).join(', ') || 'none';
      broken.push({
        ...{ rule: 'unknown_value', id, column: columnOf(`{${name}`) },
        message: `has {${name}}, which the English message does not have; its values are: ${expected}`,
      });
    }
    for (const name of own.tags) {
      if (known.tags.has(name)) continue;
      broken.push({
        ...{ rule: 'unknown_tag', id, column: columnOf(`<${name}`) },
        message: `has <${name}>, which the English message does not have`,
      });
    }
    for (const name of known.tags) {
      if (own.tags.has(name)) continue;
      broken.push({
        ...{ rule: 'missing_tag', id, column: 1 },
        message: `needs <${name}>, which the English message has`,
      });
    }
  }
  return { file, broken };
}

/** Returns where an id stands in a file. */
function placeOf(id: string, text: string): { column: number } {
  const before = text.slice(0, Math.max(0, text.indexOf(JSON.stringify(id))));
  return { column: before.length - before.lastIndexOf('\n') };
}

function fileProblem(message: string): Finding<'file'> {
  const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(message) ?? [];
  const reason = message.replace(/ in JSON at position.*$/s, '').replace(/, \.\.\..*$/s, '');
  return {
    ...{ rule: 'file', id: null, column: Number(column ?? 1) },
    message: `${line ? `line ${line}: ` : ''}is not an object in JSON: ${reason}`,
  };
}

/** The meaning of the parser's codes. */
const causes: Record<string, string> = {
  EXPECT_ARGUMENT_CLOSING_BRACE: 'a { has no }',
  EMPTY_ARGUMENT: '{} names no value',
  MALFORMED_ARGUMENT: 'the name of a value has other characters than letters, digits and underscores',
  EXPECT_ARGUMENT_TYPE: 'a value has a comma and then no type',
  INVALID_ARGUMENT_TYPE: 'a value has a type other than number, date, time, plural, selectordinal and select',
  EXPECT_SELECT_ARGUMENT_OPTIONS: 'a plural or select has no choices',
  EXPECT_SELECT_ARGUMENT_SELECTOR_FRAGMENT: 'a choice has no text in braces',
  EXPECT_PLURAL_ARGUMENT_SELECTOR_FRAGMENT: 'a choice has no text in braces',
  DUPLICATE_SELECT_ARGUMENT_SELECTOR: 'a choice stands there twice',
  DUPLICATE_PLURAL_ARGUMENT_SELECTOR: 'a choice stands there twice',
  MISSING_OTHER_CLAUSE: 'a plural or select has no choice `other`',
  INVALID_TAG: 'a tag is not complete',
  UNCLOSED_TAG: 'a tag has no end',
  UNMATCHED_CLOSING_TAG: 'the end of a tag has no begin',
};
