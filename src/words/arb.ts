import { IntlMessageFormat } from 'intl-messageformat';
import type { Catalogue } from './catalogue.ts';
import type { Parsed, Tree } from './message.ts';

/** A problem of a message in a file. */
export interface MessageProblem {
  id: string;
  /** Where in the message, from 1 on. */
  column: number;
  message: string;
}

/** A file of messages: ARB, flat JSON in which `@id` tells translators of the message `id`. */
export interface MessageFile {
  messages: Catalogue;
  /** The messages as they are written. */
  sources: Readonly<Record<string, string>>;
  problems: MessageProblem[];
}

/** Returns the messages of a file. @throws {SyntaxError} where it is not JSON */
export function readArb(text: string): MessageFile {
  const entries: [string, unknown][] = Object.entries(JSON.parse(text));
  const messages: Record<string, Parsed> = {};
  const sources: Record<string, string> = {};
  const problems: MessageProblem[] = [];
  for (const [id, source] of entries) {
    if (id.startsWith('@') || typeof source !== 'string') continue;
    sources[id] = source;
    try {
      messages[id] = compact(new IntlMessageFormat(source, 'en').getAst());
    } catch (error) {
      problems.push({ id, column: columnOf(error), message: error instanceof Error ? error.message : '' });
    }
  }
  return { messages, sources, problems };
}

/** The number that the parser has for a literal. */
const literal = 0;

const compact = (tree: Tree): Parsed => {
  const [only, ...others] = tree;
  if (!only) return '';
  const isText = only.type === literal && others.length === 0;
  return isText ? only.value : tree;
};

/** The parser's errors say where. */
function columnOf(error: unknown): number {
  if (!(error instanceof Error && 'location' in error)) return 1;
  const { location } = error;
  const hasStart = typeof location === 'object' && location !== null && 'start' in location;
  const start: unknown = hasStart ? location.start : undefined;
  return typeof start === 'object' && start !== null && 'column' in start ? Number(start.column) : 1;
}
