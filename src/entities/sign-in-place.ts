import { defineEntity, type KeyColumn, p, type Stored } from './columns.ts';

/** A browser and network from which an account was signed in to (CONTRACT §12.4). */
export function signInPlace(tableName: string, key: KeyColumn) {
  return defineEntity({
    name: 'SignInPlace',
    tableName,
    properties: {
      /** `<user id>:<digest of browser and network>` */
      id: p.text().primary().fieldName(key('id')),
      userId: p.text().index(),
      lastUsedAt: p.datetime(3).index(),
      /** When the owner was told of it, or need not be; null while that is under way. */
      announcedAt: p.datetime(3).nullable(),
    },
  });
}

export type SignInPlace = Stored<ReturnType<typeof signInPlace>>;
