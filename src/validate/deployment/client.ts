import { Agent as HttpAgent, type IncomingHttpHeaders, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { CheckFailure } from '../check.ts';
import { inWords } from './connection-error.ts';

/** A response of the deployment. */
export interface Answer {
  /** The request: `POST /login`. */
  asked: string;
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The JSON value of the body, or null if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: what a check reads of it, it also expects
  body: any;
}

export interface CallOptions {
  body?: unknown;
  /** Sent unchanged, instead of `body`. */
  raw?: { type: string; text: string };
  token?: string | null;
  /** Whether the path is one of the host, and not below the URL of the API. */
  isAtRoot?: boolean;
  /** The header `Cookie`. */
  cookie?: string;
  /** The header `Origin`. */
  origin?: string;
  /** Returns a 429 response at once, instead of waiting as it asks. */
  takeRefusal?: boolean;
}

/** Stops the probe; replaced by a signal that never fires while the probe removes its user. */
export interface Interruption {
  signal: AbortSignal;
}

export type Client = ReturnType<typeof createClient>;

interface ClientOptions {
  /** The URL of the API, without a slash at the end. */
  url: string;
  timeoutMs: number;
  /** Accept any certificate. */
  insecure: boolean;
  /** Receives every response. */
  witness: (answer: Answer) => void;
  /** Called with the seconds before the client waits because of a rate limit. */
  onWait: (asked: string, seconds: number) => void;
  /** No request is sent once it has fired; one that was sent is waited for, because it may have done its work. */
  interruption: Interruption;
}

/** The longest `Retry-After` that is waited for, in seconds, and how often in a row. */
const patienceSeconds = 120;
const patienceTimes = 3;
/** The largest body that is read, in bytes. */
const bodyLimit = 1024 * 1024;

/** Returns a plain HTTP client: no redirect is followed, no status is an error. */
export function createClient({ url, timeoutMs, insecure, witness, onWait, interruption }: ClientOptions) {
  const isHttps = url.startsWith('https:');
  // Each request has its own connection: the other side may close a kept one while an email is waited for.
  const agent = isHttps ? new HttpsAgent({ rejectUnauthorized: !insecure }) : new HttpAgent();
  const request = isHttps ? requestHttps : requestHttp;

  function send(
    method: string,
    path: string,
    { body, raw, token, cookie, origin, isAtRoot }: CallOptions,
  ): Promise<Answer> {
    const asked = `${method} ${path.split('?')[0]}`;
    const payload =
      raw ?? (body === undefined ? undefined : { type: 'application/json', text: JSON.stringify(body) });
    const headers = {
      Accept: 'application/json',
      ...(payload && { 'Content-Type': payload.type, 'Content-Length': Buffer.byteLength(payload.text) }),
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(cookie && { Cookie: cookie }),
      ...(origin && { Origin: origin }),
    };
    const signal = AbortSignal.timeout(timeoutMs);
    return new Promise((resolve, reject) => {
      const fail = (error: unknown) => reject(new CheckFailure(`${asked}: ${inWords(error, timeoutMs)}`));
      const sent = request(
        `${isAtRoot ? new URL(url).origin : url}${path}`,
        { method, agent, headers, signal },
        response => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', chunk => {
            text += chunk;
            if (text.length > bodyLimit) response.destroy(new Error('the response is longer than 1 MiB'));
          });
          response.on('error', fail);
          response.on('end', () => {
            const { statusCode: status = 0, headers } = response;
            resolve({ asked, status, headers, text, body: parsed(text) });
          });
        },
      );
      sent.on('error', fail);
      sent.end(payload?.text);
    });
  }

  return {
    url,

    /** Sends a request, and waits as a rate limit asks. @throws {CheckFailure} when there is no response */
    async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
      for (let waits = 0; ; waits++) {
        interruption.signal.throwIfAborted();
        const answer = await send(method, path, options);
        witness(answer);
        const seconds = Number(answer.headers['retry-after']);
        const canWait = answer.status === 429 && !options.takeRefusal && waits < patienceTimes;
        if (!canWait || !(seconds >= 0 && seconds <= patienceSeconds)) return answer;
        onWait(answer.asked, seconds);
        await sleep(seconds * 1000, undefined, { signal: interruption.signal });
      }
    },

    close: () => agent.destroy(),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
