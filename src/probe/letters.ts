import { EventEmitter, once } from 'node:events';
import { CheckFailure } from '../check.ts';
import type { Interruption } from './client.ts';
import type { LogSink } from './log-follow.ts';

/** A mail or text message that the log shows. */
interface Letter {
  to: string;
  lines: number;
  seenAt: number;
  /** The token or code in it, once it was found. */
  secret: string | null;
}

/** The most lines that one letter has; what follows is something else. */
const linesAtMost = 60;
/** How long the body of a letter may come after its first line, in milliseconds: both are written at once. */
const bodyWithinMs = 1000;
/** The longest line that is looked at, in characters. */
const lineLimit = 32 * 1024;

export type Letters = ReturnType<typeof createLetters>;

/**
 * The mails and text messages to this probe's own addresses and phone, as the console backends log them (CONTRACT §5):
 * as plain lines, with or without a prefix of their carrier, or as JSON records. Everything else is forgotten at once.
 */
export function createLetters(timeoutMs: number, interruption: Interruption) {
  const own = new Set<string>();
  const letters: Letter[] = [];
  const news = new EventEmitter();
  let rest = '';
  let current: Letter | null = null;
  let ending: string | null = null;

  function read(line: string): void {
    const record = jsonOf(line);
    if (record) {
      // A record is whole in itself.
      current = null;
      for (const inner of textOf(record).split('\n')) readPlain(inner);
      current = null;
    } else readPlain(line);
  }

  function readPlain(line: string): void {
    const to = recipientOf(line);
    if (to !== null) {
      current = own.has(to) ? { to, lines: 0, seenAt: performance.now(), secret: null } : null;
      if (current) letters.push(current);
    }
    if (!current || current.secret !== null) return;
    current.lines++;
    current.secret = current.to.startsWith('+') ? codeIn(line) : tokenIn(line);
    if (current.lines >= linesAtMost) current = null;
  }

  const sink: LogSink = {
    text(chunk) {
      const lines = (rest + chunk).split(/\r?\n/);
      rest = (lines.pop() ?? '').slice(0, lineLimit);
      for (const line of lines) read(line.slice(0, lineLimit));
      news.emit('news');
    },
    ended(reason) {
      ending = reason;
      news.emit('news');
    },
  };

  return {
    sink,

    /** From now on letters to this address or phone are kept. */
    watch(address: string): void {
      own.add(address);
    },

    /** A moment: only letters after it are taken. */
    mark: () => letters.length,

    /** The token or code of the first letter to this address since the moment. @throws {CheckFailure} when none comes */
    async secretTo(to: string, since: number): Promise<string> {
      const late = AbortSignal.timeout(timeoutMs);
      const signal = AbortSignal.any([late, interruption.signal]);
      for (;;) {
        const mine = letters.slice(since).filter(letter => letter.to === to);
        const last = mine.at(-1);
        const dueMs = last?.lines === 1 ? last.seenAt + bodyWithinMs - performance.now() : timeoutMs;
        const bodyDue = AbortSignal.timeout(Math.max(0, Math.ceil(dueMs)));
        const found = mine.find(letter => letter.secret !== null);
        if (found?.secret) return found.secret;
        if (ending !== null) throw new CheckFailure(`the log ended: ${ending}`);
        await once(news, 'news', { signal: AbortSignal.any([signal, bodyDue]) }).catch(() => {});
        interruption.signal.throwIfAborted();
        if (late.aborted || bodyDue.aborted) throw new CheckFailure(missing(to, mine.length > 0, timeoutMs));
      }
    },
  };
}

function missing(to: string, isSeen: boolean, timeoutMs: number): string {
  const [what, backend] = to.startsWith('+') ? ['text message', 'sms'] : ['mail', 'email'];
  if (isSeen)
    return `the ${what} is in the log without what it says: set ${backend}.log_bodies = true for the probe`;
  return `no ${what} to ${to} in the log within ${timeoutMs / 1000} seconds; the probe needs ${backend}.backend = "console" and ${backend}.log_bodies = true`;
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

/** The text of a record; a body that stands in a field of its own (at DEBUG) is put under its header. */
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

const codeIn = (line: string) => /\b(?:sign-in|verification) code: (\d{4,10})\b/.exec(line)?.[1] ?? null;

/**
 * The token of the link that is a line of its own, a carrier's prefix apart: its query's `token`, else whatever in it
 * has the form of one. A line of an access log goes on after its link.
 */
function tokenIn(line: string): string | null {
  const link = /https?:\/\/\S+$/.exec(line.trimEnd())?.[0];
  if (!link) return null;
  const inQuery = URL.parse(link)?.searchParams.get('token');
  return inQuery || (/[\w-]+\.[\w-]{20,}\.[\w-]{20,}|[\w-]{43}(?![\w-])/.exec(link)?.[0] ?? null);
}
