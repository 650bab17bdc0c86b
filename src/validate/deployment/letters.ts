import { EventEmitter, once } from 'node:events';
import { CheckFailure } from '../check.ts';
import type { Interruption } from './client.ts';

/** An email or text message to one of the probe's own addresses. */
export interface Letter {
  to: string;
  /** The token or code in it; null if there is none, or none yet. */
  secret: string | null;
  /** Until when its body may still arrive, in milliseconds of `performance.now()`; 0 for a complete letter. */
  bodyUntil: number;
}

/** Where letters are read, and what to report when one does not arrive. */
export interface Place {
  /** `log`: for the reader of the report. */
  name: string;
  /** Returns why there may be no such letter. */
  absent(to: string): string;
  /** Returns why a letter that arrived may have no token or code. */
  empty(to: string): string;
}

interface LettersOptions {
  place: Place;
  /** How long a letter may take, in milliseconds. */
  timeoutMs: number;
  interruption: Interruption;
}

export type Letters = ReturnType<typeof createLetters>;

/** The emails and text messages to this probe's own addresses and phone, wherever they are read. */
export function createLetters({ place, timeoutMs, interruption }: LettersOptions) {
  const own = new Set<string>();
  const letters: Letter[] = [];
  const news = new EventEmitter();
  let ending: string | null = null;
  let awaited: string | null = null;
  let trouble: string | null = null;

  async function secretOf(to: string, since: number, form: RegExp): Promise<string> {
    const late = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([late, interruption.signal]);
    for (;;) {
      const mine = letters.slice(since).filter(letter => letter.to === to);
      const found = mine.find(letter => letter.secret !== null && form.test(letter.secret));
      if (found?.secret) return found.secret;
      const bodyUntil = mine.at(-1)?.bodyUntil || performance.now() + timeoutMs;
      const bodyMs = bodyUntil - performance.now();
      const bodyDue = AbortSignal.timeout(Math.max(0, Math.ceil(bodyMs)));
      if (ending !== null) throw new CheckFailure(`the ${place.name} ended: ${ending}`);
      await once(news, 'news', { signal: AbortSignal.any([signal, bodyDue]) }).catch(() => {});
      interruption.signal.throwIfAborted();
      if (late.aborted || bodyDue.aborted) throw new CheckFailure(missing(to, mine.length > 0));
    }
  }

  function missing(to: string, isSeen: boolean): string {
    if (isSeen) return place.empty(to);
    const what = to.startsWith('+') ? 'text message' : 'email';
    const reason = trouble ?? place.absent(to);
    return `no ${what} to ${to} in the ${place.name} within ${timeoutMs / 1000} seconds; ${reason}`;
  }

  return {
    /** From now on letters to this address or phone are kept. */
    watch(address: string): void {
      own.add(address);
    },

    isOwn: (address: string) => own.has(address),

    /** Returns whether a text contains one of the probe's own addresses. */
    areNamedIn: (text: string) => [...own].some(address => text.includes(address)),

    add(letter: Letter): void {
      letters.push(letter);
      news.emit('news');
    },

    /** Called when more of a letter that was added has arrived. */
    changed: () => void news.emit('news'),

    /** No more letters will arrive, for this reason. */
    ended(reason: string): void {
      ending = reason;
      news.emit('news');
    },

    /** Sets the present problem in reading; null when it is over. */
    troubled(reason: string | null): void {
      trouble = reason;
    },

    /** The recipient of the letter that is waited for now. */
    get awaited(): string | null {
      return awaited;
    },

    /** Returns a position: only letters after it are used. */
    mark: () => letters.length,

    /**
     * Returns the first token or code of this form in a letter to this address since the moment. Other letters may come between:
     * a notice of a new sign-in has a token, too.
     * @throws {CheckFailure} when none comes
     */
    async secretTo(to: string, since: number, form = /./): Promise<string> {
      awaited = to;
      try {
        return await secretOf(to, since, form);
      } finally {
        awaited = null;
      }
    },
  };
}

/** The form of the tokens that are signed: those of a reset and of a new address. */
export const signedToken = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Returns the code at the end of a text message, which is so in each language (CONTRACT §5, §20.9). */
export const codeIn = (line: string): string | null => /: (\d{4,10})$/.exec(line.trimEnd())?.[1] ?? null;

/**
 * Returns the token of the link at the end of a line: the `token` of its query, otherwise any part that has the form of
 * one. A line of an access log continues after its link.
 */
export function tokenIn(line: string): string | null {
  const link = /https?:\/\/\S+$/.exec(line.trimEnd())?.[0];
  if (!link) return null;
  const inQuery = URL.parse(link)?.searchParams.get('token');
  return inQuery || (/[\w-]+\.[\w-]{20,}\.[\w-]{20,}|[\w-]{43}(?![\w-])/.exec(link)?.[0] ?? null);
}
