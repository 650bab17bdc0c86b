import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createGatehouse, type Gatehouse } from '../../src/index.ts';
import { jwtSecret } from '../support/app.ts';
import { silent } from '../support/embedded.ts';

// Bodies of the Fetch standard that a client does not finish: a runtime makes a stream of the connection.

let gatehouse: Gatehouse;
/** What would have ended the process. */
const uncaught: unknown[] = [];
const note = (error: unknown) => void uncaught.push(error);
beforeAll(async () => {
  gatehouse = await createGatehouse({
    jwtSecret,
    databaseUrl: 'sqlite+aiosqlite:///:memory:',
    logger: silent,
  });
  await gatehouse.installSchema();
  process.prependListener('uncaughtException', note);
});
afterEach(() => expect(uncaught.splice(0)).toEqual([]));
afterAll(async () => {
  process.removeListener('uncaughtException', note);
  await gatehouse?.close();
});

/** A body that comes piece by piece, as a test says. */
function openBody() {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  const stream = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
    },
  });
  return {
    stream,
    send: (bytes: number) => controller.enqueue(new Uint8Array(bytes).fill(0x20)),
    breakOff: () => controller.error(new DOMException('The client has left.', 'AbortError')),
  };
}

type Headers = Record<string, string>;
const json: Headers = { 'Content-Type': 'application/json' };
const text: Headers = { 'Content-Type': 'text/plain', 'Content-Length': '100000' };

const post = (path: string, headers: Headers, body: ReadableStream<Uint8Array>) =>
  gatehouse.fetch(
    new Request(`http://localhost/api/auth${path}`, {
      ...{ method: 'POST', headers, body },
      duplex: 'half',
    } as RequestInit),
  );

/** Lets everything run that is due. */
async function settle() {
  for (let i = 0; i < 20; i++) await nextTurn();
}

describe.each(['/login', '/graphql'])('a body that is refused, at %s', path => {
  test.each([
    ['of another type', text, 10, 415],
    ['that is too large', json, 70_000, 413],
  ])('%s: a client that leaves then ends nothing but its own request', async (_, headers, bytes, status) => {
    // An attacker sends the beginning of a body, reads no response, and closes the connection.
    const body = openBody();
    body.send(bytes);
    const response = await post(path, headers, body.stream);
    expect(response.status).toBe(status);
    body.send(10);
    await settle();
    body.breakOff();
    await settle();
  });
});

test('a body that breaks off is no JSON', async () => {
  const body = openBody();
  body.send(10);
  const answer = post('/login', json, body.stream);
  await settle();
  body.breakOff();
  expect((await answer).status).toBe(400);
});

test('a call ends when its signal aborts, with the reason of the signal', async () => {
  const abort = new AbortController();
  const body = openBody();
  const reason = new Error('the runtime gives up');
  const init = { method: 'POST', headers: json, body: body.stream, duplex: 'half', signal: abort.signal };
  const url = 'http://localhost/api/auth/login';
  const answer = gatehouse.fetch(new Request(url, init as RequestInit));
  const failed = expect(answer).rejects.toBe(reason);
  await settle();
  abort.abort(reason);
  await failed;
  await expect(gatehouse.fetch(new Request(url, { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
  // The stream of the body was cancelled, or is never read: its end harms nothing.
  body.breakOff();
  await settle();
});
