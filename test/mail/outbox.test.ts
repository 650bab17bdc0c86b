import { afterEach, expect, it, vi } from 'vitest';
import type { Mail } from '../../src/mail/mailer.ts';
import type { Messages } from '../../src/mail/messages.ts';
import { createOutbox, mailDelivery } from '../../src/mail/outbox.ts';
import { MemoryMessageQueue } from '../../src/outgoing/memory-message-queue.ts';
import type { LoginAttempt } from '../../src/tables/login-attempt.ts';
import { mail, recordingLogger } from './support.ts';

it('tries a mail again whose templates could not be read, and says which it was', async () => {
  // An attacker holds every file the process may open, and the mails of that time are never written.
  const logger = recordingLogger();
  const sent: Mail[] = [];
  let tries = 0;
  const passwordChanged = async () => {
    if (++tries === 1) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    return mail;
  };
  const delivery = mailDelivery({
    mailer: { send: async one => void sent.push(one) },
    messages: { passwordChanged } as unknown as Messages,
    logger,
    release: async () => {},
  });
  const outbox = createOutbox({ queue: new MemoryMessageQueue({ ...delivery, logger }) });
  await outbox.post('passwordChanged', { to: mail.to, act: { at: new Date(), by: 'self', ip: null } });
  await expect.poll(() => logger.records.map(({ level }) => level)).toEqual(['error', 'warn']);
  expect(await outbox.drain(1000)).toEqual({ undelivered: 0 });
  expect(sent).toEqual([mail]);
  expect(logger.records[0]?.fields).toMatchObject({ kind: 'password-changed', err: { code: 'EMFILE' } });
  expect(logger.records[1]?.fields).toMatchObject({ code: 'template' });
  expect(JSON.stringify(logger.records)).not.toContain(mail.to);
});

afterEach(() => void vi.useRealTimers());

it('says for how long a link still works when its mail leaves late, and sends none that has expired', async () => {
  // The mail server was down for a while; the mail must not promise what the link does not keep.
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  const logger = recordingLogger();
  const sent: Mail[] = [];
  let isDown = true;
  const written: number[] = [];
  const write = async ({ ttlSeconds }: { ttlSeconds: number }) => {
    written.push(ttlSeconds);
    return mail;
  };
  const messages = { verification: write, passwordReset: write } as unknown as Messages;
  let released = 0;
  const release = async () => void released++;
  const delivery = mailDelivery({
    mailer: { send: async one => void (isDown ? await Promise.reject(new Error('down')) : sent.push(one)) },
    messages,
    logger,
    release,
  });
  const outbox = createOutbox({ queue: new MemoryMessageQueue({ ...delivery, logger }) });
  const row: LoginAttempt = { id: 'a#0', subject: 'a', when: new Date(), ip: null, settled: true };
  const slot = { row };
  await outbox.post('verification', { to: mail.to, url: 'https://a.example', ttlSeconds: 86_400 }, slot);
  await outbox.post('passwordReset', { to: mail.to, url: 'https://a.example', ttlSeconds: 1800 }, slot);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(new Set(written)).toEqual(new Set([86_400, 1800]));
  await vi.advanceTimersByTimeAsync(1_741_000);
  // Half an hour later the reset link has expired.
  expect(released).toBe(1);
  expect(written.filter(seconds => seconds <= 1800).at(-1)).toBeLessThan(1700);
  isDown = false;
  await vi.advanceTimersByTimeAsync(450_000);
  expect(sent).toHaveLength(1);
  // 24 hours less half an hour and a little are 23 hours.
  expect(written.at(-1)).toBe(23 * 3600);
  expect(released).toBe(1);
});
