import type { Check, Outcome, Report } from '../check.ts';

/** Prints checks, and sets the exit code when they are done. */
export interface PrintedReport {
  add: Report;
  /** Says how many of each there were; the exit code is 1 when any failed. */
  end(): void;
}

/** The longest name of a check, so that details stand below each other. */
const nameWidth = 14;

/** A line a check as it is done, or one JSON document at the end. */
export function createReport(asJson: boolean): PrintedReport {
  const checks: Check[] = [];
  const count = (outcome: Outcome) => checks.filter(check => check.outcome === outcome).length;
  return {
    add(check) {
      checks.push(check);
      if (!asJson) console.log(lineOf(check));
    },
    end() {
      const failed = count('fail');
      if (asJson) console.log(JSON.stringify({ ok: failed === 0, checks }, null, 2));
      else
        console.log(
          `${count('ok')} ok, ${count('warn')} to look at, ${failed} failed, ${count('skip')} left out`,
        );
      if (failed > 0) process.exitCode = 1;
    },
  };
}

/** One line, whatever the other side has said: control characters could redraw a terminal. */
const lineOf = ({ outcome, name, detail }: Check) =>
  `${outcome.padEnd(4)}  ${name.padEnd(nameWidth)}  ${detail.replace(/\p{Cc}+/gu, ' ')}`;
