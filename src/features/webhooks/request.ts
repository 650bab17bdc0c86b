import { DeliveryError, loggable } from '../../outgoing/delivery-error.ts';
import { type Said, say } from '../../words/said.ts';
import { english } from '../../words/words.ts';
import type { Signed } from './signature.ts';

/** How long an endpoint may take to answer, in milliseconds (CONTRACT §12.2). */
const answerWithinMs = 15_000;

/** An endpoint that answers with this status wants no further deliveries (Standard Webhooks, "Gone"). */
const gone = 410;

/** The error of a delivery that an endpoint did not accept. Its text contains nothing of the delivery or the address. */
export class WebhookError extends DeliveryError {
  /** Whether the endpoint wants no further deliveries. */
  readonly isGone: boolean;

  /** Its text, in the language of whoever tests an endpoint. The log and the database have it in English. */
  readonly said: Said;

  constructor(said: Said, code: string, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(english.say(said), { code, cause });
    this.said = said;
    this.isGone = status === gone;
  }
}

interface SendOptions {
  userAgent: string;
  /** How long the endpoint may take to answer, in milliseconds. */
  timeoutMs?: number | undefined;
  /** Ends the request at the end of a shutdown. */
  ending: AbortSignal;
}

/**
 * Sends a delivery to an endpoint and returns the status of the answer, whose body is not read. Redirects are not followed:
 * only the configured address may get a delivery.
 * @throws {WebhookError}
 */
export async function send(
  url: string,
  headers: Signed,
  body: string,
  { userAgent, timeoutMs = answerWithinMs, ending }: SendOptions,
): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'user-agent': userAgent },
    body,
    redirect: 'manual',
    signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ending]),
  }).catch((error: Error) => {
    if (error.name === 'TimeoutError')
      throw new WebhookError(say('notice_webhook_silent', { seconds: `${timeoutMs / 1000}` }), 'ETIMEDOUT');
    // The cause says why a connection failed.
    const { code } = loggable(error.cause ?? error);
    throw new WebhookError(say('notice_webhook_unreachable'), code, { cause: error });
  });
  void response.body?.cancel().catch(() => {});
  const { ok, status } = response;
  if (!ok)
    throw new WebhookError(say('notice_webhook_answered', { status: `${status}` }), `http_${status}`, {
      status,
    });
  return status;
}
