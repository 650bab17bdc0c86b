import { cancel, isCancel } from '@clack/prompts';

/** Returns the answer, or ends the program if the operator pressed Ctrl-C. */
export function answered<T>(answer: T): Exclude<T, symbol> {
  return isCancel(answer) ? stop() : (answer as Exclude<T, symbol>);
}

export function stop(): never {
  cancel('Nothing was written.');
  process.exit(1);
}
