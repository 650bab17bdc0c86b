import type { IncomingHttpHeaders } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { twilioSender } from '../../src/sms/twilio.ts';
import { type Listening, listen } from '../support/listening.ts';

const text = { to: '+4915112345678', text: 'Your Acme code: 987012 – ä+&' };

let server: Listening;
let requests: { line: string; headers: IncomingHttpHeaders; form: URLSearchParams }[];
let status: number;
let code: number | undefined;
/** An answer in place of that code. */
let body: string | undefined;
let sender: ReturnType<typeof twilioSender>;

beforeEach(async () => {
  requests = [];
  status = 201;
  code = undefined;
  body = undefined;
  server = await listen(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    requests.push({ line: `${req.method} ${req.url}`, headers: req.headers, form });
    res.writeHead(status, { 'Content-Type': 'application/json', Location: '/elsewhere' });
    res.end(body ?? JSON.stringify({ code, message: `no: ${text.to} ${text.text}` }));
  });
  const baseUrl = server.origin;
  sender = twilioSender({ accountSid: 'AC1/2', authToken: 'the-token', from: '+15551234567', baseUrl });
});

afterEach(() => server.close());

/** Why the message was not taken. */
async function refusal() {
  const error = await sender.send(text).then(
    () => null,
    error => error,
  );
  // Errors reach the log: they hold no number, no code and no secret.
  expect(error?.message).not.toMatch(/4915112345678|987012|the-token/);
  return error;
}

test('a message is one form to the account, with its credentials', async () => {
  await sender.send(text);
  expect(requests).toHaveLength(1);
  const { line, headers, form } = requests[0]!;
  expect(line).toBe('POST /2010-04-01/Accounts/AC1%2F2/Messages.json');
  expect(headers.authorization).toBe(`Basic ${Buffer.from('AC1/2:the-token').toString('base64')}`);
  expect(headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/);
  expect(Object.fromEntries(form)).toEqual({ To: text.to, From: '+15551234567', Body: text.text });
});

test('a refusal of Twilio is not tried again, a passing failure is', async () => {
  for (const [answer, permanent] of [
    [400, true],
    [401, true],
    [404, true],
    [429, false],
    [500, false],
    [503, false],
  ] as const) {
    status = answer;
    expect(await refusal()).toMatchObject({ name: 'DeliveryError', code: `HTTP_${answer}`, permanent });
  }
});

test.each([
  [21211, true],
  [21610, true],
  [21212, false],
  [undefined, false],
])('code %s of Twilio is about the recipient alone: %s', async (number, isOfRecipient) => {
  status = 400;
  code = number;
  expect(await refusal()).toMatchObject({ code: 'HTTP_400', isOfRecipient });
});

test.each(['null', '[]', 'no JSON'])('a refusal with the body %s is known by its status', async answer => {
  status = 503;
  body = answer;
  expect(await refusal()).toMatchObject({ name: 'DeliveryError', code: 'HTTP_503', isOfRecipient: false });
});

test('a redirect is not followed, and silence of the network is worth another try', async () => {
  status = 307;
  expect(await refusal()).toMatchObject({ code: 'unreachable', permanent: false });
  expect(requests).toHaveLength(1);
  await server.close();
  expect(await refusal()).toMatchObject({ code: 'unreachable', permanent: false });
});

test('the account and its token are tried without a message', async () => {
  status = 200;
  expect(await sender.check!()).toBe(
    'Twilio accepts the account and its token; messages come from +15551234567',
  );
  expect(requests.map(({ line }) => line)).toEqual(['GET /2010-04-01/Accounts/AC1%2F2.json']);
  status = 401;
  await expect(sender.check!()).rejects.toThrow('Twilio responded with status 401');
});
