import { Command, CommanderError } from 'commander';
import { ConfigError, GatehouseError } from '../errors.ts';
import { everyFeature } from '../feature-parts.ts';
import { packageVersion } from '../version.ts';
import { addCreateAdmin } from './create-admin.ts';
import { addInit } from './init.ts';
import { addMail } from './mail.ts';
import { addMigrate } from './migrate.ts';
import { addOAuthSetup } from './oauth-setup.ts';
import { addOutbox } from './outbox.ts';
import { addPurge } from './purge.ts';
import { addSchema } from './schema.ts';
import { addServe } from './serve.ts';
import { addUser } from './user.ts';
import { addValidate } from './validate.ts';

/** Returns every command with its options, those of features among them. */
export async function createProgram(): Promise<Command> {
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
    addMail,
    addOutbox,
    addPurge,
    addSchema,
  ])
    add(program);
  for (const { commands } of everyFeature) (await commands?.())?.addCommands(program);
  return program;
}

/** Runs one command; any failure ends in one clear line on standard error and an exit code of 1 or more. */
export async function run(argv: string[]): Promise<void> {
  try {
    await (await createProgram()).parseAsync(argv);
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
    return error.errors.map(({ path, message }) => `${path} ${message}`.trim()).join('\n');
  }
  if (error instanceof GatehouseError && error.cause instanceof Error && forPeople.has(error.cause.name)) {
    // A whole sentence explains more than the error that it caused.
    const { message } = error.cause;
    return message.endsWith('.') ? message : `${error.message} (${message})`;
  }
  if (error instanceof Error && forPeople.has(error.name)) return error.message;
  return `Unexpected error: ${error instanceof Error ? error.message : String(error)}`;
}

const indent = (lines: string) => lines.replace(/^/gm, '  ');
