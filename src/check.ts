/** How a check came out: `warn` works but deserves a look, `skip` was not looked at. */
export type Outcome = 'ok' | 'warn' | 'fail' | 'skip';

/** One thing that was looked at; `detail` is one line for people and holds no secret. */
export interface Check {
  name: string;
  outcome: Outcome;
  detail: string;
}

/** Takes each check as soon as it is done. */
export type Report = (check: Check) => void;

/** An expectation that was not met; its message is the detail of the failed check. */
export class CheckFailure extends Error {
  override readonly name = 'CheckFailure';
}
