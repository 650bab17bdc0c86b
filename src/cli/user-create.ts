import { type Command, Option } from 'commander';
import type { Assembled } from '../gatehouse.ts';
import { delivered } from './delivered.ts';
import { withMigrated } from './instance.ts';
import { namingOptions } from './options.ts';
import { type FileOptions, withFiles } from './settings.ts';

interface CreateOptions extends FileOptions {
  email: string;
  name?: string;
  role?: string[];
  verified?: boolean;
  invite: boolean;
}

/** Collects the values of an option that may be repeated. */
export const collected = (value: string, before: string[] = []): string[] => [...before, value];

/** Adds `svc user create`. */
export function addUserCreate(user: Command): void {
  withFiles(user.command('create'))
    .description('create an account without a password, and email its owner an invitation to choose one')
    .requiredOption('--email <address>', 'the address of the account')
    .option('--name <name>', 'the name of the owner')
    .addOption(new Option('--role <role>', 'a role of the account; may be repeated').argParser(collected))
    .option('--verified', 'you know that the address is that of the owner')
    .option('--no-invite', 'send nothing; `svc user invite` can do so later')
    .action((options: CreateOptions) => {
      const work = (gatehouse: Assembled) => create(gatehouse, options);
      return withMigrated(options, work, { showMails: options.invite });
    });
}

async function create(
  gatehouse: Assembled,
  { email, name, role: roles = [], verified, invite }: CreateOptions,
): Promise<void> {
  const account = { email, roles, invite, is_verified: verified === true };
  const given = {
    email: { option: '--email', value: email },
    full_name: { option: '--name', value: name },
  };
  const user = await namingOptions(given, () =>
    gatehouse.operator.create({ ...account, ...(name !== undefined && { full_name: name }) }),
  );
  const done = `The account of ${user.email} is created; its id is ${user.id}.`;
  if (!invite) return console.log(done);
  const sent = `An invitation was sent to ${user.email}.`;
  console.log(await delivered(gatehouse, sent, { done, again: 'svc user invite' }));
}
