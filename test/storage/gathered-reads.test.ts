import { expect, test, vi } from 'vitest';
import { gatherReads } from '../../src/storage/gathered-reads.ts';

/** Reads that end when the test says so. */
function controlled() {
  const batches: { keys: readonly string[]; answer: PromiseWithResolvers<(string | null)[]> }[] = [];
  const read = gatherReads((keys: readonly string[]) => {
    const answer = Promise.withResolvers<(string | null)[]>();
    batches.push({ keys, answer });
    return answer.promise;
  });
  return { batches, read };
}

const turn = () => new Promise(setImmediate);

test('reads of one turn share a statement, and each gets its own row', async () => {
  const { batches, read } = controlled();
  const answers = Promise.all(['a', 'b', 'a'].map(read));
  await turn();
  expect(batches.map(({ keys }) => keys)).toEqual([['a', 'b', 'a']]);
  batches[0]!.answer.resolve(['row a', null, 'row a']);
  expect(await answers).toEqual(['row a', null, 'row a']);
});

test('a read is never answered by a statement that had begun before', async () => {
  const { batches, read } = controlled();
  const first = read('a');
  await turn();
  const second = read('a');
  batches[0]!.answer.resolve(['before']);
  expect(await first).toBe('before');
  await turn();
  batches[1]!.answer.resolve(['after']);
  expect(await second).toBe('after');
});

test('an error rejects the reads of its statement, and no other', async () => {
  const { batches, read } = controlled();
  const lost = Promise.allSettled(['a', 'b'].map(read));
  await turn();
  batches[0]!.answer.reject(new Error('connection lost'));
  expect((await lost).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const next = read('a');
  await turn();
  batches[1]!.answer.resolve(['row']);
  expect(await next).toBe('row');
});

test('while four statements are on their way, reads wait and then share the next', async () => {
  const { batches, read } = controlled();
  for (let i = 0; i < 4; i++) {
    void read(`${i}`);
    await turn();
  }
  const waiting = Promise.all(['a', 'b'].map(read));
  await turn();
  expect(batches).toHaveLength(4);
  batches[2]!.answer.resolve([null]);
  await turn();
  expect(batches[4]!.keys).toEqual(['a', 'b']);
  batches[4]!.answer.resolve(['row a', 'row b']);
  expect(await waiting).toEqual(['row a', 'row b']);
});

test('statements that hang delay no other', async () => {
  const { batches, read } = controlled();
  for (let i = 0; i < 4; i++) {
    void read(`${i}`);
    await turn();
  }
  const answer = read('a');
  await vi.waitFor(() => expect(batches).toHaveLength(5), { timeout: 30_000 });
  batches[4]!.answer.resolve(['row']);
  expect(await answer).toBe('row');
});
