/** How long a failure is cached, in milliseconds: as long as clients are told to wait. */
export const failureLifeMs = 5000;

/**
 * Sends a request when its response is first needed, and caches the response for `lifeMs`. Concurrent callers wait for the
 * same request, and a failure is not retried for some seconds. So a flood of sign-ins does not reach the provider, whether
 * it is available or not. One response is kept, of one size-limited request.
 */
export function shareRequest<T>(send: () => Promise<T>, lifeMs: number): () => Promise<T> {
  let kept: { response: Promise<T>; until: number } | undefined;

  return () => {
    if (kept && performance.now() < kept.until) return kept.response;
    const response = send();
    const request = { response, until: Number.POSITIVE_INFINITY };
    kept = request;
    response.then(
      () => {
        request.until = performance.now() + lifeMs;
      },
      () => {
        request.until = performance.now() + failureLifeMs;
      },
    );
    return response;
  };
}
