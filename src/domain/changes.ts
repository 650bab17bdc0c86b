import type { FieldValues, GivenRoles } from '../contract/own-fields.ts';
import type { User } from '../tables/user.ts';

/** The fields that an audit record names, in the names of the API. */
const names = {
  isActive: 'is_active',
  isVerified: 'is_verified',
  isSuperuser: 'is_superuser',
  fullName: 'full_name',
  locale: 'locale',
} as const;

type Named = Partial<Pick<User, keyof typeof names>>;

/**
 * Returns what new values change in a user, for the audit: a flag with its value (`is_active:false`), a text by its name
 * alone.
 */
export function changesOf(user: User, set: Named): string[] {
  const given = Object.keys(set) as (keyof Named)[];
  return given
    .filter(field => set[field] !== user[field])
    .map(field => (typeof set[field] === 'boolean' ? `${names[field]}:${set[field]}` : names[field]));
}

/**
 * Returns what given own fields and roles change in a user, for the audit: a field by its name alone (`fields.company`), a
 * role with whether the user then has it (`roles.editor:true`).
 */
export function ownChangesOf(
  user: User,
  { fields, roles }: { fields?: FieldValues | null | undefined; roles?: GivenRoles | null | undefined },
): string[] {
  const stored = new Map(Object.entries(user.fields ?? {}));
  const held = user.roles ?? [];
  const changedFields = Object.keys(fields ?? {}).filter(
    name => fields![name] !== undefined && fields![name] !== (stored.get(name) ?? null),
  );
  const changedRoles = (roles?.known ?? []).filter(
    role => roles!.given.includes(role) !== held.includes(role),
  );
  return [
    ...changedFields.map(name => `fields.${name}`),
    ...changedRoles.map(role => `roles.${role}:${roles!.given.includes(role)}`),
  ];
}
