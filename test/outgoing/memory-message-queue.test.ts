import { afterEach, expect, it } from 'vitest';
import type { Schedule } from '../../src/clock.ts';
import type { RenderedMail as Mail, Transport } from '../../src/mail/mailer.ts';
import { describeMail } from '../../src/mail/mailer.ts';
import { smtpMailer } from '../../src/mail/smtp.ts';
import { DeliveryError } from '../../src/outgoing/delivery-error.ts';
import { MemoryMessageQueue } from '../../src/outgoing/memory-message-queue.ts';
import { mail, recordingLogger, sender } from '../mail/support.ts';
import { startMailbox } from '../support/mailbox.ts';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Time that passes only when told to: as a timer fires, its wait is over. */
function manualSchedule() {
  const timers = new Set<{ ms: number; run: () => void }>();
  let passed = 0;
  const schedule: Schedule = (ms, run) => {
    const timer = { ms, run };
    timers.add(timer);
    return () => timers.delete(timer);
  };
  const fire = (from: number, below: number) => {
    const due = [...timers].filter(timer => timer.ms >= from && timer.ms < below);
    passed += Math.max(0, ...due.map(timer => timer.ms));
    for (const timer of due) {
      timers.delete(timer);
      timer.run();
    }
    return due.map(timer => timer.ms);
  };
  const pass = (ms: number) => {
    passed += ms;
  };
  return { schedule, fire, timers, pass, now: () => passed };
}

/** The queue's timers tell themselves apart by their length. */
const sendTimeoutMs = 10_000_000;
const drainTimeoutMs = 20_000_000;

function start(
  mailer: Transport,
  options: Partial<ConstructorParameters<typeof MemoryMessageQueue<Mail>>[0]> = {},
) {
  const logger = recordingLogger();
  const clock = manualSchedule();
  const undelivered: Mail[] = [];
  const queue = new MemoryMessageQueue<Mail>({
    noun: 'email',
    send: m => mailer.send(m),
    describe: describeMail,
    logger,
    sendTimeoutMs,
    onUndelivered: async message => void undelivered.push(message),
    schedule: clock.schedule,
    now: clock.now,
    ...options,
  });
  return {
    undelivered,
    pass: clock.pass,
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
function mailerThat(behave: (call: number, mail: Mail) => Promise<void>): Transport & { calls: number } {
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
        reason: `${host}:${port} rejected the sender or the recipient (550)`,
      },
      message: 'email not sent, given up',
    },
  ]);
});

const refused = () => Promise.reject(new DeliveryError('no', { code: 'ECONNREFUSED' }));
const hourMs = 3_600_000;

it('goes on trying for four hours, each wait about twice the one before and at most about five minutes', async () => {
  const mailer = mailerThat(refused);
  const { queue, retry, logger, undelivered } = start(mailer);
  queue.enqueue('verification', mail);
  let waitedMs = 0;
  const wait = async () => {
    await settled();
    const [ms = 0] = retry();
    waitedMs += ms;
    return ms;
  };
  for (const base of [4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000]) {
    const ms = await wait();
    expect(ms).toBeGreaterThanOrEqual(base * 0.5);
    expect(ms).toBeLessThan(base * 1.5);
  }
  while (undelivered.length === 0) expect(await wait()).toBeLessThan(450_000);
  await settled();
  expect(waitedMs).toBeCloseTo(4 * hourMs);
  expect(queue.size).toBe(0);
  expect(undelivered).toEqual([mail]);
  expect(retry()).toEqual([]);
  const levels = logger.records.map(({ level }) => level);
  expect(levels).toEqual([...Array(mailer.calls).fill('warn'), 'error']);
  expect(logger.records.at(-1)).toMatchObject({
    fields: { code: 'ECONNREFUSED', attempt: mailer.calls },
    message: 'email not sent, given up',
  });
});

it('delivers after an outage of an hour', async () => {
  let isDown = true;
  const mailer = mailerThat(() => (isDown ? refused() : Promise.resolve()));
  const { queue, retry, undelivered } = start(mailer);
  for (let i = 0; i < 20; i++) queue.enqueue('verification', mail);
  for (let waitedMs = 0; waitedMs < hourMs; ) {
    await settled();
    waitedMs += Math.max(...retry());
  }
  await settled();
  isDown = false;
  while (queue.size > 0) {
    retry();
    await settled();
  }
  expect(queue.state).toMatchObject({ sent: 20, failed: 0, failing: null });
  expect(undelivered).toEqual([]);
});

it('does not call delivery failing because of one recipient', async () => {
  const codes = ['nobody', 'down', 'nobody'];
  const mailer = mailerThat(async call => {
    const code = codes[call - 1]!;
    throw new DeliveryError('no', { code, permanent: true, isOfRecipient: code === 'nobody' });
  });
  const { queue } = start(mailer);
  const failing: unknown[] = [];
  for (const _ of codes) {
    queue.enqueue('verification', mail);
    await settled();
    failing.push(queue.state.failing?.code);
  }
  expect(failing).toEqual([undefined, 'down', 'down']);
  expect(queue.state.failed).toBe(3);
});

it('gives a message up at the moment at which it is of no use any more, and sends it no later', async () => {
  // An expired link is useless, also in an email that waits behind others.
  const mailer = mailerThat(refused);
  const { queue, retry, undelivered, logger } = start(mailer, { concurrency: 1 });
  queue.enqueue('passwordReset', mail, { lifetimeMs: 30_000 });
  let waitedMs = 0;
  while (queue.size > 0) {
    await settled();
    waitedMs += retry()[0] ?? 0;
  }
  expect(waitedMs).toBeCloseTo(30_000);
  expect(undelivered).toHaveLength(1);
  expect(logger.records.at(-1)?.message).toBe('email not sent, given up');

  const { promise, resolve } = Promise.withResolvers<void>();
  const slow = start(
    mailerThat(() => promise),
    { concurrency: 1 },
  );
  slow.queue.enqueue('verification', mail);
  const late = { ...mail, to: 'late@recipient.example' };
  slow.queue.enqueue('passwordReset', late, { lifetimeMs: 1000 });
  slow.pass(1000);
  resolve();
  await settled();
  expect(slow.undelivered).toEqual([late]);
  expect(slow.queue.state).toMatchObject({ waiting: 0, sent: 1, failed: 1 });
  expect(slow.logger.records.at(-1)).toMatchObject({
    level: 'error',
    fields: { code: 'expired', attempt: 0 },
  });
});

it('returns at once while the mail server hangs, and gives up waiting for it after a while', async () => {
  const mailer = mailerThat(never);
  const { queue, timeOut, retry, logger } = start(mailer);
  // Nothing is awaited here: what `enqueue` waited for could not happen.
  for (let i = 0; i < 500; i++) queue.enqueue('verification', mail);
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
  const queue = new MemoryMessageQueue<Mail>({
    noun: 'email',
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
  const { queue, logger, undelivered } = start(mailerThat(never), { maxWaiting: 3, concurrency: 1 });
  for (let i = 0; i < 6; i++) queue.enqueue('verification', { ...mail, to: `${i}@recipient.example` });
  expect(queue.size).toBe(4);
  expect(undelivered.map(({ to }) => to)).toEqual(['4@recipient.example', '5@recipient.example']);
  const dropped = { kind: 'verification', code: 'full', domain: 'recipient.example' };
  expect(logger.records).toEqual([
    { level: 'error', fields: dropped, message: 'email dropped' },
    { level: 'error', fields: dropped, message: 'email dropped' },
  ]);
});

it('counts mails between two tries as waiting', async () => {
  const mailer = mailerThat(() => Promise.reject(new DeliveryError('no', { code: 'EDNS' })));
  const { queue, logger } = start(mailer, { maxWaiting: 2 });
  for (let i = 0; i < 2; i++) queue.enqueue('verification', mail);
  await settled();
  queue.enqueue('verification', mail);
  expect(logger.records.at(-1)?.message).toBe('email dropped');
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

it('hands back once, when it is drained, what failed, what waits and what is being sent', async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  const failing = Promise.withResolvers<void>();
  const sends = [promise, failing.promise];
  const mailer = mailerThat(call => sends[call - 1] ?? never());
  const { queue, undelivered, endDrain, logger } = start(mailer, { concurrency: 2 });
  const names = [
    'sending',
    'failed',
    'second sending',
    ...Array.from({ length: 50 }, (_, i) => `waiting ${i}`),
  ];
  for (const to of names) queue.enqueue('verification', { ...mail, to: `${to}@recipient.example` });
  const drained = queue.drain(drainTimeoutMs);
  failing.reject(new DeliveryError('no', { code: 'ECONNREFUSED' }));
  await settled();
  endDrain();
  expect(await drained).toEqual({ undelivered: names.length });
  expect(undelivered.map(({ to }) => to.split('@')[0]).sort()).toEqual(names.toSorted());
  // A failure after the end was reported already.
  const records = logger.records.length;
  reject(new DeliveryError('no', { code: 'ECONNREFUSED' }));
  await settled();
  expect([undelivered.length, logger.records.length]).toEqual([names.length, records]);
});

it('outlives what cannot be handed back, says so, and does not wait for each', async () => {
  let calls = 0;
  const onUndelivered = async () => {
    calls++;
    throw Object.assign(new Error(`the row of ${mail.to}`), { code: 'ECONNREFUSED' });
  };
  const mailer = mailerThat(() =>
    Promise.reject(new DeliveryError('no', { code: 'EENVELOPE', permanent: true })),
  );
  const { queue, logger } = start(mailer, { onUndelivered });
  queue.enqueue('verification', mail);
  await expect
    .poll(() => logger.records.at(-1)?.message)
    .toBe('an undelivered email still counts towards the cap');
  expect(logger.records.at(-1)?.fields).toEqual({ kind: 'verification', code: 'ECONNREFUSED' });

  const stuck = start(mailerThat(never), { onUndelivered });
  for (let i = 0; i < 200; i++) stuck.queue.enqueue('verification', mail);
  calls = 0;
  const drained = stuck.queue.drain(drainTimeoutMs);
  stuck.endDrain();
  expect(await drained).toEqual({ undelivered: 200 });
  expect(calls).toBeLessThan(50);
});

it('accepts nothing once it is drained', async () => {
  const mailer = mailerThat(() => Promise.resolve());
  const { queue, logger } = start(mailer);
  expect(await queue.drain(drainTimeoutMs)).toEqual({ undelivered: 0 });
  queue.enqueue('verification', mail);
  expect(mailer.calls).toBe(0);
  expect(logger.records.at(-1)).toMatchObject({ level: 'error', fields: { code: 'closed' } });
});
