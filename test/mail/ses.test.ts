import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest';
import { sesMailer } from '../../src/mail/ses.ts';
import { type Listening, listen } from '../support/listening.ts';
import { parseMail } from '../support/mime.ts';
import { mail, sender } from './support.ts';

interface SendEmailRequest {
  FromEmailAddress: string;
  Destination: { ToAddresses: string[] };
  Content: { Raw: { Data: string } };
}

const keys = { region: 'eu-west-1', accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'example' };

let endpoint: Listening;
let requests: { path: string; authorization: string; body: SendEmailRequest }[];
let answer: { status: number; type?: string; body: object };

beforeEach(async () => {
  requests = [];
  answer = { status: 200, body: { MessageId: 'message-1' } };
  endpoint = await listen(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    requests.push({ path: req.url ?? '', authorization: req.headers.authorization ?? '', body });
    res.writeHead(answer.status, {
      'x-amzn-errortype': answer.type ?? '',
      'content-type': 'application/json',
    });
    res.end(JSON.stringify(answer.body));
  });
  // Nothing of this machine's own AWS set-up may leak in.
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) vi.stubEnv(name, undefined);
  vi.stubEnv('AWS_ENDPOINT_URL', endpoint.origin);
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  vi.stubEnv('AWS_CONFIG_FILE', '/nonexistent');
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nonexistent');
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await endpoint.close();
});

it('sends the whole message raw, signed with the given keys', async () => {
  const mailer = await sesMailer({ ...keys, from: sender });
  await mailer.send(mail);
  await mailer.close?.();
  expect(requests).toHaveLength(1);
  const { path, authorization, body } = requests[0]!;
  expect(path).toBe('/v2/email/outbound-emails');
  expect(authorization).toMatch(/Credential=AKIDEXAMPLE\/\d+\/eu-west-1\/ses\//);
  expect(body.FromEmailAddress).toContain('<noreply@acme.example>');
  expect(body.Destination.ToAddresses).toEqual([mail.to]);
  const { subject, text, html } = parseMail(Buffer.from(body.Content.Raw.Data, 'base64'));
  expect({ subject, text: text.trimEnd(), html }).toEqual({
    subject: mail.subject,
    text: mail.text.trimEnd(),
    html: mail.html,
  });
});

it('takes the keys of the profile that is named', async () => {
  const credentials = join(await mkdtemp(join(inject('temporaryFolder'), 'aws-')), 'credentials');
  const keysOf = (id: string) => `aws_access_key_id = ${id}\naws_secret_access_key = example\n`;
  await writeFile(credentials, `[default]\n${keysOf('AKIDDEFAULT')}[acme]\n${keysOf('AKIDACME')}`);
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', credentials);
  // The credentials of the environment are not the configured ones.
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDENVIRONMENT');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'example');
  const mailer = await sesMailer({ region: 'eu-west-1', profile: 'acme', from: sender });
  await mailer.send(mail);
  expect(requests[0]!.authorization).toMatch(/Credential=AKIDACME\//);
  expect(await mailer.check!()).toContain('Amazon SES in eu-west-1, with the key …ACME');
});

it('takes what the SDK finds by itself when neither keys nor a profile are named', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDENVIRONMENT');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'example');
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  const mailer = await sesMailer({ from: sender });
  await mailer.send(mail);
  expect(requests[0]!.authorization).toMatch(/Credential=AKIDENVIRONMENT\/\d+\/eu-central-1\//);
  expect(await mailer.check!()).toContain('Amazon SES in eu-central-1, with the key …MENT');
});

it('finds out whether there are credentials and a region, and sends nothing', async () => {
  expect(await (await sesMailer({ ...keys, from: sender })).check!()).toContain('…MPLE');
  const lost = await sesMailer({ region: 'eu-west-1', from: sender });
  await expect(lost.check!()).rejects.toThrow('no AWS credentials found');
  const nowhere = await sesMailer({ ...keys, region: undefined, from: sender });
  await expect(nowhere.check!()).rejects.toThrow('no AWS region found: set email.ses_region');
  expect(requests).toEqual([]);
});

it('calls a rejected message permanent and throttling passing, and repeats no address', async () => {
  const mailer = await sesMailer({ ...keys, from: sender });
  answer = {
    status: 400,
    type: 'MessageRejected',
    body: { message: 'ann@recipient.example is not verified' },
  };
  await expect(mailer.send(mail)).rejects.toMatchObject({
    message: 'Amazon SES did not accept the email (MessageRejected)',
    code: 'MessageRejected',
    permanent: true,
    reply: '[address] is not verified',
  });
  answer = { status: 429, type: 'TooManyRequestsException', body: { message: 'slow down' } };
  await expect(mailer.send(mail)).rejects.toMatchObject({
    code: 'TooManyRequestsException',
    permanent: false,
  });
  expect(requests).toHaveLength(2);
});

it('says which settings are missing when there are no credentials', async () => {
  const mailer = await sesMailer({ region: 'eu-west-1', from: sender });
  await expect(mailer.send(mail)).rejects.toThrow('no AWS credentials found: set email.ses_profile');
  expect(requests).toEqual([]);
});

it('says which setting is missing when there is no region', async () => {
  const mailer = await sesMailer({ ...keys, region: undefined, from: sender });
  await expect(mailer.send(mail)).rejects.toThrow('no AWS region found: set email.ses_region');
});

it('names the package to install when the SDK is absent', async () => {
  const missing = Object.assign(new Error("Cannot find package '@aws-sdk/client-sesv2'"), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  await expect(sesMailer({ ...keys, from: sender }, () => Promise.reject(missing))).rejects.toMatchObject({
    name: 'MissingPackageError',
    message:
      'email.backend = "ses" needs the package @aws-sdk/client-sesv2: npm install @aws-sdk/client-sesv2',
  });
});
