import { expect, it } from 'vitest';
import { type Mail, mailQueue } from '../../src/mail/mailer.ts';
import type { Messages } from '../../src/mail/messages.ts';
import { createOutbox } from '../../src/mail/outbox.ts';
import { mail, recordingLogger } from './support.ts';

it('tries a mail again whose templates could not be read, and says which it was', async () => {
  // An attacker holds every file the process may open, and the mails of that time are never written.
  const logger = recordingLogger();
  const sent: Mail[] = [];
  const queue = mailQueue({ send: async one => void sent.push(one) }, logger);
  let tries = 0;
  const passwordChanged = async () => {
    if (++tries === 1) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    return mail;
  };
  const outbox = createOutbox({ messages: { passwordChanged } as unknown as Messages, queue, logger });
  outbox.post('passwordChanged', { to: mail.to });
  await expect.poll(() => logger.records.map(({ level }) => level)).toEqual(['error', 'warn']);
  expect(await outbox.drain(1000)).toEqual({ undelivered: 0 });
  expect(sent).toEqual([mail]);
  expect(logger.records[0]?.fields).toMatchObject({ kind: 'passwordChanged', err: { code: 'EMFILE' } });
  expect(logger.records[1]?.fields).toMatchObject({ code: 'template' });
  expect(JSON.stringify(logger.records)).not.toContain(mail.to);
});
