import type { Command } from 'commander';
import type { Promotion } from '../services/operator.ts';
import { CommandError } from './errors.ts';
import { withGatehouse } from './instance.ts';
import { type FileOptions, withFiles } from './settings.ts';

interface CreateAdminOptions extends FileOptions {
  email: string;
  password?: string;
}

const outcomeTexts: Record<Promotion, string> = {
  created: 'was created as a superuser.',
  promoted: 'is a superuser now.',
  taken_over:
    'is a superuser now. Its password was replaced, its sessions were ended, its external identities and its phone were removed.',
  unchanged: 'is a superuser already; nothing was changed.',
};

export function addCreateAdmin(program: Command): void {
  withFiles(program.command('create-admin'))
    .description(
      'create or promote a verified superuser; with a password, an existing account gets it and loses its sessions, identities and phone',
    )
    .requiredOption('--email <address>', 'email address of the account')
    .option(
      '--password <text>',
      'password of the account (safer in SVC_ADMIN_PASSWORD: other users of the machine can see arguments)',
    )
    .action((options: CreateAdminOptions) =>
      withGatehouse(options, async ({ config, operator, installSchema }) => {
        await installSchema();
        const { email, password = process.env.SVC_ADMIN_PASSWORD } = options;
        const askPassword = () => ask(email, config.passwordMinLength);
        const promotion = await operator.createAdmin({ email, password, askPassword });
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
