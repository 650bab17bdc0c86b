import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { parseDatabaseUrl } from '../../../src/config/database-url.ts';
import { createWebhooks, type Endpoint } from '../../../src/features/webhooks/deliveries.ts';
import { sign } from '../../../src/features/webhooks/signature.ts';
import { openStorage, type Storage } from '../../../src/storage/open.ts';
import { describeEachDriver, type TestDatabase } from '../../support/backends.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/server-process.ts';
import { storageOptions } from '../../support/storage.ts';
import { openProcess } from '../../support/stored-jobs.ts';
import { startReceiver, webhookSecret } from '../../support/webhooks.ts';

const [second, minute, hour] = [1000, 60_000, 3_600_000];
const monthMs = 30 * 24 * hour;

describe('the signature of a delivery', () => {
  test('is that of the vector that Standard Webhooks publishes', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
    expect(sign([secret], id, new Date(1_614_265_330_000), '{"test": 2432232314}')).toEqual({
      'webhook-id': id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  test('is accepted by a foreign receiver, and not for another body, time or id', () => {
    const body = JSON.stringify({ name: 'Ünïcödé 😀' });
    const headers = { ...sign([webhookSecret], 'msg_1', new Date(), body) };
    const receiver = new Webhook(webhookSecret);
    expect(receiver.verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => receiver.verify(`${body} `, headers)).toThrow();
    expect(() => receiver.verify(body, { ...headers, 'webhook-id': 'msg_2' })).toThrow();
    const long = sign([webhookSecret], 'msg_1', new Date(Date.now() - 10 * minute), body);
    expect(() => receiver.verify(body, { ...long })).toThrow();
  });
});

describeEachDriver('in the database', backend => {
  let database: TestDatabase;
  let storage: Storage;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  beforeAll(async () => {
    receiver = await startReceiver();
    database = await backend.lendDatabase();
    storage = await openStorage(parseDatabaseUrl(database.url, 'gatehouse'), storageOptions());
    await storage.install();
  });
  const closings: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closings.splice(0)) await close();
    for (const { id } of await listed()) await rows().remove(id);
    for (const { id } of await states().list()) await states().enable(id);
    receiver.received.length = 0;
  });
  afterAll(async () => {
    await storage?.close();
    await database?.drop();
    await receiver?.close();
  });
  const rows = () => storage.repositories.outbox;
  const states = () => storage.repositories.webhook_endpoints;
  const stateOf = async (name: string) => (await states().list()).find(({ id }) => id === name);
  const listed = () => rows().list({}, { limit: 100 });
  const dead = async () => (await listed()).filter(({ state }) => state === 'dead');

  function openStore(polls = true) {
    const opened = openProcess(rows(), { polls });
    closings.push(() => opened.store.drain(1000));
    return opened;
  }

  interface Process {
    timeoutMs?: number;
    patienceMs?: number;
    polls?: boolean;
  }

  /** A process with webhooks of these names, each at a path of its name. */
  function start(names: string[], { polls, ...given }: Process = {}) {
    const opened = openStore(polls);
    const endpoints = names.map(
      (name): Endpoint => ({
        ...{ name, url: `${receiver.origin}/${name}`, wants: () => true },
        secrets: [webhookSecret],
      }),
    );
    const parts = { rows: storage.repositories, clock: systemClock, userAgent: 'Gatehouse/test', ...given };
    return { ...opened, webhooks: createWebhooks({ ...opened, ...parts, endpoints }) };
  }

  const event = (number: number) => ({ user: { id: String(number) } });

  describe('webhooks', () => {
    test('are tried again after the waits of the contract, a fifth more or less, and then given up', async () => {
      receiver.behave('/crm', 500);
      const { webhooks, store, poll, logger } = start(['crm']);
      await webhooks.record('user_updated', event(1));
      for (const wait of [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour]) {
        await store.settled();
        const [row] = await listed();
        expect(row).toMatchObject({ state: 'waiting', lastError: 'http_500: it answered 500' });
        const pauseMs = row!.nextAttemptAt!.getTime() - (await storage.now()).getTime();
        expect(pauseMs).toBeLessThanOrEqual(wait * 1.2);
        // The clock of the database goes on meanwhile; a machine that is slow takes no minute.
        expect(pauseMs).toBeGreaterThan(wait * 0.8 - Math.min(minute, wait));
        // Its time has come.
        const lease = 'of the test';
        await rows().retry(row!.id, monthMs);
        const [leased] = await rows().claim(lease, 0, 1, { queue: 'webhook:crm' });
        await rows().release({ id: leased!.id, lease }, 0, null);
        await setAttempts(row!.id, row!.attempts);
        poll();
        await eventually(async () => expect((await listed())[0]!.attempts).toBe(row!.attempts + 1));
      }
      await store.settled();
      expect(await listed()).toMatchObject([{ state: 'dead', attempts: 8, nextAttemptAt: null }]);
      expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
      expect(receiver.received).toHaveLength(8);
      expect(webhooks.counts.outcomes).toEqual({ crm: { taken: 0, failed: 8, dead: 1 } });
      expect(logger.records.at(-1)!.message).toBe('webhook not delivered, given up');
    });

    test('have their first retry when it is due, whenever the next regular look would come', async () => {
      receiver.behave('/crm', 500);
      const { webhooks, store, timers } = start(['crm']);
      const looks = timers.splice(0).length;
      expect(looks).toBe(1);
      await webhooks.record('user_updated', event(1));
      await store.settled();
      const [{ ms, run }] = timers as [(typeof timers)[0]];
      expect(ms).toBeGreaterThanOrEqual(4 * second);
      expect(ms).toBeLessThanOrEqual(6 * second);
      // The clock of the database comes to it.
      const [row] = await listed();
      await rows().retry(row!.id, monthMs);
      receiver.behave('/crm', 204);
      run();
      await eventually(async () => expect(await listed()).toEqual([]));
    });

    test('have the same id when the act of the event is done again, and another for another event or act', async () => {
      receiver.behave('/crm', 204);
      const { webhooks, store } = start(['crm']);
      await webhooks.record('user_verified', event(1), 'act 1');
      await webhooks.record('user_verified', event(1), 'act 1');
      await webhooks.record('user_updated', event(1), 'act 1');
      await webhooks.record('user_verified', event(1), 'act 2');
      await webhooks.record('user_verified', event(1));
      await store.settled();
      const idsOf = (type: string) =>
        receiver
          .at('/crm')
          .filter(it => it.event.type === type)
          .map(({ id }) => id);
      expect(new Set(idsOf('user_verified')).size).toBe(3);
      expect(idsOf('user_verified')).toHaveLength(4);
      expect(idsOf('user_verified')).not.toContain(idsOf('user_updated')[0]);
    });

    test('that are silent do not keep a process that stops: the request ends, and the delivery is left to others', async () => {
      receiver.behave('/stopping', 'silent');
      const { webhooks, store, logger } = start(['stopping'], { timeoutMs: 60_000 });
      await webhooks.record('user_updated', event(1));
      await eventually(() => expect(receiver.at('/stopping')).toHaveLength(1));
      expect(await store.drain(1)).toHaveLength(1);
      await eventually(() => expect(receiver.inFlight()).toBe(0));
      await store.settled();
      expect(await listed()).toMatchObject([{ state: 'waiting', lease: null, lastError: null }]);
      expect(await stateOf('stopping')).toBeUndefined();
      expect(webhooks.counts.outcomes).toEqual({ stopping: { taken: 0, failed: 0, dead: 0 } });
      expect(logger.records).toEqual([]);
    });

    test('that are silent hold up neither others nor emails, and get four at a time', async () => {
      receiver.behave('/silent', 'silent');
      const { webhooks, store } = start(['silent', 'quick'], { timeoutMs: 60_000 });
      const mails: unknown[] = [];
      store.handle('mail', async job => {
        mails.push(job.payload.content);
        await store.complete(job);
      });
      await Promise.all(Array.from({ length: 12 }, (_, i) => webhooks.record('user_updated', event(i))));
      const job = {
        kind: 'mail' as const,
        purpose: 'note',
        recipient: 'a***',
        payload: { by: 'mail', content: 1 },
      };
      await store.add(job);
      await eventually(() => expect(receiver.at('/quick')).toHaveLength(12));
      await eventually(() => expect([receiver.at('/silent').length, mails]).toEqual([4, [1]]));
      await eventually(async () =>
        expect((await listed()).map(({ lane, state }) => [lane, state]).toSorted()).toEqual([
          ...Array(4).fill(['webhook:silent', 'sending']),
          ...Array(8).fill(['webhook:silent', 'waiting']),
        ]),
      );
    });

    test('have not taken what they answer too late', async () => {
      receiver.behave('/late', 'silent');
      const { webhooks, store } = start(['late'], { timeoutMs: 20 });
      await webhooks.record('user_updated', event(1));
      await store.settled();
      expect((await listed())[0]).toMatchObject({
        ...{ state: 'waiting', lastError: 'ETIMEDOUT: it did not answer within 0.02 seconds' },
      });
    });

    test('that cannot be reached say so without their address', async () => {
      const { webhooks, store, logger } = start(['gone']);
      const url = `http://127.0.0.1:${await freePort()}/s3cret`;
      Object.assign(webhooks.endpoints[0]!, { url });
      await webhooks.record('user_updated', event(1));
      await store.settled();
      expect((await listed())[0]!.lastError).toBe('ECONNREFUSED: it cannot be reached');
      expect(JSON.stringify(logger.records)).not.toContain('s3cret');
    });

    test('are switched off by every process when they have taken nothing for three days', async () => {
      receiver.behave('/crm', 500);
      const asked: number[] = [];
      const { switchOffIfFailing } = states();
      states().switchOffIfFailing = (id, forMs, why) => {
        asked.push(forMs);
        return switchOffIfFailing(id, forMs, why);
      };
      const usual = start(['crm']);
      for (let i = 0; i < 2; i++) {
        await usual.webhooks.record('user_updated', event(i));
        await usual.store.settled();
        await usual.webhooks.refresh('crm');
      }
      expect(asked).toEqual([3 * 24 * hour]);
      expect(await stateOf('crm')).toMatchObject({ failingSince: expect.any(Date), offAt: null });
      const since = (await stateOf('crm'))!.failingSince;

      const impatient = start(['crm'], { patienceMs: 0 });
      await impatient.webhooks.refresh('crm');
      await impatient.webhooks.record('user_updated', event(3));
      await eventually(async () => expect(await stateOf('crm')).toMatchObject({ offAt: expect.any(Date) }));
      expect(await stateOf('crm')).toMatchObject({
        failingSince: since,
        offReason: 'it has taken nothing for 3 days, at last: http_500: it answered 500',
      });
      const told = impatient.logger.records.filter(({ message }) => message === 'a webhook was switched off');
      expect(told).toHaveLength(1);
      // The other process stores what happens then for a replay, and sends nothing.
      await usual.webhooks.refresh('crm');
      await usual.store.settled();
      const sent = receiver.received.length;
      await usual.webhooks.record('user_updated', event(4));
      await usual.store.settled();
      expect(receiver.received).toHaveLength(sent);
      expect((await dead()).some(({ lastError }) => lastError === 'the webhook is switched off')).toBe(true);
      states().switchOffIfFailing = switchOffIfFailing;
    });

    test('are on again for good when they take something, however they failed before', async () => {
      let isDown = true;
      receiver.behave('/crm', () => (isDown ? 503 : 204));
      const { webhooks, store } = start(['crm'], { patienceMs: 0 });
      await webhooks.record('user_updated', event(1));
      await store.settled();
      await webhooks.refresh('crm');
      isDown = false;
      await webhooks.record('user_updated', event(2));
      await store.settled();
      await eventually(async () => expect(await stateOf('crm')).toMatchObject({ failingSince: null }));
      isDown = true;
      await webhooks.refresh('crm');
      await webhooks.record('user_updated', event(3));
      await store.settled();
      expect(await stateOf('crm')).toMatchObject({ offAt: null });
    });

    test('that failed are all tried at once by a replay, however long they would have waited', async () => {
      receiver.behave('/crm', 500);
      const service = start(['crm']);
      await service.webhooks.record('user_updated', event(1));
      await service.store.settled();
      // The next try is hours away.
      const lease = 'of the test';
      const [row] = await listed();
      await rows().retry(row!.id, monthMs);
      await rows().claim(lease, 0, 1, { queue: 'webhook:crm' });
      await rows().release({ id: row!.id, lease }, 5 * hour, null);
      await service.webhooks.record('user_updated', event(2));
      await service.store.settled();
      expect(await listed()).toMatchObject([{ state: 'waiting' }, { state: 'waiting' }]);
      receiver.behave('/crm', 204);
      expect(await rows().replay('webhook:crm', monthMs)).toBe(2);
      expect(await rows().replay('webhook:crm', monthMs)).toBe(0);
      await service.webhooks.refresh('crm');
      await eventually(async () => expect(await listed()).toEqual([]));
    });

    test('are sent from the moment on in which a command switches the endpoint on again', async () => {
      receiver.behave('/crm', 410);
      const service = start(['crm']);
      const command = start(['crm'], { polls: false });
      await service.webhooks.record('user_updated', event(1));
      await service.store.settled();
      receiver.behave('/crm', 204);
      await service.webhooks.record('user_updated', event(2));
      await service.store.settled();
      expect(await dead()).toHaveLength(2);
      // The service has just read that the endpoint is off.
      await states().enable('crm');
      await command.webhooks.refresh('crm');
      await service.webhooks.record('user_updated', event(3));
      expect(await rows().replay('webhook:crm', monthMs)).toBe(2);
      service.poll();
      await eventually(() => expect(receiver.at('/crm')).toHaveLength(4));
      await eventually(async () => expect(await listed()).toEqual([]));
    });

    test('are sent although the endpoint was switched on just after it was read as off', async () => {
      receiver.behave('/crm', 410);
      const { webhooks, store, poll } = start(['crm']);
      await webhooks.record('user_updated', event(1));
      await store.settled();
      receiver.behave('/crm', 204);
      // Another process switches it on, and replays what is there, between the read and this write.
      const { addDeadLetter } = storage.repositories.outbox;
      storage.repositories.outbox.addDeadLetter = async (...given) => {
        await states().enable('crm');
        await rows().replay('webhook:crm', monthMs);
        return addDeadLetter(...given);
      };
      onTestFinished(() => {
        storage.repositories.outbox.addDeadLetter = addDeadLetter;
      });
      await webhooks.record('user_updated', event(2));
      poll();
      await eventually(async () => expect(await listed()).toEqual([]));
      expect(receiver.at('/crm')).toHaveLength(3);
    });

    test('that were due are sent although the endpoint was switched on just after it was read as off', async () => {
      receiver.behave('/crm', 204);
      const command = start(['crm'], { polls: false });
      await command.webhooks.record('user_updated', event(1));
      await states().switchOff('crm', 'it answered 410: it is gone');
      const { deadLetterDue } = storage.repositories.outbox;
      storage.repositories.outbox.deadLetterDue = async (...given) => {
        await states().enable('crm');
        return deadLetterDue(...given);
      };
      onTestFinished(() => {
        storage.repositories.outbox.deadLetterDue = deadLetterDue;
      });
      start(['crm']).poll();
      await eventually(() => expect(receiver.at('/crm')).toHaveLength(1));
      await eventually(async () => expect(await listed()).toEqual([]));
    });

    test('are delivered by the service for a command, which stores them and sends none', async () => {
      receiver.behave('/crm', 204);
      const command = start(['crm'], { polls: false });
      await command.webhooks.record('user_deleted', event(1));
      await command.store.settled();
      expect(await listed()).toMatchObject([{ state: 'waiting', attempts: 0 }]);
      const service = start(['crm']);
      service.poll();
      await eventually(() => expect(receiver.at('/crm')).toHaveLength(1));
      await eventually(async () => expect(await listed()).toEqual([]));
    });
  });

  /** Sets how many tries were begun, which only a retry of an administrator changes. */
  async function setAttempts(id: string, attempts: number): Promise<void> {
    for (let i = (await rows().find(id))!.attempts; i < attempts; i++) {
      const lease = 'of the test';
      await rows().claim(lease, 0, 1, { queue: 'webhook:crm' });
      await rows().release({ id, lease }, 0, null);
    }
  }
});
