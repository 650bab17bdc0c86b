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
    .description('create or promote a verified superuser; doing it again changes nothing')
    .requiredOption('--email <address>', 'whose account')
    .option('--password <text>', 'its password (better: SVC_ADMIN_PASSWORD, as others can see arguments)')
    .action((options: CreateAdminOptions) =>
      withGatehouse(options, async ({ operator, installSchema }) => {
        await installSchema();
        const { email } = options;
        const given = options.password ?? process.env.SVC_ADMIN_PASSWORD;
        const promotion = await operator.createAdmin({
          email,
          password: given ?? (await maybeAsk(email, operator)),
        });
        console.log(`${email} ${told[promotion]}`);
      }),
    );
}

/** Asks in a terminal, and only where a password is needed: a verified account is promoted as it is. */
async function maybeAsk(
  email: string,
  operator: { show(input: { email: string }): Promise<{ is_verified: boolean }> },
): Promise<string | undefined> {
  const user = await operator.show({ email }).catch(() => null);
  if (user?.is_verified || !process.stdin.isTTY) return undefined;
  const { isCancel, password: askPassword } = await import('@clack/prompts');
  const answer = await askPassword({ message: `Password for ${email} (8 to 128 characters)` });
  if (isCancel(answer)) throw new CommandError('Nothing was changed.');
  return answer;
}
