import { Command, CommanderError } from 'commander';
import { ConfigError, GatehouseError } from '../errors.ts';
import { packageVersion } from '../version.ts';
import { addCreateAdmin } from './create-admin.ts';
import { addInit } from './init.ts';
import { addMigrate } from './migrate.ts';
import { addOAuthSetup } from './oauth-setup.ts';
import { addPurge } from './purge.ts';
import { addSchema } from './schema.ts';
import { addServe } from './serve.ts';
import { addUser } from './user.ts';
import { addValidate } from './validate.ts';

/** Every command with its options. */
export function createProgram(): Command {
  const program = new Command('svc')
    .description('Gatehouse: accounts and authentication for a web application.')
    .version(packageVersion())
    .showHelpAfterError('(svc --help lists the commands, svc COMMAND --help the options of one)')
    .exitOverride();
  for (const add of [
    addInit,
    addValidate,
    addServe,
    addMigrate,
    addCreateAdmin,
    addUser,
    addOAuthSetup,
    addPurge,
    addSchema,
  ])
    add(program);
  return program;
}

/** Runs one command; whatever fails ends in one clear line on standard error and an exit code of 1 or more. */
export async function run(argv: string[]): Promise<void> {
  try {
    await createProgram().parseAsync(argv);
  } catch (error) {
    // Commander has said what was wrong, and help asked for is no failure.
    if (error instanceof CommanderError) process.exitCode = error.exitCode;
    else {
      console.error(explain(error));
      process.exitCode = 1;
    }
  }
}

/** Errors whose message is a line for people; by name, as importing their modules would make every command slow. */
const forPeople = new Set([
  'CheckFailure',
  'CommandError',
  'GatehouseError',
  'MissingPackageError',
  'RuntimeError',
  'StorageError',
]);

function explain(error: unknown): string {
  if (error instanceof ConfigError) return `The configuration can't be used:\n${indent(error.message)}`;
  if (error instanceof GatehouseError && error.errors) {
    return error.errors.map(({ path, message }) => `${path} ${message}`).join('\n');
  }
  if (error instanceof GatehouseError && error.cause instanceof Error && forPeople.has(error.cause.name)) {
    // A whole sentence says it better than its consequence.
    const { message } = error.cause;
    return message.endsWith('.') ? message : `${error.message} (${message})`;
  }
  if (error instanceof Error && forPeople.has(error.name)) return error.message;
  return `Unexpected: ${error instanceof Error ? error.message : String(error)}`;
}

const indent = (lines: string) => lines.replace(/^/gm, '  ');
