import { storageReason, storageStatus } from '../errors.ts';

/** Whether requests can be served. */
export interface Readiness {
  isReady: boolean;
  database: 'ok' | 'down' | 'read_only' | 'full';
  /** `compatible`: a later version has migrated the schema, and this one can still run. `drift`: something is missing. */
  schema: 'ok' | 'compatible' | 'behind' | 'ahead' | 'drift' | 'unknown';
  /** Why requests cannot be served, for the log; null when they can. */
  reason: string | null;
}

export interface ReadinessParts {
  ping(): Promise<void>;
  readSchemaState(): Promise<'current' | 'compatible' | 'behind' | 'ahead'>;
  /** Returns the differences from the schema of this version. */
  findDifferences(): Promise<{ text: string; isFatal: boolean }[]>;
  /** Makes what the instance needs in the database, beside its schema. */
  prepare(): Promise<void>;
}

const reasons = {
  current: null,
  compatible: null,
  ahead: 'the database was migrated by a newer version: run that version',
  behind: 'the database schema is older than this version: run svc migrate',
};

/**
 * Returns whether requests can be served (`/readyz`), within the timeouts of three storage calls, whatever is
 * unavailable.
 */
export async function readReadiness({
  ping,
  readSchemaState,
  findDifferences,
  prepare,
}: ReadinessParts): Promise<Readiness> {
  const refused = { isReady: false, database: 'ok', schema: 'unknown' } as const;
  try {
    await ping();
  } catch (error) {
    return { ...refused, database: storageStatus(error), reason: reasonOf(error) };
  }
  try {
    const state = await readSchemaState();
    const reason = reasons[state];
    if (state === 'ahead' || state === 'behind') return { ...refused, schema: state, reason };
    const fatal = (await findDifferences()).find(({ isFatal }) => isFatal);
    if (fatal)
      return { ...refused, schema: 'drift', reason: `${fatal.text}: svc validate names every difference` };
    await prepare();
    return { isReady: true, database: 'ok', schema: state === 'current' ? 'ok' : state, reason: null };
  } catch (error) {
    return { ...refused, reason: reasonOf(error) };
  }
}

const reasonOf = (error: unknown) => storageReason(error) ?? 'the database is unavailable';
