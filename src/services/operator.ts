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
import { withoutReport } from '../domain/trust.ts';
import { GatehouseError } from '../errors.ts';
import type { Watch } from '../observability/watch.ts';
import type { JobStore } from '../outgoing/job-store.ts';
import type { UserChange, UserCondition } from '../storage/repositories/users.ts';
import type { User } from '../tables/user.ts';
import { createOperatorOutbox } from './operator-outbox.ts';
import { createOperatorUsers } from './operator-users.ts';

export type Operator = ReturnType<typeof createOperator>;

/** How a user became a superuser. */
export type Promotion = 'created' | 'promoted' | 'unchanged';

/** The account that becomes the first superuser: that of the id, or a new one. */
type FirstAdmin = { id: string } | { email: string; password: string };

interface CreateAdmin {
  email: string;
  password?: string | null;
  /** Asks the operator for a password that is needed and was not given; null means that there is no terminal to ask in. */
  askPassword?: () => Promise<string | null>;
}

/** The acts of an operator on the database itself. */
interface Maintenance {
  purge(): Promise<Purged>;
  /** Returns how many migrations were run. */
  install(): Promise<number>;
}

/** The parts that only the command line needs. */
interface OperatorParts extends Maintenance {
  /** Where deliveries are stored; absent while they wait in memory. */
  store: JobStore | undefined;
  watch: Watch;
}

/** The acts of an operator at the command line, where access to the machine is the permission. */
export function createOperator(parts: Dependencies, { purge, install, store, watch }: OperatorParts) {
  const { config, clock, repositories, passwords, events } = parts;
  const { lockout } = parts.limits;
  const { passwordLinks, verification, notices } = parts.mails;
  const defineAct = createDefineAct(watch);
  const CreateAdminInput = z.strictObject({ email: emailField, password: newPassword(config).nullish() });
  const FirstAdminInput = CreateAdminInput.extend({ password: newPassword(config) });
  const { users, pending } = repositories;
  const { toUserPublic } = parts.views;

  async function createSuperuser(email: string, password: string, of: Partial<User> = {}): Promise<User> {
    const chosen = await passwords.hash(password, { email, fullName: null, field: 'password' });
    const user = newUser(clock.now(), {
      email,
      fullName: null,
      ...chosen,
      isVerified: true,
      isSuperuser: true,
      ...of,
    });
    if (!(await users.add(user))) throw new GatehouseError('email_taken');
    await pending.remove(email);
    await events.emit('user_registered', { user: toUserPublic(user), by: 'cli' });
    return user;
  }

  /** Sets the flags of an account. Of one that was disabled, no token from before may become valid again. */
  function promotion({ isActive }: User, flags: Partial<User>): UserChange {
    const now = clock.now();
    return { set: { ...flags, updatedAt: now }, ...(!isActive && { cutOffAt: now }) };
  }

  /** Changes an account if it still has the address that the operator named, and is as `only` says (compare-and-set). */
  async function changeNamed(
    { id, email }: User,
    change: UserChange,
    only: UserCondition = {},
  ): Promise<User> {
    const changed = await users.change(id, change, { ...only, email });
    if (changed) return changed;
    throw new GatehouseError('unavailable', { detail: 'The account changed meanwhile. Try again.' });
  }

  /**
   * Removes everything that a stranger may have left in the account (pre-hijacking), its password too. The account is
   * disabled and its sessions are revoked first: until everything is removed no one can sign in, not even with an identity
   * that is about to be removed. A stop in between leaves the account disabled, so that the same command takes it over again.
   */
  async function clear(user: User): Promise<User> {
    const startedAt = clock.now();
    await changeNamed(user, {
      set: { ...withoutSecondFactor, isActive: false, updatedAt: startedAt },
      cutOffAt: startedAt,
    });
    await removeCredentials(parts, user, 'cli');
    await pending.remove(user.email);
    const roles = { isActive: true, isVerified: true, isSuperuser: true };
    const now = clock.now();
    const changed = await changeNamed(user, {
      set: { ...withoutSecondFactor, ...withoutReport, ...roles, hashedPassword: null, updatedAt: now },
      cutOffAt: now,
    });
    await lockout.clearUser(user);
    return changed;
  }

  return {
    ...createOperatorUsers(parts),
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
    outbox: store && createOperatorOutbox(parts, store),

    /**
     * Creates a verified superuser, or promotes a verified account, which keeps its password, its sessions and its factors;
     * repeating it changes nothing.
     */
    createAdmin: defineAct('createAdmin', async (raw: CreateAdmin, trail): Promise<Promotion> => {
      const { askPassword = async () => null, ...given } = raw;
      const { email } = parse(CreateAdminInput, given);
      trail.email = email;
      const user = await users.findByEmail(email);
      trail.subject = user?.id ?? null;
      if (user && !user.isVerified) {
        throw new GatehouseError('invalid_input', {
          detail: `The address ${email} was never verified, so its account may be a stranger's. --take-over removes every way of signing in to it, and prints an invitation.`,
        });
      }
      if (!user) {
        const { password } = parse(CreateAdminInput, {
          email,
          password: given.password ?? (await askPassword()),
        });
        if (password == null) {
          throw new GatehouseError('invalid_input', {
            detail: (await verification.findPending(email))
              ? `The registration of ${email} is pending. Open the link in its email first, or create the account here: give --password or SVC_ADMIN_PASSWORD.`
              : 'A password is needed to create an account: give --password or SVC_ADMIN_PASSWORD.',
          });
        }
        trail.changes = ['created', 'is_superuser:true'];
        trail.subject = (await createSuperuser(email, password)).id;
        return 'created';
      }
      const flags = { isActive: true, isSuperuser: true };
      trail.changes = changesOf(user, flags);
      if (user.isSuperuser && user.isActive) return 'unchanged';
      const { isVerified, isActive, isSuperuser } = user;
      const changed = await changeNamed(user, promotion(user, flags), { isVerified, isActive, isSuperuser });
      if (!isSuperuser) await notices.notify('madeSuperuser', user, trail, { isTakenOver: false });
      await events.emit('user_updated', { user: toUserPublic(changed), by: 'cli' });
      return 'promoted';
    }),

    /**
     * Makes the first superuser: a new account, or one that is there, which is then verified. Returns the account.
     * @throws {GatehouseError} not_found when there is a superuser, or no such account; email_taken, invalid_input
     */
    createFirstAdmin: defineAct('createAdmin', async (raw: FirstAdmin, trail): Promise<User> => {
      if ((await users.countActiveSuperusers()) > 0) throw new GatehouseError('not_found');
      if (!('id' in raw)) {
        const { email, password } = parse(FirstAdminInput, raw);
        trail.email = email;
        trail.changes = ['created', 'is_superuser:true'];
        // Who presses the link makes an account of their own.
        const user = await createSuperuser(email, password, { signedUpAt: clock.now() });
        trail.subject = user.id;
        return user;
      }
      const user = await users.find(raw.id);
      if (!user) throw new GatehouseError('not_found');
      trail.subject = user.id;
      const flags = { isActive: true, isVerified: true, isSuperuser: true };
      trail.changes = changesOf(user, flags);
      const changed = await changeNamed(user, promotion(user, flags));
      await notices.notify('madeSuperuser', user, trail, { isTakenOver: false });
      await events.emit('user_updated', { user: toUserPublic(changed), by: 'cli' });
      return changed;
    }),

    /**
     * Takes an account over: removes every way of signing in, verifies and promotes it. Returns the link of an invitation,
     * which is emailed too, to choose a password.
     */
    takeOver: defineAct('createAdmin', async (raw: Pick<CreateAdmin, 'email'>, trail): Promise<string> => {
      const { email } = parse(CreateAdminInput, raw);
      trail.email = email;
      const user = await users.findByEmail(email);
      if (!user)
        throw new GatehouseError('not_found', { detail: `There is no account with the address ${email}.` });
      trail.subject = user.id;
      trail.changes = [
        ...changesOf(user, { isActive: true, isSuperuser: true, isVerified: true }),
        ...['password', 'sessions', 'oauth_identities', 'phone_number', 'authenticators', 'api_keys'],
      ];
      const changed = await clear(user);
      await notices.notify('madeSuperuser', changed, trail, { isTakenOver: true });
      await events.emit('user_updated', { user: toUserPublic(changed), by: 'cli' });
      const url = await passwordLinks.sendAndReturn('invitation', changed);
      if (url === null)
        throw new GatehouseError('unavailable', { detail: 'The account changed meanwhile. Try again.' });
      return url;
    }),
  };
}
