import type { Check, Outcome, Report } from '../validate/check.ts';
import { oneLine } from './output.ts';

/** Prints checks, and sets the exit code when they are done. */
export interface PrintedReport {
  add: Report;
  /**
   * Prints how many checks had each outcome, and sentences that follow from how many failed; the exit code is 1 when any
   * failed.
   */
  end(concluding?: (failed: number) => readonly string[]): void;
}

/** The length of the longest name of a check, so that details are aligned. */
const nameWidth = 14;

/** Returns a report that prints a line for each check when it is done, or one JSON document at the end. */
export function createReport(asJson: boolean): PrintedReport {
  const checks: Check[] = [];
  const count = (outcome: Outcome) => checks.filter(check => check.outcome === outcome).length;
  return {
    add(check) {
      checks.push(check);
      if (!asJson) console.log(lineOf(check));
    },
    end(concluding) {
      const failed = count('fail');
      const conclusions = concluding?.(failed);
      if (asJson) console.log(JSON.stringify({ ok: failed === 0, checks, conclusions }, null, 2));
      else {
        console.log(
          `${count('ok')} ok, ${count('warn')} with a warning, ${failed} failed, ${count('skip')} skipped`,
        );
        if (conclusions?.length) console.log(`\n${conclusions.join('\n')}`);
      }
      if (failed > 0) process.exitCode = 1;
    },
  };
}

/** Returns one line, whatever the other side sent. */
const lineOf = ({ outcome, name, detail }: Check) =>
  `${outcome.padEnd(4)}  ${name.padEnd(nameWidth)}  ${oneLine(detail)}`;
