import { codeIn, type Letter, type Letters, type Place, tokenIn } from './letters.ts';
import type { LogSink } from './log-follow.ts';

/** The most lines of one letter; the following ones are something else. */
const linesAtMost = 60;
/** How long after its first line the body of a letter may arrive, in milliseconds: both are written at once. */
const bodyWithinMs = 1000;
/** The longest line that is examined, in characters. */
const lineLimit = 32 * 1024;

const backendOf = (to: string) => (to.startsWith('+') ? 'sms' : 'email');

/** The log of the deployment, to which the console backends write. */
export const logPlace: Place = {
  name: 'log',
  absent(to) {
    const backend = backendOf(to);
    return `the probe needs ${backend}.backend = "console" and ${backend}.log_bodies = true`;
  },
  empty(to) {
    const what = to.startsWith('+') ? 'text message' : 'email';
    return `the ${what} is in the log without its body: set ${backendOf(to)}.log_bodies = true for the probe`;
  },
};

/**
 * Returns a reader of letters as the console backends log them (CONTRACT §5): as plain lines, with or without the prefix
 * of a log carrier, or as JSON records. Everything else is discarded at once.
 */
export function logReader(letters: Letters): LogSink {
  let rest = '';
  let current: { letter: Letter; lines: number } | null = null;

  function read(line: string): void {
    const record = jsonOf(line);
    if (record) {
      // A record is complete in itself.
      current = null;
      for (const inner of textOf(record).split('\n')) readPlain(inner);
      current = null;
    } else readPlain(line);
  }

  function readPlain(line: string): void {
    const to = recipientOf(line);
    if (to !== null) current = letters.isOwn(to) ? begin(to) : null;
    if (!current) return;
    const { letter } = current;
    if (letter.secret !== null) return;
    current.lines++;
    if (current.lines > 1) letter.bodyUntil = 0;
    letter.secret = letter.to.startsWith('+') ? codeIn(line) : tokenIn(line);
    if (current.lines >= linesAtMost) current = null;
  }

  function begin(to: string) {
    const letter: Letter = { to, secret: null, bodyUntil: performance.now() + bodyWithinMs };
    letters.add(letter);
    return { letter, lines: 0 };
  }

  return {
    text(chunk) {
      const lines = (rest + chunk).split(/\r?\n/);
      rest = (lines.pop() ?? '').slice(0, lineLimit);
      for (const line of lines) read(line.slice(0, lineLimit));
      letters.changed();
    },
    ended: letters.ended,
  };
}

type JsonRecord = { msg?: unknown; message?: unknown; body?: unknown; to?: unknown };

function jsonOf(line: string): JsonRecord | null {
  const start = line.indexOf('{');
  if (start < 0) return null;
  try {
    const value: unknown = JSON.parse(line.slice(start));
    return value !== null && typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/** Returns the text of a record; a body in a field of its own (at DEBUG) follows its header. */
function textOf({ msg, message, body, to }: JsonRecord): string {
  const text = String(msg ?? message ?? '');
  if (typeof body !== 'string' || typeof to !== 'string') return text;
  return to.startsWith('+') ? `text message to ${to}: ${body}` : `mail to ${to}: body\n${body}`;
}

function recipientOf(line: string): string | null {
  return (
    /\bmail to ([^\s@]+@[^\s@]+): /.exec(line)?.[1] ??
    /\btext message to (\+\d+)(?=:|$)/.exec(line)?.[1] ??
    null
  );
}
