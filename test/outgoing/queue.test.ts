import { afterEach, expect, it } from 'vitest';
import type { Mail, Mailer } from '../../src/mail/mailer.ts';
import { describeMail } from '../../src/mail/mailer.ts';
import { smtpMailer } from '../../src/mail/smtp.ts';
import { DeliveryError } from '../../src/outgoing/delivery-error.ts';
import { OutgoingQueue, type Schedule } from '../../src/outgoing/queue.ts';
import { mail, recordingLogger, sender } from '../mail/support.ts';
import { startMailbox } from '../support/mailbox.ts';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Time that passes only when told to. */
function manualSchedule() {
  const timers = new Set<{ ms: number; run: () => void }>();
  const schedule: Schedule = (ms, run) => {
    const timer = { ms, run };
    timers.add(timer);
    return () => timers.delete(timer);
  };
  const fire = (from: number, below: number) => {
    const due = [...timers].filter(timer => timer.ms >= from && timer.ms < below);
    for (const timer of due) {
      timers.delete(timer);
      timer.run();
    }
    return due.map(timer => timer.ms);
  };
  return { schedule, fire, timers };
}

/** The queue's timers tell themselves apart by their length. */
const sendTimeoutMs = 1_000_000;
const drainTimeoutMs = 2_000_000;

function start(mailer: Mailer, options: { maxWaiting?: number; concurrency?: number } = {}) {
  const logger = recordingLogger();
  const clock = manualSchedule();
  const queue = new OutgoingQueue<Mail>({
    noun: 'mail',
    send: m => mailer.send(m),
    describe: describeMail,
    logger,
    sendTimeoutMs,
    schedule: clock.schedule,
    ...options,
  });
  return {
    logger,
    queue,
    /** Lets all waits between tries end; answers how long they were, in milliseconds. */
    retry: () => clock.fire(0, sendTimeoutMs),
    timeOut: () => clock.fire(sendTimeoutMs, drainTimeoutMs),
    endDrain: () => clock.fire(drainTimeoutMs, Number.POSITIVE_INFINITY),
    timers: clock.timers,
  };
}

/** A mailer that does what `behave` says at each call, counted from 1. */
function mailerThat(behave: (call: number, mail: Mail) => Promise<void>): Mailer & { calls: number } {
  return {
    calls: 0,
    send(mail) {
      return behave(++this.calls, mail);
    },
  };
}

const settled = () => new Promise(resolve => setImmediate(resolve));
const never = () => new Promise<void>(() => {});

async function startWithServer() {
  const mailbox = await startMailbox();
  cleanups.push(() => mailbox.close());
  const mailer = smtpMailer({ host: mailbox.host, port: mailbox.port, startTls: false, from: sender });
  cleanups.push(() => mailer.close?.());
  return { mailbox, ...start(mailer) };
}

it('delivers through a real server and forgets the mail', async () => {
  const { mailbox, queue, timers } = await startWithServer();
  for (let i = 0; i < 20; i++) queue.enqueue('verification', mail);
  expect(queue.size).toBe(20);
  expect(await queue.drain(drainTimeoutMs)).toEqual({ undelivered: 0 });
  expect(mailbox.mails).toHaveLength(20);
  expect(queue.size).toBe(0);
  expect(timers.size).toBe(0);
});

it('tries again after a 4xx reply', async () => {
  const { mailbox, queue, retry, logger } = await startWithServer();
  mailbox.behave({ reject: 451, times: 2 });
  queue.enqueue('verification', mail);
  await expect.poll(() => logger.records.length).toBe(1);
  retry();
  await expect.poll(() => logger.records.length).toBe(2);
  retry();
  await mailbox.waitFor(({ to }) => to.includes(mail.to));
  await expect.poll(() => queue.size).toBe(0);
  expect(logger.records.map(record => record.level)).toEqual(['warn', 'warn', 'debug']);
});

it('does not try again after a 5xx reply', async () => {
  const { mailbox, queue, logger } = await startWithServer();
  mailbox.behave({ reject: 550 });
  queue.enqueue('verification', mail);
  await expect.poll(() => queue.size).toBe(0);
  const { host, port } = mailbox;
  expect(mailbox.attempts).toBe(1);
  expect(logger.records).toEqual([
    {
      level: 'error',
      fields: {
        kind: 'verification',
        attempt: 1,
        domain: 'recipient.example',
        code: 'EENVELOPE',
        reason: `${host}:${port} refused the sender or the recipient (550)`,
      },
      message: 'mail not sent, given up',
    },
  ]);
});

it('gives up after five tries, each wait about twice the one before', async () => {
  const mailer = mailerThat(() => Promise.reject(new DeliveryError('no', { code: 'ECONNREFUSED' })));
  const { queue, retry, logger } = start(mailer);
  queue.enqueue('verification', mail);
  for (const base of [4000, 8000, 16_000, 32_000]) {
    await settled();
    const [ms] = retry();
    expect(ms).toBeGreaterThanOrEqual(base * 0.5);
    expect(ms).toBeLessThan(base * 1.5);
  }
  await settled();
  expect(retry()).toEqual([]);
  expect(mailer.calls).toBe(5);
  expect(queue.size).toBe(0);
  expect(logger.records.map(record => record.level)).toEqual(['warn', 'warn', 'warn', 'warn', 'error']);
});

it('returns at once while the mail server hangs, and gives up waiting for it after a while', async () => {
  const mailer = mailerThat(never);
  const { queue, timeOut, retry, logger } = start(mailer);
  const started = performance.now();
  for (let i = 0; i < 500; i++) queue.enqueue('verification', mail);
  expect(performance.now() - started).toBeLessThan(100);
  expect(mailer.calls).toBe(4);
  timeOut();
  await settled();
  expect(mailer.calls).toBe(8);
  expect(logger.records[0]?.fields).toMatchObject({ attempt: 1, code: 'ETIMEDOUT' });
  expect(retry()).toHaveLength(4);
  expect(queue.size).toBe(500);
});

it('never throws at the caller, whatever the mailer does', async () => {
  const { queue, logger } = start({
    send() {
      throw new TypeError('synchronous');
    },
  });
  expect(() => queue.enqueue('verification', mail)).not.toThrow();
  await settled();
  expect(logger.records[0]?.fields).toMatchObject({ code: 'TypeError' });
});

it('outlives a logger that throws', async () => {
  const fail = () => {
    throw new Error('disk full');
  };
  const logger = { debug: fail, info: fail, warn: fail, error: fail };
  const mailer = mailerThat(() => Promise.resolve());
  const queue = new OutgoingQueue<Mail>({
    noun: 'mail',
    send: m => mailer.send(m),
    describe: describeMail,
    logger,
  });
  queue.enqueue('verification', mail);
  await settled();
  queue.enqueue('verification', mail);
  await settled();
  expect(mailer.calls).toBe(2);
  expect(queue.size).toBe(0);
});

it('drops the newest mail when too many wait', async () => {
  const { queue, logger } = start(mailerThat(never), { maxWaiting: 3, concurrency: 1 });
  for (let i = 0; i < 6; i++) queue.enqueue('verification', mail);
  expect(queue.size).toBe(4);
  const dropped = { kind: 'verification', code: 'full', domain: 'recipient.example' };
  expect(logger.records).toEqual([
    { level: 'error', fields: dropped, message: 'mail dropped' },
    { level: 'error', fields: dropped, message: 'mail dropped' },
  ]);
});

it('counts mails between two tries as waiting', async () => {
  const mailer = mailerThat(() => Promise.reject(new DeliveryError('no', { code: 'EDNS' })));
  const { queue, logger } = start(mailer, { maxWaiting: 2 });
  for (let i = 0; i < 2; i++) queue.enqueue('verification', mail);
  await settled();
  queue.enqueue('verification', mail);
  expect(logger.records.at(-1)?.message).toBe('mail dropped');
});

it('logs neither address, subject, body nor link, whatever the error says', async () => {
  const leaky = new Error(`${mail.to} ${mail.subject} ${mail.text}`, { cause: mail });
  const failures = [
    leaky,
    Object.assign(leaky, { code: `no ${mail.to}` }),
    mail.to,
    { message: mail.text },
    null,
  ];
  const mailer = mailerThat(call => Promise.reject(failures[call - 1]));
  const { queue, retry, logger } = start(mailer, { maxWaiting: 1 });
  for (let i = 0; i < 7; i++) queue.enqueue('verification', mail);
  for (let i = 0; i < 5; i++) {
    await settled();
    retry();
  }
  const log = JSON.stringify(logger.records);
  expect(logger.records.length).toBeGreaterThan(5);
  for (const secret of ['ann', 'Confirm', 's3cret', 'https:']) expect(log).not.toContain(secret);
});

it('tries waiting mails once more at once when it is drained', async () => {
  const mailer = mailerThat(call =>
    call === 1 ? Promise.reject(new DeliveryError('no', { code: 'ECONNREFUSED' })) : Promise.resolve(),
  );
  const { queue } = start(mailer);
  queue.enqueue('verification', mail);
  await settled();
  expect(await queue.drain(drainTimeoutMs)).toEqual({ undelivered: 0 });
  expect(mailer.calls).toBe(2);
});

it('counts what fails and what is unfinished as undelivered', async () => {
  const mailer = mailerThat(call =>
    call === 1 ? Promise.reject(new DeliveryError('no', { code: 'ECONNREFUSED' })) : never(),
  );
  const { queue, endDrain } = start(mailer, { concurrency: 1 });
  for (let i = 0; i < 3; i++) queue.enqueue('verification', mail);
  const drained = queue.drain(drainTimeoutMs);
  await settled();
  endDrain();
  expect(await drained).toEqual({ undelivered: 3 });
  expect(mailer.calls).toBe(2);
});

it('accepts nothing once it is drained', async () => {
  const mailer = mailerThat(() => Promise.resolve());
  const { queue, logger } = start(mailer);
  expect(await queue.drain(drainTimeoutMs)).toEqual({ undelivered: 0 });
  queue.enqueue('verification', mail);
  expect(mailer.calls).toBe(0);
  expect(logger.records.at(-1)).toMatchObject({ level: 'error', fields: { code: 'closed' } });
});
