import type { Words } from '../words/words.ts';
import type { Session } from './session.ts';

/** The parts of the response beside the result of the operation. */
export interface Reply {
  /** The token that the caller's browser keeps for the host's own pages (CONTRACT §15.1); null takes it away. */
  browserToken?: string | null | undefined;
  /** The language that the person of the session has chosen; null for none. */
  locale?: string | null | undefined;
  /**
   * Returns the words in which the answer speaks to its reader, and has it name their language (CONTRACT §20.3): that which
   * the request asks for, else the person's own, else the default one.
   */
  speak?(): Words;
}

/** The caller of an operation, as far as an interface knows it. A request reads each property when it is asked for. */
export interface Caller {
  /** The client's IP address; null when there is none, as on the command line. */
  ip: string | null;
  userAgent?: string | undefined;
  /** When its request came, by `performance.now()`; absent where there is none, as on the command line. */
  cameAt?: number | undefined;
  /** The id of the request in the log. */
  requestId?: string | undefined;
  /** The Authorization header. */
  authorization?: string | undefined;
  /** Every header of the request, by its name in lower case. */
  headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bearer token of the Authorization header (RFC 6750), not yet verified. */
  bearer?: string | undefined;
  /** The session of the bearer token, once it is checked: the operations of one caller share the check. */
  session?: Promise<Session> | undefined;
  /** Absent where there is no browser, as on the command line. */
  reply?: Reply | undefined;
  /** The state that the fields of one GraphQL document share. */
  document?: SharedDocument | undefined;
}

/** The state that the fields of one GraphQL document share, each with a caller of its own. */
export interface SharedDocument {
  /** The id of the session that a sign-in of this document has ended, and that its other fields keep (CONTRACT §9.6). */
  keptSession?: string | undefined;
}

/** Returns the language in which a new account is written to, unless it says which; null while there is one language. */
export const negotiatedLocale = (
  { locales }: { locales: readonly string[] },
  { reply }: Pick<Caller, 'reply'>,
): string | null => (locales.length > 1 ? (reply?.speak?.().locale ?? null) : null);

/** Returns whether the caller's document keeps a session that one of its sign-ins has ended. */
export const keepsSession = ({ document }: Caller, jti: string): boolean => document?.keptSession === jti;

/** Returns the same caller for another operation, whose session is checked again. */
export const callerAnew = (caller: Caller): Caller => {
  const { ip, userAgent, cameAt, requestId, headers, authorization, bearer, reply, document } = caller;
  return { ip, userAgent, cameAt, requestId, headers, authorization, bearer, reply, document };
};

/**
 * The caller of the command line. Access to the machine is its permission: it may do what a superuser may. It is
 * recognised by object identity, so nothing in a request can claim to be it.
 */
export const operatorCaller: Caller = Object.freeze({ ip: null });

/**
 * The caller of the server API: the application that Gatehouse is embedded in. As the command line, it may do what a
 * superuser may, and is recognised by object identity.
 */
export const hostCaller: Caller = Object.freeze({ ip: null });
