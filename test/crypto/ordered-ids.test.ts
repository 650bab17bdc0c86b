import { validate, version } from 'uuid';
import { expect, test } from 'vitest';
import { createOrderedIds } from '../../src/crypto/ordered-ids.ts';
import { newUser } from '../../src/domain/new-user.ts';

const at = Date.parse('2026-01-02T03:04:05.678Z');

test('are UUIDs of version 7 that tell their time', () => {
  const id = createOrderedIds()(at);
  expect([validate(id), version(id)]).toEqual([true, 7]);
  expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(at);
});

test('sort in the order in which they were made, within a millisecond too', () => {
  const nextId = createOrderedIds();
  const ids = [0, 0, 0, 1, 1, 5, 5, 5].flatMap(later =>
    Array.from({ length: 200 }, () => nextId(at + later)),
  );
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
});

test('of two processes differ, though they make them at the same time', () => {
  const [one, other] = [createOrderedIds(), createOrderedIds()];
  const ids = Array.from({ length: 500 }, () => [one(at), other(at)]).flat();
  expect(new Set(ids).size).toBe(ids.length);
});

test('users that an import makes at the same time are in the order of its lines', () => {
  const fields = { fullName: null, hashedPassword: null, isVerified: true };
  const users = Array.from({ length: 50 }, (_, i) =>
    newUser(new Date(at), { ...fields, email: `${i}@example.org` }),
  );
  const ids = users.map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted());
});
