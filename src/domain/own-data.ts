import type { ZodType } from 'zod';
import type { FieldValues, GivenRoles, Level } from '../contract/own-fields.ts';
import type { AdminUser, UserPublic, UserViews } from '../contract/views/account.ts';
import type { By } from '../events.ts';
import type { UserChange } from '../storage/repositories/users.ts';
import type { User } from '../tables/user.ts';

/** Own fields and roles as the input of an operation has them. */
interface Given {
  fields?: FieldValues | null | undefined;
  roles?: GivenRoles | null | undefined;
}

/** Returns the change of a user that sets what was given, or null when nothing was. */
export function ownChange({ fields, roles }: Given): Pick<UserChange, 'fields' | 'roles'> | null {
  const present = Object.entries(fields ?? {}).filter(([, value]) => value !== undefined);
  if (present.length === 0 && !roles) return null;
  return {
    ...(present.length > 0 && { fields: Object.fromEntries(present) }),
    ...(roles && { roles }),
  };
}

/** Returns the fields of a new user: those that have a value; null when there is none. */
export function withoutNulls(fields: FieldValues | null | undefined): Record<string, unknown> | null {
  const present = Object.entries(fields ?? {}).filter(([, value]) => value != null);
  return present.length > 0 ? Object.fromEntries(present) : null;
}

const levels: Record<By, Level> = { self: 'user', admin: 'admin', cli: 'host', host: 'host' };

/** Returns the level of a caller in this role: an operator has that of the host. */
export const viewerOf = (by: By): Level => levels[by];

/** How accounts are shown to those who look them up. */
interface LookedUp {
  schema: ZodType<UserPublic>;
  /** `lockedUntil` is when the lock of the address ends. */
  show: (user: User, by: By, lockedUntil?: Date) => UserPublic;
}

/** Administration alone sees whether an account was reported or is locked (CONTRACT §2.2, §12.4); a host sees what every user is. */
export const lookedUp = ({ UserPublic, AdminUser, toUserPublic }: UserViews, level: Level): LookedUp =>
  level === 'host'
    ? { schema: UserPublic, show: user => toUserPublic(user, 'host') }
    : {
        schema: AdminUser,
        show: (user, by, lockedUntil) => {
          const view = toUserPublic(user, viewerOf(by));
          const reported_at = user.reportedAt?.toISOString() ?? null;
          const locked_until = lockedUntil?.toISOString() ?? null;
          return by === 'admin' ? ({ ...view, reported_at, locked_until } satisfies AdminUser) : view;
        },
      };
