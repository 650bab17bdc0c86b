import { Command, CommanderError } from 'commander';
import { packageVersion } from '../version.ts';

/** Returns the program without its commands. */
export const emptyProgram = (): Command =>
  new Command('svc')
    .description('Gatehouse: accounts and authentication for a web application.')
    .version(packageVersion())
    .showHelpAfterError('(svc --help lists the commands, svc COMMAND --help the options of one)')
    .exitOverride();

/** Runs one command; a failure ends in the line that `explain` returns, and in an exit code of 1 or more. */
export async function runProgram(
  create: () => Promise<Command> | Command,
  explain: (error: unknown) => string,
  argv: string[],
): Promise<void> {
  try {
    await (await create()).parseAsync(argv);
  } catch (error) {
    // Commander has printed what was wrong, and a request for help is not a failure.
    if (error instanceof CommanderError) process.exitCode = error.exitCode;
    else {
      console.error(explain(error));
      process.exitCode = 1;
    }
  }
}

/**
 * Errors whose message is one line for people; identified by name, because importing their modules would slow every
 * command down.
 */
export const forPeople = new Set([
  'CheckFailure',
  'CommandError',
  'GatehouseError',
  'MissingPackageError',
  'RuntimeError',
  'StorageError',
  'UnreadableRing',
]);

/** Returns the line about an error of which no more than its name is known. */
export function unexpected(error: unknown): string {
  if (error instanceof Error && forPeople.has(error.name)) return error.message;
  return `Unexpected error: ${error instanceof Error ? error.message : String(error)}`;
}
