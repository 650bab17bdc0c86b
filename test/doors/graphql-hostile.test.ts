import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, startApp } from '../support/app.ts';

describe('the GraphQL door', () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app?.close());

  test('refuses 490 times the same field quickly', async () => {
    // An attacker sends documents whose validation compares each field with every other.
    const query = `{ ${'me { id } '.repeat(490)} }`;
    const { body } = await app.graphql(query);
    // The count of its fields is all that refuses it: it was not validated, which is what takes long.
    expect(body.errors).toMatchObject([
      {
        message: expect.stringMatching(/\b980 fields; 300 are allowed/),
        extensions: { code: 'invalid_document' },
      },
    ]);
    expect(body).not.toHaveProperty('data');
  });

  test('answers 405 to TRACE', async () => {
    // An attacker reads back what a proxy adds to a request; and this method must not end the process.
    const { hostname, port, pathname } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.end(
      `TRACE ${pathname}/graphql HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Secret: s\r\n\r\n`,
    );
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 405 /);
    expect(answer).toMatch(/^Allow: GET, POST\r$/m);
    expect(answer).not.toContain('X-Secret');
    expect((await app.graphql('{ features { appName } }')).status).toBe(200);
  });

  test.each(['text/event-stream', 'multipart/mixed', 'text/event-stream, */*'])(
    'gives one JSON answer to a client that accepts %s',
    async Accept => {
      const reply = await app.graphql('{ features { appName } }', {}, { headers: { Accept } });
      expect(reply.status).toBe(200);
      expect(reply.headers.get('Content-Type')).toMatch(/^application\/(graphql-response\+)?json/);
      expect(reply.body).toEqual({ data: { features: { appName: 'Gatehouse' } } });
    },
  );
});
