import type { Command } from 'commander';
import { addUserExport } from './export-command.ts';
import { addUserImport } from './import-command.ts';

/** Adds `svc user import` and `svc user export`. */
export function addCommands(program: Command): void {
  const user = program.commands.find(command => command.name() === 'user')!;
  addUserImport(user);
  addUserExport(user);
}
