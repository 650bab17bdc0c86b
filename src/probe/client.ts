import { Agent as HttpAgent, type IncomingHttpHeaders, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { CheckFailure } from '../check.ts';
import { inWords } from './connection-error.ts';

/** An answer of the deployment. */
export interface Answer {
  /** What was asked: `POST /login`. */
  asked: string;
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The JSON value of the body, or null when it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: what a check reads of it, it also expects
  body: any;
}

export interface CallOptions {
  body?: unknown;
  /** Sent as it is, in place of `body`. */
  raw?: { type: string; text: string };
  token?: string | null;
  /** Answers 429 as it came, in place of waiting as it asks. */
  takeRefusal?: boolean;
}

/** Tells the probe to stop; replaced by a signal that never fires while the probe takes its user away. */
export interface Interruption {
  signal: AbortSignal;
}

export type Client = ReturnType<typeof createClient>;

interface ClientOptions {
  /** Where the API is, without a slash at the end. */
  url: string;
  timeoutMs: number;
  /** Takes any certificate. */
  insecure: boolean;
  /** Sees every answer. */
  witness: (answer: Answer) => void;
  /** Told before the client waits because a limit asks for it, in seconds. */
  onWait: (asked: string, seconds: number) => void;
  /** No request is sent once it has fired; one that was sent is waited for, because it may have done its work. */
  interruption: Interruption;
}

/** The longest that a `Retry-After` is waited for, in seconds, and how often in a row. */
const patienceSeconds = 120;
const patienceTimes = 3;
/** The longest body that is read, in bytes. */
const bodyLimit = 1024 * 1024;

/** Speaks HTTP as it is: no redirect is followed, no status is an error. */
export function createClient({ url, timeoutMs, insecure, witness, onWait, interruption }: ClientOptions) {
  const isHttps = url.startsWith('https:');
  // A connection for each request: one that is kept may be cut by the other side while a mail is waited for.
  const agent = isHttps ? new HttpsAgent({ rejectUnauthorized: !insecure }) : new HttpAgent();
  const request = isHttps ? requestHttps : requestHttp;

  function send(method: string, path: string, { body, raw, token }: CallOptions): Promise<Answer> {
    const asked = `${method} ${path.split('?')[0]}`;
    const payload =
      raw ?? (body === undefined ? undefined : { type: 'application/json', text: JSON.stringify(body) });
    const headers = {
      Accept: 'application/json',
      ...(payload && { 'Content-Type': payload.type, 'Content-Length': Buffer.byteLength(payload.text) }),
      ...(token && { Authorization: `Bearer ${token}` }),
    };
    const signal = AbortSignal.timeout(timeoutMs);
    return new Promise((resolve, reject) => {
      const fail = (error: unknown) => reject(new CheckFailure(`${asked}: ${inWords(error, timeoutMs)}`));
      const sent = request(`${url}${path}`, { method, agent, headers, signal }, response => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', chunk => {
          text += chunk;
          if (text.length > bodyLimit) response.destroy(new Error('the answer is longer than 1 MiB'));
        });
        response.on('error', fail);
        response.on('end', () => {
          const { statusCode: status = 0, headers } = response;
          resolve({ asked, status, headers, text, body: parsed(text) });
        });
      });
      sent.on('error', fail);
      sent.end(payload?.text);
    });
  }

  return {
    url,

    /** Asks, and waits as a limit tells it to. @throws {CheckFailure} when there is no answer */
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
