import type { Transaction } from '@mikro-orm/core';
import type { MikroORM } from '@mikro-orm/sql';
import { isSchemaMissing } from './driver-codes.ts';
import { StorageError } from './errors.ts';
import type { SqlBackend, SqlStep } from './migrations/step.ts';
import { aheadError, compareSteps, type ExecutedStep, type SchemaState, type Step } from './schema-state.ts';

/** The facts that the installation on an SQL database needs. */
export interface Installation {
  dialect: SqlBackend;
  steps: readonly SqlStep[];
  /** The name of the table that records the executed steps. */
  tableName: string;
  /** The same name, quoted, with its schema if it has one. */
  table: string;
  /** Runs at the beginning of the transaction, before any object is looked up or created. */
  prepare?: (execute: Execute) => Promise<unknown>;
}

/** Runs a statement and returns its rows. */
export type Execute = (sql: string) => Promise<Record<string, unknown>[]>;

export const executeOn =
  (orm: MikroORM, transaction?: Transaction): Execute =>
  sql =>
    orm.em.getConnection().execute(sql, [], 'all', transaction);

/** Returns how the executed steps compare with those this version knows. */
export async function schemaStateOf(
  execute: Execute,
  { steps, table }: { steps: readonly Step[]; table: string },
): Promise<SchemaState> {
  return compareSteps(steps, await executedSteps(execute, table));
}

/**
 * Runs the steps that have not run yet and returns how many. All of them run in one transaction, so that a step that fails
 * leaves nothing behind, not even the table of the steps. The caller holds the lock that excludes other processes. The
 * ORM's own migrator is not used: it creates its table outside the transaction, and that table has no column for
 * `compatibleFrom`.
 */
export async function migrate(orm: MikroORM, installation: Installation): Promise<number> {
  const state = await schemaStateOf(executeOn(orm), installation);
  if (state === 'ahead') throw aheadError();
  if (state !== 'behind') return 0;
  try {
    return await orm.em
      .getConnection()
      .transactional(transaction => runSteps(orm, transaction, installation));
  } catch (error) {
    throw explainTaken(error);
  }
}

async function runSteps(
  orm: MikroORM,
  transaction: Transaction,
  installation: Installation,
): Promise<number> {
  const { steps, table, prepare } = installation;
  const execute = executeOn(orm, transaction);
  await prepare?.(execute);
  await createStepTable(execute, installation);
  const executed = new Set((await executedSteps(execute, table)).map(step => step.name));
  const pending = steps.filter(step => !executed.has(step.name));
  for (const step of pending) {
    const migration = new step.class(orm.driver, orm.config);
    await migration.up();
    for (const query of migration.getQueries()) await orm.driver.execute(query, [], 'all', transaction);
    await execute(`insert into ${table} (name) values ('${step.name}')`);
  }
  for (const { name, compatibleFrom } of steps) {
    await execute(`update ${table} set compatible_from = '${compatibleFrom}' where name = '${name}'`);
  }
  return pending.length;
}

/** Creates the table of the steps, or adds the column that earlier versions did not have. */
async function createStepTable(execute: Execute, { dialect, tableName, table }: Installation): Promise<void> {
  const [id, time] =
    dialect === 'postgresql'
      ? ['id serial primary key', 'timestamptz(6) not null default current_timestamp(6)']
      : ['id integer primary key autoincrement', `datetime not null default (strftime('%s', 'now') * 1000)`];
  await execute(`create table if not exists ${table} (${id}, name text not null, executed_at ${time})`);
  const column = 'compatible_from';
  if (dialect === 'postgresql') {
    await execute(`alter table ${table} add column if not exists ${column} text`);
    return;
  }
  const columns = await execute(
    `select name from pragma_table_info('${tableName}') where name = '${column}'`,
  );
  if (columns.length === 0) await execute(`alter table ${table} add column ${column} text`);
}

/** Returns the executed steps, oldest first; none if their table is missing. */
async function executedSteps(execute: Execute, table: string): Promise<ExecutedStep[]> {
  try {
    // Selects every column, because a table of an earlier version has fewer.
    const rows = await execute(`select * from ${table} order by id`);
    return rows.map(row => ({
      name: String(row.name),
      compatibleFrom: (row.compatible_from as string | null | undefined) ?? null,
    }));
  } catch (error) {
    if (isSchemaMissing(error)) return [];
    throw error;
  }
}

/**
 * Returns a one-line error when another application's table already has the name of one of Gatehouse's; other errors
 * unchanged.
 */
function explainTaken(error: unknown): unknown {
  const name = /(?:table|relation) [`"]?([\w$]+)[`"]? already exists/.exec(String(error))?.[1];
  if (name === undefined) return error;
  return new StorageError(
    `The table ${name} already exists and is not part of Gatehouse. Set table_prefix or the *_collection names, or use another database.`,
  );
}
