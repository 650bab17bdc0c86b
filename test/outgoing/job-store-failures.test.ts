import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { DeliveryError } from '../../src/outgoing/delivery-error.ts';
import { describeEachKind } from '../support/backends.ts';
import { eventually } from '../support/eventually.ts';
import { note, payloads, useNotes } from './notes.ts';

const down = new DeliveryError('the server is away', { code: 'ECONNREFUSED' });
const refused = new DeliveryError('it rejected the recipient (550)', { code: 'EENVELOPE', permanent: true });

describeEachKind('messages in the database that cannot be delivered', backend => {
  const notes = useNotes(backend);
  const { listed, states, start, left } = notes;

  test('wait while the server is away, with the reason and without its secrets, and are sent afterwards', async () => {
    let isDown = true;
    const { queue, sent, poll, undelivered, logger } = start(async () => {
      if (isDown) throw down;
    });
    await queue.enqueue('note', note('s3cret'));
    await queue.settled();
    const [row] = await listed();
    expect(row).toMatchObject({ state: 'waiting', attempts: 1, lease: null });
    expect(row!.lastError).toBe('ECONNREFUSED: the server is away');
    expect(row!.nextAttemptAt!.getTime()).toBeGreaterThan(row!.createdAt.getTime());
    expect(queue.state).toMatchObject({ waiting: 0, sent: 0, failed: 0, failing: { code: 'ECONNREFUSED' } });
    isDown = false;
    poll();
    await queue.settled();
    expect(sent).toEqual([]);
    await notes.rows.retry(row!.id, 86_400_000);
    poll();
    await eventually(() => expect(sent).toEqual(['s3cret']));
    expect(undelivered).toEqual([]);
    expect(JSON.stringify(logger.records)).not.toContain('s3cret');
  });

  test('are dead at once when the server refuses them for good, and count no more', async () => {
    let isRefused = true;
    const { queue, sent, poll, undelivered } = start(async () => {
      if (isRefused) throw refused;
    });
    await queue.enqueue('note', note('hello'));
    await queue.settled();
    const [row] = await listed();
    expect(row).toMatchObject({ state: 'dead', attempts: 1, nextAttemptAt: null, lease: null });
    expect(row!.lastError).toBe('EENVELOPE: it rejected the recipient (550)');
    expect(undelivered).toEqual(['hello']);
    poll();
    await queue.settled();
    expect((await listed())[0]).toMatchObject({ state: 'dead', attempts: 1 });
    isRefused = false;
    expect(await notes.rows.retry(row!.id, 86_400_000)).toBe(true);
    poll();
    await eventually(() => expect(sent).toEqual(['hello']));
  });

  test('are given up, and never sent, once what they contain has expired', async () => {
    const { sent, poll, undelivered } = start();
    const id = await left('an old link', 0, { lifetimeMs: 0 });
    const isDead = (attempts: number) =>
      eventually(async () => {
        poll();
        const lastError = 'expired: it was not sent in time';
        expect(await listed()).toMatchObject([{ state: 'dead', attempts, lastError }]);
      });
    await isDead(2);
    // Nor when an administrator wants it.
    await notes.rows.retry(id, 86_400_000);
    await isDead(3);
    expect([sent, undelivered.length > 0]).toEqual([[], true]);
  });

  test('are given up at the end of their lifetime, however often they were tried', async () => {
    let passedMs = 0;
    const { queue, sent } = start(
      async () => {
        passedMs = 60_000;
        throw down;
      },
      { now: () => passedMs },
    );
    await queue.enqueue('note', note('a link'), { lifetimeMs: 30_000 });
    await queue.settled();
    expect(await listed()).toMatchObject([
      { state: 'dead', attempts: 1, lastError: 'ECONNREFUSED: the server is away' },
    ]);
    expect(sent).toEqual([]);
  });

  test('that are being sent when a process stops are due for others at once', async () => {
    const hanging = Promise.withResolvers<void>();
    const stopping = start(() => hanging.promise);
    await stopping.queue.enqueue('note', note('hello'));
    expect(await stopping.queue.drain(1)).toEqual({ undelivered: 1 });
    expect(await states()).toEqual([['waiting', 1]]);
    const next = start();
    next.poll();
    await eventually(() => expect(next.sent).toEqual(['hello']));
    // The write that it was about to make with a lease that it has lost.
    hanging.reject(down);
    await eventually(async () => expect(await listed()).toEqual([]));
  });

  test('that a stored task has made are due for others at once, too', async () => {
    const sending = Promise.withResolvers<void>();
    const hanging = Promise.withResolvers<void>();
    const { store, queue } = start(() => {
      sending.resolve();
      return hanging.promise;
    });
    store.handle('task', task =>
      queue.enqueue('note', note('hello'), { replaces: { ...task, isReplaced: false } }),
    );
    await store.add({
      ...{ kind: 'mail', purpose: 'note', recipient: '' },
      payload: { by: 'task', content: {} },
    });
    await sending.promise;
    expect(await queue.drain(1)).toEqual({ undelivered: 1 });
    expect(await states()).toEqual([['waiting', 1]]);
    hanging.resolve();
  });

  test('that were copied to another row, or whose key is lost, are dead and say so', async () => {
    const { poll, sent } = start();
    const original = await left('hello', 60_000);
    const { payload } = (await notes.rows.find(original))!;
    const row = {
      id: randomUUID(),
      kind: 'mail' as const,
      purpose: 'note',
      recipient: '',
      payload,
      lease: null,
    };
    await notes.rows.add({ ...row, dueInMs: 0, endsInMs: 1000 });
    await eventually(async () => {
      poll();
      const dead = await notes.rows.list({ state: 'dead' }, { limit: 10 });
      expect(dead).toMatchObject([
        { id: row.id, lastError: 'unreadable: no configured data_encryption_key decrypts it' },
      ]);
    });
    expect(sent).toEqual([]);
  });

  test('of others are left alone by a command, which sends its own', async () => {
    const command = start(undefined, { polls: false });
    await left('of a server', 0, { lease: null });
    command.poll();
    await command.queue.enqueue('note', note('its own'));
    expect(await command.queue.drain(1000)).toEqual({ undelivered: 0 });
    expect(command.sent).toEqual(['its own']);
    expect(await states()).toEqual([['waiting', 0]]);
  });

  test('that only a later version knows are left to it', async () => {
    const { poll, sent, queue } = start();
    const id = randomUUID();
    const payload = payloads.encrypt({ id, kind: 'mail' }, { by: 'webhook', content: {} });
    const row = { id, kind: 'mail' as const, purpose: 'note', recipient: '', payload, lease: null };
    await notes.rows.add({ ...row, dueInMs: 0, endsInMs: 1000 });
    await eventually(async () => {
      poll();
      expect(await states()).toEqual([['waiting', 1]]);
    });
    await queue.settled();
    expect(sent).toEqual([]);
  });

  describe('as stored tasks', () => {
    test('are rows in whose place the message comes', async () => {
      const { store, queue } = start();
      const job = await store.addClaimed({
        ...{ kind: 'mail', purpose: 'asked', recipient: 'a***@example.org' },
        payload: { by: 'work', content: {} },
      });
      expect(await states()).toEqual([['sending', 1]]);
      const task = { ...job, isReplaced: false };
      await queue.enqueue('note', note('made'), { replaces: task });
      expect(task.isReplaced).toBe(true);
      await queue.settled();
      expect(await listed()).toEqual([]);
    });

    test('make messages whose links are as old as the messages, however long the work has waited', async () => {
      const hanging = Promise.withResolvers<void>();
      const { store, queue } = start(() => hanging.promise);
      const job = await store.addClaimed({
        ...{ kind: 'mail', purpose: 'asked', recipient: 'a***@example.org' },
        payload: { by: 'work', content: {} },
      });
      const [{ createdAt } = { createdAt: new Date() }] = await listed();
      await eventually(async () =>
        expect((await notes.storage.now()).getTime()).toBeGreaterThan(createdAt.getTime() + 1),
      );
      await queue.enqueue('note', note('made'), {
        replaces: { ...job, isReplaced: false },
        lifetimeMs: 1000,
      });
      const [row] = await listed();
      expect(row!.createdAt.getTime()).toBeGreaterThan(createdAt.getTime());
      hanging.resolve();
      await queue.settled();
    });

    test('make no message when another process has taken them over', async () => {
      const { store, queue, sent, undelivered } = start();
      const job = await store.addClaimed({
        ...{ kind: 'mail', purpose: 'asked', recipient: 'a***@example.org' },
        payload: { by: 'work', content: {} },
      });
      const task = { ...job, lease: 'an earlier one', isReplaced: false };
      await queue.enqueue('note', note('made'), { replaces: task });
      await queue.settled();
      expect([sent, undelivered]).toEqual([[], ['made']]);
      expect(await states()).toEqual([['sending', 1]]);
    });
  });
});
