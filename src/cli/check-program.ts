import { addCheck } from './check.ts';
import { emptyProgram, runProgram, unexpected } from './run.ts';

/** Runs `check` alone, without what the other commands load. */
export const run = (argv: string[]): Promise<void> =>
  runProgram(
    () => {
      const program = emptyProgram();
      addCheck(program);
      return program;
    },
    unexpected,
    argv,
  );
