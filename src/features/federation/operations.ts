import { z } from 'zod';
import type { UserPublic } from '../../contract/views/account.ts';
import type { Dependencies } from '../../domain/dependencies.ts';
import type { Operation } from '../../domain/operation.ts';
import { lookedUp } from '../../domain/own-data.ts';
import { fieldError, GatehouseError } from '../../errors.ts';
import { lazily } from '../../lazily.ts';
import type { User } from '../../tables/user.ts';
import { say } from '../../words/said.ts';

/** How many entities a gateway may ask for at once. */
export const mostEntities = 200;

/** The answer to a gateway: the account, null where the caller may not see one, or what is wrong with the question. */
type Entity = UserPublic | null | GatehouseError;

export type ResolveEntities = Operation<Entity[]>;

/** No account has a longer id. */
const longestId = 64;

/** Returns the operation behind `_entities`: one session check and one read for the whole list (CONTRACT §16.6). */
export function createResolveEntities(parts: Dependencies): ResolveEntities {
  const { config, repositories, views, define, limits } = parts;
  const found = lookedUp(views, 'admin');

  /** Returns how a superuser sees an account. When it is locked is read with the first account of which it is asked. */
  function shownTo(rows: Iterable<User>): (user: User) => UserPublic {
    const emails = [...rows].map(({ email }) => email);
    const locks = lazily(() => limits.locks.readUntil(emails));
    return user =>
      Object.defineProperty(found.show(user, 'admin'), 'locked_until', {
        get: async () => (await locks()).get(user.email)?.toISOString() ?? null,
      });
  }

  return define(
    {
      name: 'resolveEntities',
      summary: 'The accounts that the gateway of a supergraph asks for by their ids.',
      access: { kind: 'session' },
      audited: 'looks',
      input: z.strictObject({ representations: z.array(z.unknown()).min(1).max(mostEntities) }),
      output: z.array(z.custom<Entity>()),
      errors: [],
    },
    async ({ representations }, { session: { user: own }, trail }): Promise<Entity[]> => {
      const asked = representations.map(idOf);
      const mayLook = own.isSuperuser && config.enableAdminRouter;
      const others = mayLook ? new Set(asked.filter(isPossible)) : new Set<string>();
      others.delete(own.id);
      const rows = await repositories.users.findByIds([...others]);
      if (others.size > 0) {
        trail.by = 'admin';
        trail.count = rows.length;
        trail.subject = rows.length === 1 ? rows[0]!.id : null;
      }
      const byId = new Map([own, ...rows].map(user => [user.id, user]));
      const show = mayLook ? shownTo(byId.values()) : views.toUserPublic;
      return asked.map(id => {
        if (typeof id !== 'string') return id;
        const user = byId.get(id);
        return user ? show(user) : null;
      });
    },
  );
}

/** Returns the id in a representation, or what is wrong with it. */
function idOf(representation: unknown, index: number): string | GatehouseError {
  const { __typename, id } = (representation ?? {}) as { __typename?: unknown; id?: unknown };
  if (__typename === 'User' && typeof id === 'string') return id;
  const path = `representations.${index}`;
  const wrong =
    __typename === 'User' ? fieldError(`${path}.id`, say('field_id')) : fieldError(path, say('field_entity'));
  return new GatehouseError('invalid_input', { errors: [wrong] });
}

/** Returns whether a database may be asked for it. */
const isPossible = (id: string | GatehouseError): id is string =>
  typeof id === 'string' && id !== '' && id.length <= longestId && id.isWellFormed() && !id.includes('\0');
