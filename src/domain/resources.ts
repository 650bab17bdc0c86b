import { comparableIdentifier } from '../config/resources.ts';
import type { Config } from '../config/schema.ts';
import type { UserViews } from '../contract/views/account.ts';
import type { User } from '../tables/user.ts';

export type Resources = ReturnType<typeof createResources>;

/** An API that checks tokens or keys (CONTRACT §16.1). */
export interface Resource extends Omit<Config['resources'][string], 'scopes'> {
  name: string;
  /** Its scopes, in the order of the configuration. */
  scopes: readonly string[];
}

/** The APIs of the configuration, and what their tokens say of a person. */
export function createResources(config: Pick<Config, 'resources'>, { toUserPublic }: UserViews) {
  const all: readonly Resource[] = Object.entries(config.resources).map(
    ([name, { scopes, ...resource }]) => ({
      ...{ name, ...resource, scopes: Object.keys(scopes) },
    }),
  );
  const byName = new Map(all.map(resource => [resource.name, resource]));
  const byIdentifier = new Map(all.map(resource => [comparableIdentifier(resource.identifier), resource]));

  return {
    all,

    /** Returns the resource of this name in the configuration, or null. */
    find: (name: string): Resource | null => byName.get(name) ?? null,

    /** Returns the resource of an identifier, a slash at the end of an empty path aside, or null. */
    identified: (identifier: string): Resource | null =>
      byIdentifier.get(comparableIdentifier(identifier)) ?? null,

    /** Returns the claims that a resource asks for, as they are now; one without a value is left out. */
    claimsOf({ claims }: Pick<Resource, 'claims'>, user: User): Record<string, unknown> {
      if (claims.length === 0) return {};
      const { email, full_name, is_verified, roles = [], fields = {} } = toUserPublic(user);
      const known: Record<string, unknown> = {
        ...fields,
        ...{ email, email_verified: is_verified, name: full_name, roles },
      };
      return Object.fromEntries(
        claims.flatMap(claim => (known[claim] == null ? [] : [[claim, known[claim]]])),
      );
    },
  };
}
