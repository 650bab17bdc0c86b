import { boolean, defineTable, type RowOf, text, time } from './define.ts';

/**
 * One counted attempt of a subject: of an address given at login, whether or not it has an account, or of another value
 * that attempts are counted for (`sms:+49…`).
 */
export const loginAttempts = defineTable({
  name: 'LoginAttempt',
  setting: 'login_attempt_collection',
  usualName: 'login_attempts',
  description: '… of failed logins',
  indexes: [['subject', 'when']],
  columns: {
    id: text().key(),
    // The column keeps the name that the first version gave it: the former version runs beside this one during an upgrade.
    subject: text().named('email'),
    when: time().indexed(),
    ip: text().nullable(),
    /** False while the row is the slot of a successful attempt whose response has not been sent yet. */
    settled: boolean(),
  },
  ends: { by: 'when', plusWindow: true },
});

export type LoginAttempt = RowOf<typeof loginAttempts>;
