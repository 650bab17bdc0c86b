import { defineEntity, type KeyColumn, p, type Stored } from './columns.ts';

/**
 * One counted attempt of a subject: of an address given at login, whether or not it has an account, or of another value
 * that attempts are counted for (`sms:+49…`).
 */
export function loginAttempt(tableName: string, key: KeyColumn) {
  return defineEntity({
    name: 'LoginAttempt',
    tableName,
    indexes: [{ properties: ['subject', 'when'] }],
    properties: {
      id: p.text().primary().fieldName(key('id')),
      // The column keeps the name that the first version gave it: the former version runs beside this one during an upgrade.
      subject: p.text().fieldName('email'),
      when: p.datetime(3).index(),
      ip: p.text().nullable(),
      /** False while the row is the slot of a successful attempt whose response has not been sent yet. */
      settled: p.boolean(),
    },
  });
}

export type LoginAttempt = Stored<ReturnType<typeof loginAttempt>>;
