interface DeliveryErrorOptions {
  code: string;
  permanent?: boolean | undefined;
  isOfRecipient?: boolean | undefined;
  reply?: string | undefined;
  cause?: unknown;
}

/**
 * The error of a message that was not accepted. Its text is Gatehouse's own and contains no address, number, subject or
 * body, so it may be logged.
 */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  /** A code for programs: `ECONNREFUSED`, `EAUTH`, `MessageRejected`. */
  readonly code: string;
  /** Whether a retry of the same message would fail the same way. */
  readonly permanent: boolean;
  /** Whether it says something about this recipient, and nothing about others. */
  readonly isOfRecipient: boolean;
  /** The reply of the server, without addresses and links; for the person who tests the set-up, not for logs. */
  readonly reply: string | undefined;

  constructor(message: string, options: DeliveryErrorOptions) {
    super(message, { cause: options.cause });
    this.code = options.code;
    this.permanent = options.permanent ?? false;
    this.isOfRecipient = options.isOfRecipient ?? false;
    this.reply = options.reply === undefined ? undefined : withoutSecrets(options.reply);
  }
}

/** Returns the fields that the log may contain about an error: only its code, unless it is a `DeliveryError`. */
export function loggable(error: unknown): { code: string; reason?: string } {
  if (error instanceof DeliveryError) return { code: error.code, reason: error.message };
  if (!(error instanceof Error)) return { code: 'unknown' };
  const code = 'code' in error ? error.code : error.name;
  return { code: typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : 'unknown' };
}

/** Replaces links, addresses and anything long enough to be a token; returns one line of at most 300 characters. */
function withoutSecrets(text: string): string {
  return text
    .replace(/[a-z][a-z0-9+.-]*:\/\/\S+/gi, '[link]')
    .replace(/[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g, '[address]')
    .replace(/[\w-]{32,}/g, '[token]')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, 300);
}
