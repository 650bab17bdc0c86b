interface DeliveryErrorOptions {
  code: string;
  permanent?: boolean | undefined;
  reply?: string | undefined;
  cause?: unknown;
}

/** Why a message was not taken. Its own message is ours: no address, number, subject or body, so it may be logged. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  /** A word for machines: `ECONNREFUSED`, `EAUTH`, `MessageRejected`. */
  readonly code: string;
  /** Trying the same message again would end the same. */
  readonly permanent: boolean;
  /** What the other side said, without addresses and links; for the person who tests the set-up, not for logs. */
  readonly reply: string | undefined;

  constructor(message: string, options: DeliveryErrorOptions) {
    super(message, { cause: options.cause });
    this.code = options.code;
    this.permanent = options.permanent ?? false;
    this.reply = options.reply === undefined ? undefined : withoutSecrets(options.reply);
  }
}

/** What a log may say about a failed message: nothing of an error that is not ours except its code. */
export function loggable(error: unknown): { code: string; reason?: string } {
  if (error instanceof DeliveryError) return { code: error.code, reason: error.message };
  if (!(error instanceof Error)) return { code: 'unknown' };
  const code = 'code' in error ? error.code : error.name;
  return { code: typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : 'unknown' };
}

/** Blanks links, addresses and whatever is long enough to be a token; one line of at most 300 characters. */
function withoutSecrets(text: string): string {
  return text
    .replace(/[a-z][a-z0-9+.-]*:\/\/\S+/gi, '[link]')
    .replace(/[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g, '[address]')
    .replace(/[\w-]{32,}/g, '[token]')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, 300);
}
