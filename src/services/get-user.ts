import type { Dependencies } from '../domain/dependencies.ts';
import { GatehouseError } from '../errors.ts';
import type { Trail } from '../observability/watch.ts';
import type { User } from '../tables/user.ts';
import { say } from '../words/said.ts';

/** Returns an account, and records that the call concerns it. @throws {GatehouseError} not_found */
export type GetUser = (id: string, trail: Trail) => Promise<User>;

export function createGetUser({ repositories: { users } }: Pick<Dependencies, 'repositories'>): GetUser {
  return async (id, trail) => {
    const user = await users.find(id);
    if (!user) throw new GatehouseError('not_found', { detail: say('error_no_account') });
    trail.subject = user.id;
    return user;
  };
}
