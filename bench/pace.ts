import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Shot } from './load.ts';

interface Pace {
  url: string;
  shots: Shot[];
  /** Requests a second, sent one by one whether or not those before are answered. */
  rate: number;
  seconds: number;
}

/** Latencies in milliseconds, of all requests. */
interface Paced {
  p50: number;
  p99: number;
}

/**
 * Sends requests at a steady pace, each when its time has come, and checks every answer. The time of a request begins
 * when it was due, so that a client that is kept waiting by the machine hides nothing. @throws when an answer was wrong
 */
export async function pace({ url, shots, rate, seconds }: Pace): Promise<Paced> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const startedAt = performance.now();
  const under: Promise<number>[] = [];
  for (let i = 0; i < rate * seconds; i++) {
    const dueAt = startedAt + (i * 1000) / rate;
    const early = dueAt - performance.now();
    if (early > 0) await sleep(early);
    under.push(send(agent, url, shots[i % shots.length]!).then(() => performance.now() - dueAt));
  }
  const latencies = (await Promise.all(under)).sort((a, b) => a - b);
  agent.destroy();
  const at = (share: number) => Math.round(latencies[Math.floor(share * (latencies.length - 1))]! * 10) / 10;
  return { p50: at(0.5), p99: at(0.99) };
}

function send(agent: Agent, url: string, shot: Shot): Promise<void> {
  const { method = 'GET', path, body, expect, status = 200 } = shot;
  const sent = body === undefined ? '' : JSON.stringify(body);
  const headers = {
    ...shot.headers,
    ...(sent && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  request(`${url}${path}`, { agent, method, headers }, response => {
    let text = '';
    response
      .setEncoding('utf8')
      .on('data', part => {
        text += part;
      })
      .on('error', reject)
      .on('end', () => {
        if (response.statusCode === status && text.includes(expect)) resolve();
        else
          reject(
            new Error(`A wrong answer from ${url}${path}: ${response.statusCode} ${text.slice(0, 300)}`),
          );
      });
  })
    .on('error', reject)
    .end(sent);
  return promise;
}
