import { StorageError } from './errors.ts';

/** A change of the schema. */
export interface Step {
  /** Its number orders the steps; the name is stored when the step has run. */
  name: string;
  /**
   * The oldest step that an instance must know to run on the schema that this step leaves. A step that only adds objects
   * (columns with a default, tables, indexes) keeps the value of the step before it. It is stored with the name, so that
   * instances of an earlier version can read it.
   */
  compatibleFrom: string;
}

/** A step as the database records it; null if the version that ran it stored no such value. */
export interface ExecutedStep {
  name: string;
  compatibleFrom: string | null;
}

/**
 * How the stored schema compares with the one this version needs. `behind`: steps are missing. `compatible`: a later
 * version has changed it, and this one can still run. `ahead`: a later version has changed it, and this one cannot run.
 */
export type SchemaState = 'current' | 'behind' | 'compatible' | 'ahead';

/** Compares the executed steps with those this version knows. */
export function compareSteps(known: readonly Step[], executed: readonly ExecutedStep[]): SchemaState {
  const knownNames = new Set(known.map(step => step.name));
  const later = executed.filter(step => !knownNames.has(step.name));
  if (later.some(step => step.compatibleFrom === null || !knownNames.has(step.compatibleFrom)))
    return 'ahead';
  const executedNames = new Set(executed.map(step => step.name));
  if (known.some(step => !executedNames.has(step.name))) return 'behind';
  return later.length > 0 ? 'compatible' : 'current';
}

export function aheadError(): StorageError {
  return new StorageError(
    'The database schema is newer than this version of Gatehouse knows. Run the version that migrated it, or a later one.',
  );
}
