import { createRequire } from 'node:module';
import { once } from '../lazily.ts';
import type { Catalogue } from './catalogue.ts';
import type { Parsed, Tree } from './message.ts';

/** Loads the parser with the first file that is read: shipped languages are parsed by the build. */
const parser = once((): typeof import('intl-messageformat') =>
  createRequire(import.meta.url)('intl-messageformat'),
);

/** A problem of a message in a file. */
export interface MessageProblem {
  id: string;
  /** Where in the message, from 1 on. */
  column: number;
  message: string;
}

/** The notes for translators on a message, as far as they are checked. */
export interface MessageNotes {
  /** The greatest number of columns. */
  longest?: number;
}

/** A file of messages: ARB, flat JSON in which `@id` tells translators of the message `id`. */
export interface MessageFile {
  messages: Catalogue;
  /** The messages as they are written. */
  sources: Readonly<Record<string, string>>;
  notes: Readonly<Record<string, MessageNotes>>;
  /** `@@locale`, as it stands there. */
  locale: unknown;
  /** `@@x-state`. */
  state: unknown;
  problems: MessageProblem[];
}

/** Returns the messages of a file. @throws {SyntaxError} where it is no object in JSON */
export function readArb(text: string): MessageFile {
  const content: unknown = JSON.parse(text);
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw new SyntaxError('It is no object');
  const messages: Record<string, Parsed> = {};
  const sources: Record<string, string> = {};
  const notes: Record<string, MessageNotes> = {};
  const problems: MessageProblem[] = [];
  const { '@@locale': locale, '@@x-state': state } = content as Record<string, unknown>;
  for (const [id, source] of Object.entries(content)) {
    if (id.startsWith('@@')) continue;
    if (id.startsWith('@')) {
      notes[id.slice(1)] = notesOf(source);
      continue;
    }
    if (typeof source !== 'string') {
      problems.push({ id, column: 1, message: 'must be a text' });
      continue;
    }
    sources[id] = source;
    try {
      messages[id] = compact(new (parser().IntlMessageFormat)(source, 'en').getAst());
    } catch (error) {
      problems.push({ id, column: columnOf(error), message: error instanceof Error ? error.message : '' });
    }
  }
  return { messages, sources, notes, locale, state, problems };
}

function notesOf(about: unknown): MessageNotes {
  if (typeof about !== 'object' || about === null) return {};
  const { 'x-max-length': longest } = about as Record<string, unknown>;
  return typeof longest === 'number' ? { longest } : {};
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
