import type { Command } from 'commander';
import type { Operator } from '../services/operator.ts';
import { withMigrated } from './instance.ts';
import { type FileOptions, withFiles } from './settings.ts';

interface UserOptions extends FileOptions {
  email?: string;
}

/** What an operator needs at night. */
export function addUser(program: Command): void {
  const user = program.command('user').description('look at one account, and repair it');
  add('show', 'print the account', async (operator, email) => {
    console.log(JSON.stringify(await operator.show({ email }), null, 2));
  });
  add('unlock', 'forget failed logins and other wrong guesses', async (operator, email) => {
    await operator.unlock({ email });
    console.log(`${email} is unlocked.`);
  });
  add('revoke', 'end every session', async (operator, email) => {
    await operator.revoke({ email });
    console.log(`Every session of ${email} was ended.`);
  });
  add('disable', 'keep the account out: every session ends, and nobody signs in', async (operator, email) => {
    await operator.setActive({ email, isActive: false });
    console.log(`${email} is disabled.`);
  });
  add('enable', 'let a disabled account in again', async (operator, email) => {
    await operator.setActive({ email, isActive: true });
    console.log(`${email} is enabled.`);
  });
  add('disable-mfa', 'take the second factor off', async (operator, email) => {
    await operator.disableMfa({ email });
    console.log(`The second factor of ${email} is off.`);
  });

  function add(
    name: string,
    description: string,
    work: (operator: Operator, email: string) => Promise<void>,
  ): void {
    withFiles(user.command(name))
      .description(description)
      .argument('[address]', 'whose account')
      .option('--email <address>', 'the same')
      .action((address: string | undefined, options: UserOptions, command: Command) => {
        if (address !== undefined && options.email !== undefined)
          command.error(
            `error: too many arguments for '${name}'. Expected 0 arguments but got 1: ${address}.`,
          );
        const email = address ?? options.email;
        if (email === undefined) command.error("error: required option '--email <address>' not specified");
        return withMigrated(options, ({ operator }) => work(operator, email));
      });
  }
}
