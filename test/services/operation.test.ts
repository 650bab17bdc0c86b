import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Caller, hostCaller, operatorCaller } from '../../src/domain/caller.ts';
import { type AccessKind, createDefine } from '../../src/domain/operation.ts';
import { GatehouseError } from '../../src/errors.ts';

const refusing = {
  sessionOf: () => Promise.reject(new GatehouseError('unauthenticated')),
};
const unlimited = { consume: async () => {} };
const run = (work: () => unknown) => work();
const unwatched = () => ({ trail: {}, step: run, finish: run });
const define = createDefine(refusing, {} as never, unlimited as never, unwatched as never, {
  lifeCycle: { keys: undefined },
  bounded: (_, work) => work(),
});

const operationOf = (kind: AccessKind) =>
  define(
    {
      name: 'act',
      summary: 'Acts.',
      access: { kind },
      input: z.strictObject({}),
      output: z.string(),
      errors: [],
    },
    async (_, { by }) => by,
  );

test.each([
  ['the command line', operatorCaller, 'cli'],
  ['the host', hostCaller, 'host'],
])('%s itself may do what a superuser may, and nothing that needs a session', async (_, caller, by) => {
  expect(await operationOf('superuser')(caller)).toBe(by);
  expect(await operationOf('anyone')(caller)).toBe(by);
  await expect(operationOf('session')(caller)).rejects.toMatchObject({ code: 'unauthenticated' });
});

test('no other caller is taken for one of them, however much it resembles it', async () => {
  // An attacker gets a door to make a caller without an address and without a token.
  const lookalikes: Caller[] = [
    ...[{ ip: null }, { ...operatorCaller }, structuredClone(operatorCaller)],
    ...[{ ...hostCaller }, structuredClone(hostCaller), Object.create(hostCaller)],
  ];
  for (const caller of lookalikes) {
    const refused = operationOf('superuser')(caller);
    await expect(refused).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await operationOf('anyone')(caller)).toBe('self');
  }
});
