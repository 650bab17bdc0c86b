import type { RedisUrl } from '../config/redis-url.ts';
import { shownAddress } from '../config/url-parts.ts';
import { StorageError } from '../storage/errors.ts';
import { tlsFailure } from '../storage/transport.ts';

/** The meaning of the first word of an error reply, as the end of a sentence. */
const words: Record<string, string> = {
  WRONGPASS: 'rejects the user name or the password. Check them in rate_limit_store_url',
  NOAUTH: 'requires a password. Add it to rate_limit_store_url',
  NOPERM:
    'does not permit this user the commands that limits need: EVAL, EVALSHA, SET, GET, INCRBY, PTTL and INFO',
  READONLY: 'is a replica, which accepts no writes. Name the primary in rate_limit_store_url',
  LOADING: 'is still loading its data',
  OOM: 'is out of memory. Raise maxmemory, or set an eviction policy',
  DENIED: 'is in protected mode: it needs a password before other machines may use it',
};
const sentences: [RegExp, string][] = [
  [/invalid (username-)?password|without any password|AUTH.*called without/i, words.WRONGPASS!],
  [
    /DB index is out of range/i,
    'has no database with that number. Correct the number at the end of rate_limit_store_url',
  ],
  [/max number of clients/i, 'has reached its maximum number of clients'],
];
const codes: Record<string, string> = {
  ECONNREFUSED: 'is unreachable (ECONNREFUSED): nothing listens there',
  ENOTFOUND: 'is unreachable: its name does not resolve (ENOTFOUND)',
  EAI_AGAIN: 'is unreachable: the name server does not respond (EAI_AGAIN)',
  ENOENT: 'is unreachable (ENOENT): there is no such socket',
};

/**
 * Returns why Redis does not count, in one line without password or key. `hasAnswered` is about the connection that
 * failed.
 */
export function redisRefusal(error: unknown, url: RedisUrl, hasAnswered: boolean): StorageError {
  const { address, isEncrypted } = url;
  return new StorageError(`Redis at ${shownAddress(address)} ${reasonOf(error, isEncrypted, hasAnswered)}.`);
}

function reasonOf(error: unknown, isEncrypted: boolean, hasAnswered: boolean): string {
  const { code = '', message, name } = error as NodeJS.ErrnoException;
  if (name === 'ReplyError') {
    // The text after the first word may contain a key, and so a client's address.
    const word = /^[A-Z]+/.exec(message)?.[0] ?? 'an error';
    return sentences.find(([pattern]) => pattern.test(message))?.[1] ?? words[word] ?? `refuses (${word})`;
  }
  if (code in codes) return codes[code]!;
  if (isEncrypted && code === 'ERR_SSL_WRONG_VERSION_NUMBER')
    return `does not support TLS (${code}). Write redis:// in place of rediss://`;
  const failure = tlsFailure(error);
  if (failure) return `can't be reached by TLS: ${failure}. Check rate_limit_store_url and its ssl_ca_certs`;
  if (/timed? ?out/i.test(`${code} ${message}`)) return 'does not respond in time';
  if (isGone(error)) {
    if (hasAnswered) return 'has closed the connection';
    const hint = isEncrypted ? '' : '. It may require TLS: write rediss:// in place of redis://';
    return `closes the connection without a reply${hint}`;
  }
  return `is unreachable (${code || name})`;
}

/** Returns whether a connection ended without a reason, or with bytes that are not of Redis, such as a TLS alert. */
const isGone = (error: unknown) =>
  error instanceof Error &&
  (/Connection is closed|Protocol error/.test(error.message) ||
    /ECONNRESET|EPIPE/.test(String((error as NodeJS.ErrnoException).code)));
