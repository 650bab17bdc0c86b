/** The outcome of a check: `warn` works but deserves attention, `skip` was not checked. */
export type Outcome = 'ok' | 'warn' | 'fail' | 'skip';

/** One check; `detail` is one line for people and holds no secret. */
export interface Check {
  name: string;
  outcome: Outcome;
  detail: string;
}

/** Receives each check as soon as it is done. */
export type Report = (check: Check) => void;

/** An expectation that was not met; its message is the detail of the failed check. */
export class CheckFailure extends Error {
  override readonly name = 'CheckFailure';
}
