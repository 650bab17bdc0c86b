import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { snsSender } from '../../src/sms/sns.ts';
import { type Listening, listen } from '../support/listening.ts';

const text = { to: '+4915112345678', text: 'Your Acme code: 987012' };

let endpoint: Listening;
let requests: { authorization: string; form: URLSearchParams }[];
let answer: { status: number; body: string };

const failure = (code: string) =>
  `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>no ${text.to}</Message></Error></ErrorResponse>`;

beforeEach(async () => {
  requests = [];
  answer = {
    status: 200,
    body: '<PublishResponse><PublishResult><MessageId>1</MessageId></PublishResult></PublishResponse>',
  };
  endpoint = await listen(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    requests.push({ authorization: req.headers.authorization ?? '', form });
    res.writeHead(answer.status, { 'Content-Type': 'text/xml' }).end(answer.body);
  });
  // Nothing of this machine's own AWS set-up may leak in.
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) vi.stubEnv(name, undefined);
  vi.stubEnv('AWS_ENDPOINT_URL', endpoint.origin);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'example');
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  vi.stubEnv('AWS_CONFIG_FILE', '/nonexistent');
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nonexistent');
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await endpoint.close();
});

test('a message is published to the number itself, as one that must arrive, signed for the region', async () => {
  await (await snsSender({ region: 'eu-west-1' })).send(text);
  expect(requests).toHaveLength(1);
  const { authorization, form } = requests[0]!;
  expect(authorization).toMatch(/Credential=AKIDEXAMPLE\/\d+\/eu-west-1\/sns\//);
  expect(Object.fromEntries(form)).toMatchObject({
    Action: 'Publish',
    PhoneNumber: text.to,
    Message: text.text,
    'MessageAttributes.entry.1.Name': 'AWS.SNS.SMS.SMSType',
    'MessageAttributes.entry.1.Value.StringValue': 'Transactional',
  });
  expect(form.has('TopicArn')).toBe(false);
});

test('a refusal of SNS is not tried again, a passing failure is', async () => {
  const sender = await snsSender({ region: 'eu-west-1' });
  for (const [status, body, permanent, isOfRecipient] of [
    [400, failure('InvalidParameter'), true, true],
    [403, failure('AuthorizationError'), true, false],
    [400, failure('Throttling'), false, false],
    [500, failure('InternalError'), false, false],
  ] as const) {
    answer = { status, body };
    const error = await sender.send(text).then(
      () => null,
      error => error,
    );
    expect(error, body).toMatchObject({ name: 'DeliveryError', permanent, isOfRecipient });
    // Errors reach the log: they hold no number and no code.
    expect(error.message).not.toMatch(/4915112345678|987012/);
  }
  expect(requests).toHaveLength(4);
});

test('credentials and region are looked for without a message', async () => {
  expect(await (await snsSender({ region: 'eu-west-1' })).check!()).toContain(
    'Amazon SNS in eu-west-1, with the key …MPLE',
  );
  await expect((await snsSender({})).check!()).rejects.toThrow('no AWS region found: set sms.sns_region');
  vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
  const lost = await snsSender({ region: 'eu-west-1' });
  await expect(lost.check!()).rejects.toThrow('no AWS credentials found for text messages');
  expect(requests).toEqual([]);
});
