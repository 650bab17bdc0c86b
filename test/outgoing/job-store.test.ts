import { expect, test, vi } from 'vitest';
import { createStoredMessageQueue } from '../../src/outgoing/stored-message-queue.ts';
import { describeEachKind } from '../support/backends.ts';
import { eventually } from '../support/eventually.ts';
import { type Note, note, useNotes } from './notes.ts';

describeEachKind('messages in the database', backend => {
  const notes = useNotes(backend);
  const { listed, states, start, left, open } = notes;

  test('are sent at once by the process that stored them, and leave nothing', async () => {
    const { queue, sent } = start();
    await queue.enqueue('note', note('hello'));
    await queue.settled();
    expect(sent).toEqual(['hello']);
    expect(await listed()).toEqual([]);
    expect(queue.state).toEqual({ waiting: 0, sent: 1, failed: 0, failing: null });
  });

  test('are a row before enqueueing ends, in which nothing of the message can be read', async () => {
    const hanging = Promise.withResolvers<void>();
    const { queue } = start(() => hanging.promise);
    await queue.enqueue('note', note('https://app.example/verify?token=s3cret'));
    const [row] = await listed();
    expect(row).toMatchObject({
      ...{ kind: 'mail', purpose: 'note', recipient: 'a***@example.org', state: 'sending', attempts: 1 },
      lastError: null,
    });
    const stored = JSON.stringify(row);
    for (const secret of ['s3cret', 'app.example', 'ada@', Buffer.from('s3cret').toString('base64url')])
      expect(stored).not.toContain(secret);
    hanging.resolve();
    await queue.settled();
  });

  test('are sent once, whichever of several processes finds them, by each at most four at a time', async () => {
    const others =
      backend.name === 'sqlite-memory' ? [notes.storage, notes.storage] : [await open(), await open()];
    const texts = Array.from({ length: 40 }, (_, i) => `${i}`);
    await Promise.all(texts.map(text => left(text, 0, { lease: null })));
    const underWay = new Set<string>();
    const twice: string[] = [];
    const send = async ({ text }: Note) => {
      if (underWay.has(text)) twice.push(text);
      underWay.add(text);
      await new Promise(setImmediate);
    };
    const processes = others.map(using => start(send, { using }));
    for (const { poll } of processes) poll();
    await eventually(async () => expect(await listed()).toEqual([]));
    expect(processes.flatMap(({ sent }) => sent).toSorted()).toEqual(texts.toSorted());
    expect(twice).toEqual([]);
    for (const { mostAtOnce } of processes) expect(mostAtOnce()).toBeLessThanOrEqual(4);
    for (const { queue } of processes) await queue.drain(1000);
    for (const using of others) if (using !== notes.storage) await using.close();
  });

  test('of one kind do not wait for those of another', async () => {
    // The mail server accepts connections and says nothing more, while people sign in with codes.
    const hanging = Promise.withResolvers<void>();
    const { queue, store, sent, logger, poll } = start(() => hanging.promise);
    for (let i = 0; i < 6; i++) await queue.enqueue('note', note(`mail ${i}`));
    const codes: string[] = [];
    const delivery = {
      noun: 'text message',
      send: async ({ text }: Note) => void codes.push(text),
      describe: () => ({}),
    };
    const format = { kind: 'text' as const, mask: () => '+1…', read: (it: unknown) => it as Note };
    const texts = createStoredMessageQueue<Note>(delivery, format, { store, logger });
    await texts.enqueue('login', note('at once'));
    await left('by a poll', 0, { kind: 'text' });
    poll();
    await eventually(() => expect(codes).toEqual(['at once', 'by a poll']));
    expect(sent).toEqual([]);
    hanging.resolve();
    await eventually(() => expect(sent).toHaveLength(6));
    await queue.settled();
  });

  test('that a process left behind are sent when its lease has ended, and not before', async () => {
    const { poll, sent, queue } = start();
    await left('early', 60_000);
    await left('late', 0);
    await eventually(() => {
      poll();
      expect(sent).toEqual(['late']);
    });
    await queue.settled();
    expect(await states()).toEqual([['sending', 1]]);
  });

  test.each([-5, 5])(
    'are leased by the clock of the database, where that of a process is %i hours off',
    async hours => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 });
      const hanging = Promise.withResolvers<void>();
      const wrong = start(() => hanging.promise);
      await wrong.queue.enqueue('note', note('mine'));
      await left('early', 60_000);
      await left('late', 0);
      vi.useRealTimers();
      const right = start();
      await eventually(() => {
        right.poll();
        expect(right.sent).toEqual(['late']);
      });
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 });
      wrong.poll();
      hanging.resolve();
      await eventually(() => expect(wrong.sent).toEqual(['mine']));
      await wrong.queue.settled();
      vi.useRealTimers();
      expect(right.sent).toEqual(['late']);
      expect(await states()).toEqual([['sending', 1]]);
    },
  );
});
