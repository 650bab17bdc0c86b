/** The largest accepted response in bytes; Google's keys have two kilobytes. */
const largestAnswer = 256 * 1024;
/** The usual timeout of one request, in milliseconds; the few requests of a callback end within ten seconds. */
const requestTimeoutMs = 3000;

/**
 * Fetches from a service of others that may hang, be malicious or respond without end: bounded in time and size, and
 * without following redirects, so that it cannot direct the request elsewhere (SSRF).
 */
export async function boundedFetch(
  url: string,
  { method, headers, body }: { method: string; headers: Record<string, string>; body?: unknown },
  timeoutMs = requestTimeoutMs,
): Promise<Response> {
  const response = await fetch(url, {
    method,
    headers,
    body: body as RequestInit['body'],
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > largestAnswer) throw new Error('The response is too large.');
    chunks.push(chunk);
  }
  const isBodyless = response.status === 204 || response.status === 304;
  return new Response(isBodyless ? null : Buffer.concat(chunks), response);
}
