import type { Command } from 'commander';
import { ConfigError, GatehouseError } from '../errors.ts';
import { everyFeature } from '../feature-parts.ts';
import { addCheck } from './check.ts';
import { addCreateAdmin } from './create-admin.ts';
import { addInit } from './init.ts';
import { addLocale } from './locale.ts';
import { addMail } from './mail.ts';
import { addMigrate } from './migrate.ts';
import { addOAuthSetup } from './oauth-setup.ts';
import { addOutbox } from './outbox.ts';
import { addPurge } from './purge.ts';
import { emptyProgram, forPeople, runProgram, unexpected } from './run.ts';
import { addSchema } from './schema.ts';
import { addServe } from './serve.ts';
import { addToken } from './token.ts';
import { addUser } from './user.ts';
import { addValidate } from './validate.ts';

/** Returns every command with its options, those of features among them. */
export async function createProgram(): Promise<Command> {
  const program = emptyProgram();
  for (const add of [
    addInit,
    addValidate,
    addCheck,
    addServe,
    addMigrate,
    addCreateAdmin,
    addUser,
    addOAuthSetup,
    addMail,
    addLocale,
    addOutbox,
    addPurge,
    addSchema,
    addToken,
  ])
    add(program);
  for (const { commands } of everyFeature) (await commands?.())?.addCommands(program);
  return program;
}

/** Runs one command; any failure ends in one clear line on standard error and an exit code of 1 or more. */
export const run = (argv: string[]): Promise<void> => runProgram(createProgram, explain, argv);

function explain(error: unknown): string {
  if (error instanceof ConfigError) return `The configuration can't be used:\n${indent(error.message)}`;
  if (error instanceof GatehouseError && error.errors) return error.message;
  if (error instanceof GatehouseError && error.cause instanceof Error && forPeople.has(error.cause.name)) {
    // A whole sentence explains more than the error that it caused.
    const { message } = error.cause;
    return message.endsWith('.') ? message : `${error.message} (${message})`;
  }
  return unexpected(error);
}

const indent = (lines: string) => lines.replace(/^/gm, '  ');
