import { expect, it } from 'vitest';
import { consoleMailer } from '../../src/mail/console.ts';
import { mail, recordingLogger } from './support.ts';

const hint = 'email bodies are omitted; email.log_bodies = true shows them';
const link = 'https://app.example/verify?token=s3cret-token';

it('logs address and subject at INFO and the body at DEBUG', async () => {
  const logger = recordingLogger();
  await consoleMailer({ logger, logBodies: false }).send(mail);
  expect(logger.records).toEqual([
    {
      level: 'info',
      fields: { to: mail.to, subject: mail.subject },
      message: 'mail to ann@recipient.example: Confirm your address',
    },
    {
      level: 'debug',
      fields: { to: mail.to, subject: mail.subject, body: mail.text },
      message: 'body of the email to ann@recipient.example',
    },
    { level: 'info', fields: {}, message: hint },
  ]);
});

it('logs one INFO record that holds the body when bodies are to be logged', async () => {
  const logger = recordingLogger();
  await consoleMailer({ logger, logBodies: true }).send(mail);
  expect(logger.records).toHaveLength(1);
  const [record] = logger.records;
  expect(record).toMatchObject({ level: 'info', fields: { to: mail.to, subject: mail.subject } });
  expect(record?.message.split('\n')).toContain(link);
});

it('writes plain lines, the link on one of its own, where it is given a place for them', async () => {
  const logger = recordingLogger();
  const written: string[] = [];
  await consoleMailer({ logger, logBodies: true, write: text => written.push(text) }).send(mail);
  expect(written).toEqual([
    `\nmail to ann@recipient.example: Confirm your address\n\nOpen this link:\n\n${link}\n\n`,
  ]);
  expect(logger.records).toEqual([]);
});

it('keeps the body out of the plain lines unless bodies are to be logged', async () => {
  const logger = recordingLogger();
  const written: string[] = [];
  await consoleMailer({ logger, logBodies: false, write: text => written.push(text) }).send(mail);
  expect(written).toEqual(['mail to ann@recipient.example: Confirm your address\n']);
  expect(logger.records.map(record => record.level)).toEqual(['debug', 'info']);
});

it('says once how bodies are shown, however many mails there are', async () => {
  const logger = recordingLogger();
  const mailer = consoleMailer({ logger, logBodies: false });
  for (let i = 0; i < 3; i++) await mailer.send(mail);
  expect(logger.records.filter(({ message }) => message === hint)).toHaveLength(1);
});
