import type { MikroORM } from '@mikro-orm/mongodb';
import type { StorageOptions } from './options.ts';
import type { SchemaState } from './schema-state.ts';

/** The version of the documents' shape. */
export const schemaVersion = 17;
/**
 * The oldest version that can run on documents of this one. It is stored with the version, so that instances of an earlier
 * version can read it; an instance that cannot run stops, so that it does not damage documents of a later version.
 */
const compatibleFrom = 6;

/** The version that is stored in the database. */
interface StoredVersion {
  _id: string;
  version: number;
  /** Absent if the version that stored it did not know this field. */
  compatible_from?: number;
}

export const versionsOf = (orm: MikroORM, { migrations }: StorageOptions) =>
  orm.em.getConnection().getDb().collection<StoredVersion>(migrations);

/** Holds unless another process has stored a later version meanwhile. */
const isLatest = { $gte: [schemaVersion, { $ifNull: ['$version', 0] }] };
export const raiseVersion = {
  $set: {
    version: { $cond: [isLatest, schemaVersion, '$version'] },
    compatible_from: { $cond: [isLatest, compatibleFrom, '$compatible_from'] },
  },
};

export function compareVersions(stored: StoredVersion | null): SchemaState {
  if (!stored || stored.version < schemaVersion) return 'behind';
  if (stored.version === schemaVersion) return 'current';
  return (stored.compatible_from ?? stored.version) <= schemaVersion ? 'compatible' : 'ahead';
}

/** Returns how the installed indexes compare with those of this version. */
export const mongoSchemaState = async (orm: MikroORM, options: StorageOptions): Promise<SchemaState> =>
  compareVersions(await versionsOf(orm, options).findOne({ _id: 'schema' }));
