import type { MikroORM } from '@mikro-orm/mongodb';
import type { Remark } from './versions.ts';

/** The acts of the database user on every collection. */
const needed = ['find', 'insert', 'update', 'remove', 'createIndex', 'listIndexes'];

interface Privilege {
  resource: { db?: string; collection?: string; anyResource?: boolean };
  actions: string[];
}

/** Returns a remark that names the rights that the database user lacks; nothing if the server has no access control. */
export async function remarksOnRights(
  orm: MikroORM,
  database: string,
  collections: string[],
): Promise<Remark[]> {
  const db = orm.em.getConnection().getDb();
  const { authInfo } = await db.command({ connectionStatus: 1, showPrivileges: true });
  const { authenticatedUsers, authenticatedUserPrivileges } = authInfo as {
    authenticatedUsers: { user: string }[];
    authenticatedUserPrivileges: Privilege[];
  };
  const [user] = authenticatedUsers;
  if (!user) return [];
  const missing = collections.flatMap(collection => {
    const granted = authenticatedUserPrivileges
      .filter(({ resource }) => covers(resource, database, collection))
      .flatMap(({ actions }) => actions);
    return needed.filter(action => !granted.includes(action) && !granted.includes('anyAction'));
  });
  if (missing.length === 0) return [];
  const actions = [...new Set(missing)].join(', ');
  return [
    {
      outcome: 'fail',
      text: `the MongoDB user "${user.user}" has no right to ${actions} in "${database}": grant it the role readWrite there`,
    },
  ];
}

/** An empty name in a resource stands for every database, or for every collection except system collections. */
const covers = ({ anyResource, db, collection }: Privilege['resource'], database: string, name: string) =>
  anyResource === true || ((db === database || db === '') && (collection === name || collection === ''));
