import type { Command } from 'commander';
import type { Promotion } from '../services/operator.ts';
import { CommandError } from './errors.ts';
import { withGatehouse } from './instance.ts';
import { type FileOptions, withFiles } from './settings.ts';

interface CreateAdminOptions extends FileOptions {
  email: string;
  password?: string;
}

const told: Record<Promotion, string> = {
  created: 'was created as a superuser.',
  promoted: 'is a superuser now.',
  taken_over:
    'is a superuser now. Its password was replaced, its sessions were ended, its external identities and its phone were removed.',
  unchanged: 'is a superuser already; nothing was changed.',
};

export function addCreateAdmin(program: Command): void {
  withFiles(program.command('create-admin'))
    .description(
      'create or promote a verified superuser; with a password, an account that is there is taken over',
    )
    .requiredOption('--email <address>', 'whose account')
    .option('--password <text>', 'its password (better: SVC_ADMIN_PASSWORD, as others can see arguments)')
    .action((options: CreateAdminOptions) =>
      withGatehouse(options, async ({ operator, installSchema }) => {
        await installSchema();
        const { email, password = process.env.SVC_ADMIN_PASSWORD } = options;
        const promotion = await operator.createAdmin({ email, password, askPassword: () => ask(email) });
        console.log(`${email} ${told[promotion]}`);
      }),
    );
}

/** Asks in a terminal; elsewhere there is nobody to ask. @throws {CommandError} when the operator gives up */
async function ask(email: string): Promise<string | null> {
  if (!process.stdin.isTTY) return null;
  const { isCancel, password } = await import('@clack/prompts');
  const answer = await password({ message: `Password for ${email} (8 to 128 characters)` });
  if (isCancel(answer)) throw new CommandError('Nothing was changed.');
  return answer;
}
