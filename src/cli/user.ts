import { type Command, Option } from 'commander';
import type { UserPublic } from '../contract/views/account.ts';
import type { Assembled } from '../gatehouse.ts';
import type { Who } from '../services/operator-users.ts';
import { confirmed } from './confirm.ts';
import { delivered } from './delivered.ts';
import { CommandError } from './errors.ts';
import { withMigrated } from './instance.ts';
import { namingOptions } from './options.ts';
import { type FileOptions, withFiles } from './settings.ts';
import { addUserCreate, collected } from './user-create.ts';

interface UserOptions extends FileOptions {
  email?: string;
  id?: string;
  yes?: boolean;
  to?: string;
  verified?: boolean;
  requireNewPassword?: boolean;
  add?: string[];
  remove?: string[];
}

/** A command about one account. */
interface AccountCommand {
  name: string;
  description: string;
  /** Whether it asks for confirmation, unless `--yes` is given. */
  asks?: true;
  /** Its own options, each with its description. */
  options?: Option[];
  /** Whether its purpose is to send an email, which the console backend then prints. */
  sendsMail?: true;
  /** Returns what to print; nothing where it has printed enough. */
  work(gatehouse: Assembled, who: Who, options: UserOptions): Promise<string>;
}

const commands: AccountCommand[] = [
  {
    name: 'show',
    description: 'print the account, until when it is locked, and its second factors and sessions',
    work: async ({ operator }, who) => JSON.stringify(await operator.show(who), null, 2),
  },
  {
    name: 'unlock',
    description: 'clear failed logins and other failed attempts',
    work: async ({ operator }, who) => `${(await operator.unlock(who)).email} is unlocked.`,
  },
  {
    name: 'revoke',
    description: 'end every session',
    work: async ({ operator }, who) => `Every session of ${(await operator.revoke(who)).email} was ended.`,
  },
  {
    name: 'disable',
    description: 'disable the account: every session ends, and nobody can sign in',
    work: async ({ operator }, who) => {
      const { email } = await operator.setActive({ ...who, isActive: false });
      return `${email} is disabled.`;
    },
  },
  {
    name: 'enable',
    description: 'enable a disabled account again',
    work: async ({ operator }, who) => {
      const { email } = await operator.setActive({ ...who, isActive: true });
      return `${email} is enabled.`;
    },
  },
  {
    name: 'disable-mfa',
    description: 'remove every second factor: phone, authenticator apps, passkeys and recovery codes',
    work: async ({ operator }, who) =>
      `Every second factor of ${(await operator.disableMfa(who)).email} was removed.`,
  },
  {
    name: 'resend-verification',
    description: 'email a new verification link, to an account or a pending registration',
    sendsMail: true,
    work: async (gatehouse, who) => {
      const { email } = await gatehouse.operator.resendVerification(who);
      return delivered(gatehouse, `A verification link was sent to ${email}.`);
    },
  },
  {
    name: 'send-reset',
    description: 'email a link to set a new password',
    sendsMail: true,
    work: async (gatehouse, who) => {
      const { email } = await gatehouse.operator.sendReset(who);
      return delivered(gatehouse, `A link to set a new password was sent to ${email}.`);
    },
  },
  {
    name: 'require-new-password',
    description: 'stop the password, end every session, and email a link to choose another password',
    sendsMail: true,
    work: async (gatehouse, who) => {
      const { email } = await gatehouse.operator.requireNewPassword(who);
      return delivered(gatehouse, 'A link was sent.', {
        done: `The password of ${email} no longer signs in.`,
        again: 'svc user send-reset',
      });
    },
  },
  {
    name: 'change-email',
    description: 'move the account to another address at once, and end every session',
    sendsMail: true,
    options: [
      new Option('--to <address>', 'the address that the account is to have'),
      new Option('--verified', 'you know that the address is that of the owner'),
      new Option('--require-new-password', 'stop the password too, and email a link to choose another one'),
    ],
    work: async (gatehouse, who, { to, verified, requireNewPassword }) => {
      if (to === undefined) throw new CommandError('The new address is missing: use --to ADDRESS.');
      const { email } = await namingOptions({ email: { option: '--to', value: to } }, () =>
        gatehouse.operator.changeEmail(who, {
          email: to,
          is_verified: verified === true,
          ...(requireNewPassword && { require_new_password: true }),
        }),
      );
      const again = requireNewPassword ? 'send-reset' : !verified && 'resend-verification';
      return delivered(gatehouse, '', {
        done: `The address of the account is ${email}. Every session has ended.`,
        ...(again && { again: `svc user ${again}` }),
      });
    },
  },
  {
    name: 'role',
    description: 'give the account a role, or take one from it',
    options: [
      new Option('--add <role>', 'a role that the account is to have; may be repeated').argParser(collected),
      new Option('--remove <role>', 'a role that it is to lose; may be repeated').argParser(collected),
    ],
    work: async ({ operator }, who, { add = [], remove = [] }) => {
      if (add.length + remove.length === 0)
        throw new CommandError('No role is given: use --add ROLE or --remove ROLE.');
      const { email, roles } = await operator.changeRoles(who, { add, remove });
      return roles.length > 0 ? `The roles of ${email}: ${roles.join(', ')}.` : `${email} has no role.`;
    },
  },
  {
    name: 'invite',
    description: 'email an invitation: a link to choose a password, for an account without one',
    sendsMail: true,
    work: async (gatehouse, who) => {
      const { email } = await gatehouse.operator.invite(who);
      return delivered(gatehouse, `An invitation was sent to ${email}.`);
    },
  },
  {
    name: 'delete',
    description: 'delete the account and all of its data here',
    asks: true,
    work: async ({ operator }, who, { yes }) => {
      const user = await operator.find(who);
      await confirmed(
        yes,
        questionOf(user),
        'There is no terminal in which to confirm the deletion: use --yes.',
      );
      await operator.remove({ id: user.id });
      return `${user.email} was deleted.`;
    },
  },
];

/** Adds the commands for an operator's urgent work on single accounts, and for moving users in and out. */
export function addUser(program: Command): void {
  const user = program
    .command('user')
    .description('show and repair single accounts, import and export users');
  addUserCreate(user);
  for (const { name, description, asks, options: own = [], sendsMail = false, work } of commands) {
    const command = withFiles(user.command(name))
      .description(description)
      .argument('[address]', 'email address of the account')
      .option('--email <address>', 'the same as the argument')
      .addOption(new Option('--id <id>', 'id of the account, instead of the address').conflicts('email'));
    for (const option of own) command.addOption(option);
    if (asks) command.option('--yes', 'do not ask for confirmation');
    command.action((address: string | undefined, options: UserOptions) => {
      const who = whoOf(command, address, options);
      const given = {
        email: {
          option: options.email === undefined ? 'address' : '--email',
          value: options.email ?? address,
        },
      };
      const print = async (gatehouse: Assembled) => {
        const text = await namingOptions(given, () => work(gatehouse, who, options));
        if (text !== '') console.log(text);
      };
      return withMigrated(options, print, { showMails: sendsMail });
    });
  }
}

/** Returns which account the command line names; it must use exactly one of the ways to do so. */
function whoOf(command: Command, address: string | undefined, { email = address, id }: UserOptions): Who {
  if (address !== undefined && (email !== address || id !== undefined)) {
    const name = command.name();
    command.error(`error: too many arguments for '${name}'. Expected 0 arguments but got 1: ${address}.`);
  }
  if (id !== undefined) return { id };
  return email === undefined
    ? command.error("error: required option '--email <address>' not specified")
    : { email };
}

/** Returns the question that a deletion asks. */
function questionOf({ email, full_name, created_at }: UserPublic): string {
  const name = full_name ? ` (${full_name})` : '';
  return `Delete ${email}${name}, created ${created_at.slice(0, 10)}? This cannot be undone.`;
}
