import { z } from 'zod';
import { email as emailField, newPassword } from '../contract/inputs/fields.ts';
import { parse } from '../contract/inputs/parse.ts';
import { changesOf } from '../domain/changes.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import type { Purged } from '../domain/maintenance.ts';
import { newUser } from '../domain/new-user.ts';
import { createDefineAct } from '../domain/operator-act.ts';
import { removeCredentials } from '../domain/removal.ts';
import { withoutSecondFactor } from '../domain/second-factor.ts';
import type { User } from '../entities/user.ts';
import { GatehouseError } from '../errors.ts';
import type { UserChange } from '../storage/repositories/users.ts';
import { createOperatorAudit } from './operator-audit.ts';
import { createOperatorExport } from './operator-export.ts';
import { createOperatorImport } from './operator-import.ts';
import { createOperatorOutbox } from './operator-outbox.ts';
import { createOperatorUsers } from './operator-users.ts';
import { createOperatorWebhooks } from './operator-webhooks.ts';

export type Operator = ReturnType<typeof createOperator>;

/** How a user became a superuser. */
export type Promotion = 'created' | 'promoted' | 'taken_over' | 'unchanged';

interface CreateAdmin {
  email: string;
  password?: string | null;
  /** Asks the operator for a password that is needed and was not given; null means that nobody can be asked. */
  askPassword?: () => Promise<string | null>;
}

/** What an operator does with the database itself. */
interface Maintenance {
  purge(): Promise<Purged>;
  /** Returns how many migrations were run. */
  install(): Promise<number>;
}

/** What an operator does at the command line, where access to the machine is the permission. */
export function createOperator(parts: Dependencies, { purge, install }: Maintenance) {
  const { config, clock, repositories, hasher, passwords, lockout, verification } = parts;
  const { notices, events } = parts;
  const defineAct = createDefineAct(parts.watch);
  const CreateAdminInput = z.strictObject({ email: emailField, password: newPassword(config).nullish() });
  const { users, pending } = repositories;
  const { toUserPublic } = parts.views;

  async function createSuperuser(email: string, password: string): Promise<User> {
    const hashedPassword = await passwords.hash(password, { email, fullName: null, field: 'password' });
    const user = newUser(clock.now(), {
      email,
      fullName: null,
      hashedPassword,
      isVerified: true,
      isSuperuser: true,
    });
    if (!(await users.add(user))) throw new GatehouseError('email_taken');
    await pending.remove(email);
    await events.emit('user_registered', { user: toUserPublic(user) });
    return user;
  }

  /** Changes an account if it still has the address that the operator named (compare-and-set). */
  async function changeNamed({ id, email }: User, change: UserChange): Promise<User> {
    const changed = await users.change(id, change, { email });
    if (changed) return changed;
    throw new GatehouseError('unavailable', { detail: 'The account changed meanwhile. Try again.' });
  }

  /**
   * Sets a new password and removes everything that a stranger may have left in the account (pre-hijacking). The account
   * is disabled and its sessions are revoked first: until everything is removed nobody can sign in, not even with an
   * identity that is about to be removed. A stop in between leaves the account disabled, with its old password, so that
   * the same command takes it over again.
   */
  async function takeOver(user: User, password: string): Promise<User> {
    const hashedPassword = await passwords.hash(password, { ...user, field: 'password' });
    const startedAt = clock.now();
    await changeNamed(user, {
      set: { ...withoutSecondFactor, isActive: false, updatedAt: startedAt },
      cutOffAt: startedAt,
    });
    await removeCredentials(repositories, user.id);
    await pending.remove(user.email);
    const roles = { isActive: true, isVerified: true, isSuperuser: true };
    const now = clock.now();
    const changed = await changeNamed(user, {
      set: { ...withoutSecondFactor, ...roles, hashedPassword, updatedAt: now },
      cutOffAt: now,
    });
    await lockout.clearUser(user);
    return changed;
  }

  return {
    ...createOperatorUsers(parts),
    ...createOperatorImport(parts, defineAct),
    ...createOperatorExport(parts, defineAct),
    /** Migrates the database to the schema of this version. Returns how many migrations were run. */
    migrate: defineAct('migrate', async (_: object, trail) => {
      const steps = await install();
      trail.changes = steps === 0 ? [] : [`migrations:${steps}`];
      return steps;
    }),

    /** Removes what has expired. Returns how many rows of each kind. */
    purge: defineAct('purge', async (_: object, trail) => {
      const purged = await purge();
      const counts = Object.entries(purged).filter(([, count]) => count > 0);
      trail.changes = counts.map(([kind, count]) => `${kind}:${count}`);
      return purged;
    }),

    /** Absent while messages wait in memory. */
    outbox: parts.config.mailStore === 'database' ? createOperatorOutbox(parts) : undefined,
    /** Absent while audit records are in the log. */
    audit: parts.config.auditStore === 'database' ? createOperatorAudit(parts, defineAct) : undefined,
    /** Absent while the configuration has none. */
    webhooks: parts.webhooks && createOperatorWebhooks(parts, parts.webhooks),

    /**
     * Creates or promotes a verified superuser; repeating it changes nothing. An existing account is promoted as it is
     * only when it is verified and no password is given.
     */
    createAdmin: defineAct('createAdmin', async (raw: CreateAdmin, trail): Promise<Promotion> => {
      const { askPassword = async () => null, ...given } = raw;
      const { email } = parse(CreateAdminInput, given);
      trail.email = email;
      const user = await users.findByEmail(email);
      trail.subject = user?.id ?? null;
      const answer = given.password ?? (user?.isVerified ? null : await askPassword());
      const { password } = parse(CreateAdminInput, { email, password: answer });
      const isTheirs =
        user?.isVerified && answer != null && (await hasher.verify(user.hashedPassword, answer, user.id));
      const isFit = user?.isVerified && (password == null || isTheirs);
      if (!isFit && password == null) {
        throw new GatehouseError('invalid_input', {
          detail: user
            ? `The address ${email} was never verified, so its account may be a stranger's: give a password to take it over.`
            : (await verification.findPending(email))
              ? `The registration of ${email} is pending. Open the link in its email first, or create the account here: give --password or SVC_ADMIN_PASSWORD.`
              : 'A password is needed to create an account: give --password or SVC_ADMIN_PASSWORD.',
        });
      }
      if (!user) {
        trail.changes = ['created', 'is_superuser:true'];
        trail.subject = (await createSuperuser(email, password!)).id;
        return 'created';
      }
      const flags = { isActive: true, isSuperuser: true };
      trail.changes = changesOf(user, flags);
      if (isFit && user.isSuperuser && user.isActive) return 'unchanged';
      if (!isFit) {
        trail.changes = [
          ...changesOf(user, { ...flags, isVerified: true }),
          ...['password', 'sessions', 'oauth_identities', 'phone_number'],
        ];
      }
      const changed = isFit
        ? await changeNamed(user, { set: { ...flags, updatedAt: clock.now() } })
        : await takeOver(user, password!);
      if (!user.isSuperuser) await notices.notify('madeSuperuser', { ...user, isVerified: true }, trail, {});
      await events.emit('user_updated', { user: toUserPublic(changed), by: 'cli' });
      return isFit ? 'promoted' : 'taken_over';
    }),
  };
}
