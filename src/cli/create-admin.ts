import type { Command } from 'commander';
import type { Promotion } from '../services/operator.ts';
import { CommandError } from './errors.ts';
import { withGatehouse } from './instance.ts';
import { namingOptions } from './options.ts';
import { type FileOptions, withFiles } from './settings.ts';

interface CreateAdminOptions extends FileOptions {
  email: string;
  password?: string;
  takeOver?: boolean;
}

const outcomeTexts: Record<Promotion, string> = {
  created: 'was created as a superuser.',
  promoted:
    'is a superuser now. It keeps its password; to choose another: svc user send-reset, or --take-over.',
  unchanged: 'is a superuser already; nothing was changed.',
};

export function addCreateAdmin(program: Command): void {
  withFiles(program.command('create-admin'))
    .description(
      'create a verified superuser, or promote a verified account, which keeps its password, sessions and factors',
    )
    .requiredOption('--email <address>', 'email address of the account')
    .option(
      '--password <text>',
      'password of a new account (safer in SVC_ADMIN_PASSWORD: other users of the machine can see arguments)',
    )
    .option(
      '--take-over',
      'remove every way of signing in to the account that is there, promote it, and print an invitation',
    )
    .action(({ email, takeOver = false, ...options }: CreateAdminOptions) =>
      withGatehouse(options, async ({ config, operator, installSchema }) => {
        await installSchema();
        if (takeOver) {
          const url = await operator.takeOver({ email });
          console.log(
            `${email} is a superuser now. Its password, its sessions, its external identities, its phone, its authenticators and its API keys were removed.`,
          );
          console.log(`Its owner chooses a password here: ${url}`);
          return;
        }
        const { password = process.env.SVC_ADMIN_PASSWORD } = options;
        const askPassword = () => ask(email, config.passwordMinLength);
        const given = { email: { option: '--email', value: email } };
        const promotion = await namingOptions(given, () =>
          operator.createAdmin({ email, password, askPassword }),
        );
        console.log(`${email} ${outcomeTexts[promotion]}`);
      }),
    );
}

/** Asks in a terminal; without a terminal, returns null. @throws {CommandError} when the operator cancels */
async function ask(email: string, least: number): Promise<string | null> {
  if (!process.stdin.isTTY) return null;
  const { isCancel, password } = await import('@clack/prompts');
  const answer = await password({ message: `Password for ${email} (${least} to 128 characters)` });
  if (isCancel(answer)) throw new CommandError('Nothing was changed.');
  return answer;
}
