import type { Config } from '../../config/schema.ts';
import type { Storage } from '../../storage/open.ts';
import { type Finding, type NamedFinding, reasonOf } from '../../validate/configuration/finding.ts';

/** Returns for how long records are kept, and since when there are any. */
export const check = async (config: Config, storage: Storage): Promise<NamedFinding[]> => [
  { name: 'audit', finding: await findingOf(config, storage) },
];

async function findingOf({ auditRetentionDays: days }: Config, { repositories }: Storage): Promise<Finding> {
  try {
    const [latest] = await repositories.audit.list({}, { limit: 1 });
    const since = latest ? `the latest is of ${latest.at.toISOString()}` : 'there is none yet';
    return ['ok', `records are in the database for ${days} days: ${since}`];
  } catch (error) {
    return ['fail', reasonOf(error)];
  }
}
