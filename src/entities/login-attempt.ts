import { defineEntity, p } from '@mikro-orm/core';
import type { KeyColumn, Stored } from './record.ts';

/**
 * One failed guess. `email` is the address given at login, whether or not it has an account, or what else is guessed
 * at or counted.
 */
export function loginAttempt(tableName: string, key: KeyColumn) {
  return defineEntity({
    name: 'LoginAttempt',
    tableName,
    indexes: [{ properties: ['email', 'when'] }],
    properties: {
      id: p.text().primary().fieldName(key('id')),
      email: p.text(),
      when: p.datetime(3).index(),
      ip: p.text().nullable(),
      /** False while it holds the place of a right guess whose answer is on its way. */
      settled: p.boolean(),
    },
  });
}

export type LoginAttempt = Stored<ReturnType<typeof loginAttempt>>;
