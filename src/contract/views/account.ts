import { z } from 'zod';
import type { InNode } from '../../in-node.ts';
import { camelCase } from '../../names.ts';
import type { User } from '../../tables/user.ts';
import type { Level, OwnData } from '../own-fields.ts';
import { email, id, time } from './fields.ts';
import { createOwnView, ownViewSchemas } from './own-fields.ts';

/** The fields that every user has. */
const CommonFields = z.object({
  id: id.describe('Never changes and is never reused.'),
  email: email.describe('In lower case.'),
  full_name: z.string().nullable().describe('As the person gave it; null when there is none.'),
  phone_number: z
    .string()
    .nullable()
    .describe('E.164; with `is_mfa_enabled` the code of the second step goes there.'),
  is_active: z.boolean().describe('False for an account that administration has disabled.'),
  is_verified: z.boolean().describe('Whether the address was confirmed.'),
  is_superuser: z.boolean().describe('Whether the account may use administration.'),
  is_mfa_enabled: z.boolean().describe('Whether signing in takes a second step.'),
  created_at: time.describe('When the account was created.'),
  updated_at: time.describe('When the account was last changed.'),
  last_login: time.nullable().describe('When a session was last issued; null before the first one.'),
  tokens_invalidated_after: time
    .nullable()
    .describe('Session tokens whose `iat` is not later than this are revoked.'),
});
type CommonFields = z.infer<typeof CommonFields>;

/** A user of any configuration: the fields that leave the service (SPEC §2.2), and what a configuration adds (CONTRACT §15.2). */
export const AnyUser = CommonFields.extend({
  locale: z.string().nullable().optional(),
  fields: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).nullable()).optional(),
  roles: z.array(z.string()).optional(),
});
export type UserPublic = z.infer<typeof AnyUser>;

/** A user in Node (CONTRACT §6). */
export type NodeUser = InNode<typeof AnyUser>;

/** A user as administration looks it up. */
export type AdminUser = UserPublic & { reported_at: string | null; locked_until: string | null };

/** Returns a user as somebody of a level sees it: the user, unless it says otherwise. */
export type ToUserPublic = (user: User, viewer?: Level) => UserPublic;

/** As `ToUserPublic`, in Node's form: what guards, hooks and the tests of a host get. */
export type ToNodeUser = (user: User, viewer?: Level) => NodeUser;

export interface UserViews {
  UserPublic: z.ZodType<UserPublic>;
  AdminUser: z.ZodType<AdminUser>;
  toUserPublic: ToUserPublic;
  toNodeUser: ToNodeUser;
}

/**
 * Returns how this configuration shows users: one schema, so that documents describe it once. GraphQL's type of a user has
 * the fields of administration only while that is on.
 */
export function createUserViews(own: OwnData & { enableAdminRouter?: boolean }): UserViews {
  const user = CommonFields.extend(ownViewSchemas(own) as object);
  const AdminUser = user
    .extend({
      reported_at: time
        .nullable()
        .describe(
          'When a link "this was not me" closed the account, until its owner returns; shown to administrators only.',
        ),
      locked_until: time
        .nullable()
        .describe(
          'Until when wrong passwords keep the account from signing in with one; null while they do not, shown to administrators only.',
        ),
    })
    .meta({ id: 'AdminUser', graphql: 'User', description: 'An account, as administrators see it.' });
  const UserPublic = user.meta({
    id: 'UserPublic',
    graphql: 'User',
    description: 'An account.',
    ...(own.enableAdminRouter && { fuller: AdminUser }),
  });
  const hasNone =
    Object.keys(own.userFields).length === 0 && own.roles.length === 0 && (own.locales ?? []).length < 2;
  if (hasNone) return { UserPublic, AdminUser, toUserPublic: commonFieldsOf, toNodeUser: nodeFieldsOf };
  const ownView = createOwnView(own);
  return {
    UserPublic,
    AdminUser,
    toUserPublic: (user, viewer = 'user') => Object.assign(commonFieldsOf(user), ownView(user, viewer)),
    toNodeUser: (user, viewer = 'user') => Object.assign(nodeFieldsOf(user), ownView(user, viewer)),
  };
}

/** Returns the fields one by one, so that a new column stays private until it is added here. */
function commonFieldsOf(user: User): CommonFields {
  return {
    id: user.id,
    email: user.email,
    full_name: user.fullName,
    phone_number: user.phoneNumber,
    is_active: user.isActive,
    is_verified: user.isVerified,
    is_superuser: user.isSuperuser,
    is_mfa_enabled: user.isMfaEnabled,
    created_at: user.createdAt.toISOString(),
    updated_at: user.updatedAt.toISOString(),
    last_login: user.lastLogin?.toISOString() ?? null,
    tokens_invalidated_after: user.tokensInvalidatedAfter?.toISOString() ?? null,
  };
}

type NodeFields = InNode<typeof CommonFields>;
const nodeNames = Object.keys(CommonFields.shape).map(name => camelCase(name)) as (keyof NodeFields)[];

/**
 * Returns the same fields in Node's form, which is that of a row, so that a session check formats and parses no times.
 * Times are copied: concurrent requests may share a row.
 */
function nodeFieldsOf(user: User): NodeFields {
  const fields: Partial<Record<keyof NodeFields, unknown>> = {};
  for (const name of nodeNames) {
    const value = user[name];
    fields[name] = value instanceof Date ? new Date(value) : value;
  }
  return fields as NodeFields;
}
