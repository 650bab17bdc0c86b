import { DeliveryError, loggable } from './delivery-error.ts';
import type { Signed } from './webhook-signature.ts';

/** How long an endpoint may take to answer, in milliseconds (CONTRACT §12.2). */
const answerWithinMs = 15_000;

/** An endpoint that answers with this status wants nothing any more (Standard Webhooks, "Gone"). */
const gone = 410;

/** Why an endpoint has not taken a delivery. */
export class NotTaken extends DeliveryError {
  /** Whether the endpoint said that it wants nothing any more. */
  readonly isGone: boolean;

  constructor(message: string, code: string, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(message, { code, cause });
    this.isGone = status === gone;
  }
}

interface SendOptions {
  userAgent: string;
  /** How long the endpoint may take to answer, in milliseconds. */
  timeoutMs?: number | undefined;
  /** Ends the request when the process is stopping. */
  ending: AbortSignal;
}

/**
 * Sends a delivery to an endpoint. A redirect is not followed: the address is that of the configuration alone. What the
 * endpoint answers is not read, apart from its status, which is returned.
 * @throws {NotTaken} whose text contains nothing of the delivery, and of the address nothing
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
      throw new NotTaken(`it did not answer within ${timeoutMs / 1000} seconds`, 'ETIMEDOUT');
    // Why a connection failed is in the cause.
    const { code } = loggable(error.cause ?? error);
    throw new NotTaken('it cannot be reached', code, { cause: error });
  });
  void response.body?.cancel().catch(() => {});
  const { ok, status } = response;
  if (!ok) throw new NotTaken(`it answered ${status}`, `http_${status}`, { status });
  return status;
}
