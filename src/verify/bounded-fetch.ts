/** A function as the global `fetch`, or `gatehouse.fetch` in tests. */
export type Fetch = (request: Request) => Promise<Response>;

const timeoutMs = 5000;
const largestBytes = 64 * 1024;

/** Rejects with the reason of a signal when it aborts, whatever the function does with it. */
const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

/**
 * Returns the JSON object that a service answers: within 5 seconds, of at most 64 KiB, without following redirects.
 * @throws {Error} where it answers anything else
 */
export async function fetchObject(
  fetch: Fetch,
  url: string,
  init: RequestInit = {},
): Promise<Record<string, unknown>> {
  const signal = AbortSignal.timeout(timeoutMs);
  // `error` is unknown to some workers; a redirect that is not followed has another status than 200.
  const request = new Request(url, { ...init, redirect: 'manual', signal });
  const reading = read(await Promise.race([fetch(request), aborted(signal)]), url);
  const text = await Promise.race([reading, aborted(signal)]);
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${url} answered no JSON object.`);
  return value as Record<string, unknown>;
}

async function read(response: Response, url: string): Promise<string> {
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`${url} answered ${response.status}.`);
  }
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let text = '';
  let size = 0;
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done || value === undefined) return text + decoder.decode();
    size += value.length;
    if (size > largestBytes) {
      await reader?.cancel();
      throw new Error(`${url} answered more than 64 KiB.`);
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Returns whether secrets and keys may go over an address: https, or http on the same machine. */
export function isConfidential(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  if (protocol === 'https:') return true;
  return protocol === 'http:' && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
