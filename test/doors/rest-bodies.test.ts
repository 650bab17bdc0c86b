import { type RequestOptions, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import express from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, type Member, signUp, startApp } from '../support/app.ts';
import { type Answer, type Body, sendTo } from './raw-request.ts';

const browserApp = 'https://app.example';
let app: App;
let member: Member;
beforeAll(async () => {
  app = await startApp({ settings: { corsOrigins: [browserApp], enableAdminRouter: true } });
  member = await signUp(app);
});
afterAll(() => app?.close());

const send = (path: string, body?: Body, options?: RequestOptions, to = app) =>
  sendTo(to, path, body, options);

const login = (body: Body, headers = {}) => send('/login', body, { headers });
const codeOf = ({ text }: Answer) => JSON.parse(text).code;
const credentials = () => JSON.stringify({ email: member.email, password: member.password });

describe('a body', () => {
  test.each([
    ['half an object', '{"email": "a'],
    ['a trailing comma', '{"email": "a",}'],
    ['two values', '{} {}'],
    ['single quotes', "{'email': 'a'}"],
    ['NaN', '{"email": NaN}'],
    ['white space alone', '  '],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['an overlong UTF-8 form', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['UTF-16', Buffer.from('{}', 'utf16le')],
  ])('that is %s is no JSON', async (_, body) => {
    const answer = await login(body);
    expect(answer.status).toBe(400);
    expect(codeOf(answer)).toBe('bad_json');
  });

  test('may begin with a byte order mark', async () => {
    expect((await login(`\ufeff${credentials()}`)).status).toBe(200);
  });

  test.each([
    ['no bytes', ''],
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"text"'],
    ['a number', '5'],
    ['false', 'false'],
  ])('of %s is no login', async (_, body) => {
    const answer = await login(body);
    expect(answer.status).toBe(422);
    expect(codeOf(answer)).toBe('invalid_input');
  });

  test('that is missing is an empty object', async () => {
    const answer = await send('/login', [], { headers: {} });
    expect(codeOf(answer)).toBe('invalid_input');
    const { token } = await signUp(app);
    expect((await app.rest('POST', '/logout', undefined, { token })).status).toBe(200);
  });

  test.each([
    ['lists', '['.repeat(30_000), ']'.repeat(30_000)],
    ['objects', '{"a":'.repeat(9_000), `1${'}'.repeat(9_000)}`],
  ])('of deeply nested %s is refused like any other, whatever the field', async (_, open, close) => {
    // An attacker sends nesting that overflows the stack of a recursive parser or validator.
    expect(codeOf(await login(`${open}${close}`))).toBe('invalid_input');
    expect(codeOf(await login(`{"email":${open}${close}}`))).toBe('invalid_input');
  });

  test.each(['__proto__', 'constructor', 'prototype', 'toString'])(
    'with the key %s is refused, and no object gets a property by it',
    async key => {
      // An attacker pollutes the prototype that all objects share.
      const answer = await login(`{"${key}": {"is_superuser": true}, ${credentials().slice(1)}`);
      expect(codeOf(answer)).toBe('invalid_input');
      expect({}).not.toHaveProperty('is_superuser');
    },
  );

  test('with a key twice counts its last value, as JSON.parse has it', async () => {
    const doubled = credentials().replace('{', '{"email":"eve@example.org",');
    expect((await login(doubled)).status).toBe(200);
  });

  describe('over 64 KiB', () => {
    const limit = 64 * 1024;

    const padded = (length: number) =>
      credentials()
        .replace('{', `{${' '.repeat(length)}`)
        .slice(0, length);

    const exact = (length: number) =>
      `{${' '.repeat(length - credentials().length)}${credentials().slice(1)}`;

    function* chunks(text: string): Generator<Buffer> {
      for (let i = 0; i < text.length; i += 16_384) yield Buffer.from(text.slice(i, i + 16_384));
    }

    test('is one byte more than is taken', async () => {
      expect((await login(exact(limit))).status).toBe(200);
      expect((await login(chunks(exact(limit)))).status).toBe(200);
    });

    test.each([
      ['announced', (length: number) => padded(length)],
      ['sent in chunks', (length: number) => chunks(padded(length))],
    ])('is refused when %s, and the client gets to see it', async (_, make) => {
      for (const length of [limit + 1, 5 * limit, 15 * limit]) {
        const answer = await login(make(length));
        expect(answer.status).toBe(413);
        expect(codeOf(answer)).toBe('body_too_large');
        expect(answer.headers.connection).toBe('close');
      }
    });

    test('is not read to its end', async () => {
      // An attacker keeps sending for as long as the server keeps reading.
      const req = request(`${app.url}/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
      });
      req.on('error', () => {});
      const closed = new Promise(resolve => req.once('close', resolve));
      const chunk = Buffer.alloc(65_536, ' ');
      const more = () => {
        while (!req.destroyed && req.write(chunk));
      };
      req.on('drain', more);
      more();
      await closed;
    });
  });

  test.each([
    ['no type', { 'content-type': '' }],
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a form with files', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['another JSON', { 'content-type': 'application/jsonp' }],
    ['another character set', { 'content-type': 'application/json; charset=iso-8859-1' }],
    ['UTF-16', { 'content-type': 'application/json;charset="utf-16"' }],
    ['an unknown encoding', { 'content-encoding': 'br' }],
  ])('declared as %s is not taken', async (_, headers) => {
    const answer = await login(credentials(), headers);
    expect(answer.status).toBe(415);
    expect(codeOf(answer)).toBe('unsupported_media_type');
  });

  test.each([
    ['no type', { 'content-type': '' }],
    ['JSON', {}],
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['another character set', { 'content-type': 'application/json; charset=iso-8859-1' }],
    ['an unknown encoding', { 'content-encoding': 'br' }],
  ])('of no bytes, sent in chunks and declared as %s, is no body', async (_, headers) => {
    const chunked = { headers: { 'transfer-encoding': 'chunked', ...headers } };
    const { token } = await signUp(app);
    const authorized = { headers: { ...chunked.headers, authorization: `Bearer ${token}` } };
    expect((await send('/logout', [], authorized)).status).toBe(200);
    expect(codeOf(await send('/login', [], chunked))).toBe('invalid_input');
    const { text } = await send('/graphql', [], chunked);
    expect(JSON.parse(text).errors[0].extensions.code).toBe('invalid_document');
    // One byte is a body.
    const answer = await send('/login', [Buffer.from(' ')], chunked);
    expect(answer.status).toBe(Object.keys(headers).length > 0 ? 415 : 400);
  });

  test('of another type is not read to its end', async () => {
    const req = request(`${app.url}/login`, { method: 'POST', headers: { 'content-type': 'text/plain' } });
    req.on('error', () => {});
    const closed = new Promise(resolve => req.once('close', resolve));
    const more = () => {
      while (!req.destroyed && req.write(Buffer.alloc(65_536, ' ')));
    };
    req.on('drain', more);
    more();
    await closed;
  });

  test('that is compressed is not taken', async () => {
    // An attacker sends a few bytes that unpack to many.
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const answer = await login(bomb.subarray(0, 60_000), { 'content-encoding': 'gzip' });
    expect(codeOf(answer)).toBe('unsupported_media_type');
  });

  test.each([
    'application/json',
    'Application/JSON; Charset=UTF-8',
    'application/json;charset="utf-8"',
    'application/json; profile=x',
    'application/vnd.api+json',
  ])('declared as %s is taken', async type => {
    expect((await login(credentials(), { 'content-type': type })).status).toBe(200);
  });
});

describe('a host that reads bodies itself', () => {
  let host: App;
  let ada: Member;
  beforeAll(async () => {
    const limit = '1mb';
    host = await startApp({
      before: [express.json({ limit }), express.urlencoded(), express.text({ limit })],
    });
    ada = await signUp(host);
  });
  afterAll(() => host?.close());

  test('hands them over, at both doors', async () => {
    const { email, password } = ada;
    expect((await host.rest('POST', '/login', { email, password })).status).toBe(200);
    const { body } = await host.graphql('{ features { appName } }');
    expect(body.data.features.appName).toBe('Gatehouse');
  });

  test.each([
    ['as it is', (text: string) => text, {}],
    ['in chunks', (text: string) => [Buffer.from(text)], {}],
    ['compressed', (text: string) => gzipSync(text), { 'content-encoding': 'gzip' }],
  ])('does not lift the bound of 64 KiB for a body that came %s', async (_, sent, headers) => {
    // A stranger has large documents remembered, by a host whose own routes take large bodies.
    const body = JSON.stringify({ query: `{ __typename } #${'x'.repeat(65_536)}` });
    const json = { 'content-type': 'application/json', ...headers };
    const answer = await send('/graphql', sent(body), { headers: json }, host);
    expect(answer.status).toBe(413);
    const login = JSON.stringify({ email: ada.email, password: 'x'.repeat(65_536) });
    expect((await send('/login', sent(login), { headers: json }, host)).status).toBe(413);
  });

  test('hands over nesting deeper than the stack, which is refused', async () => {
    const nested = `{"email":${'['.repeat(20_000)}${']'.repeat(20_000)},"password":"x"}`;
    const answer = await send('/login', [Buffer.from(nested)], {}, host);
    expect([413, 422]).toContain(answer.status);
  });

  test('changes nothing for requests without one', async () => {
    const { token } = ada;
    expect((await host.rest('GET', '/me', undefined, { token })).status).toBe(200);
    expect((await host.rest('POST', '/logout', undefined, { token: await freshToken() })).status).toBe(200);
  });

  test.each(['', 'application/json', 'text/plain', 'application/x-www-form-urlencoded', 'image/png'])(
    'takes a body of no bytes in chunks for none, declared as %j',
    async type => {
      const headers = {
        ...{ 'transfer-encoding': 'chunked', 'content-type': type },
        authorization: `Bearer ${await freshToken()}`,
      };
      expect((await send('/logout', [], { headers }, host)).status).toBe(200);
    },
  );

  const freshToken = async () => (await signUp(host)).token;

  test.each([
    ['a form', 'application/x-www-form-urlencoded', () => new URLSearchParams({ ...ada }).toString()],
    ['a text', 'text/plain', () => JSON.stringify({ email: ada.email, password: ada.password })],
  ])('does not make %s a body that the API takes', async (_, type, body) => {
    const answer = await send('/login', body(), { headers: { 'content-type': type } }, host);
    expect(answer.status).toBe(415);
  });
});
