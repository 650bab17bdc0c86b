import type { CustomFetchOptions } from 'openid-client';

/** The largest document that a provider may answer with, in bytes; Google's keys are two kilobytes. */
const largestAnswer = 256 * 1024;
/** How long one request may take, in milliseconds; the few that a callback makes end within ten seconds. */
const requestTimeoutMs = 3000;

/**
 * Fetches from a provider that may hang, lie or answer without end: bounded in time and size, following no redirect,
 * so that a provider can't send us elsewhere.
 */
export async function boundedFetch(
  url: string,
  { method, headers, body }: CustomFetchOptions,
): Promise<Response> {
  const response = await fetch(url, {
    ...{ method, headers, body: body as RequestInit['body'] },
    redirect: 'error',
    signal: AbortSignal.timeout(requestTimeoutMs),
  });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > largestAnswer) throw new Error('The answer is too large.');
    chunks.push(chunk);
  }
  const isBodyless = response.status === 204 || response.status === 304;
  return new Response(isBodyless ? null : Buffer.concat(chunks), response);
}
