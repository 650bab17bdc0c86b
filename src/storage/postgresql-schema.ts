import { databaseCode } from './driver-codes.ts';
import { StorageError } from './errors.ts';
import type { Execute } from './migrate.ts';
import { quote } from './sql-text.ts';

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/**
 * Returns the schema that holds the tables, or will hold them: the configured one, otherwise the first of the search path,
 * which the role or the database may have set.
 * @throws {StorageError} when the search path finds tables in another schema, because either could be meant
 */
export async function schemaOf(
  execute: Execute,
  { schema, migrations }: { schema?: string | undefined; migrations: string },
): Promise<string> {
  if (schema !== undefined) return schema;
  const [row] = await execute(
    `select current_schema() as first, current_setting('search_path') as path,
       (select n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relname = ${literal(migrations)} and pg_table_is_visible(c.oid)) as installed`,
  );
  const { first, path, installed } = row as { first: string | null; path: string; installed: string | null };
  if (first === null) {
    throw new StorageError(
      `The search path of PostgreSQL (${path}) names no schema that exists. Create one of them, or set database_schema.`,
    );
  }
  if (installed !== null && installed !== first) {
    throw new StorageError(
      `The tables are in the schema ${installed}, but the search path (${path}) begins with ${first}. Set database_schema to ${installed} to keep using them, or to ${first} for new ones.`,
    );
  }
  return first;
}

/**
 * Creates the schema if it is missing, and makes every statement of the transaction look there first.
 * @throws {StorageError} that names the schema, when it is missing and cannot be created
 */
export async function enterSchema(execute: Execute, schema: string): Promise<void> {
  const [existing] = await execute(`select 1 from pg_namespace where nspname = ${literal(schema)}`);
  if (!existing) await createSchema(execute, schema);
  await execute(`set local search_path to ${quote(schema)}`);
}

async function createSchema(execute: Execute, schema: string): Promise<void> {
  const [row] = await execute('select current_user as role');
  try {
    await execute(`create schema ${quote(schema)}`);
  } catch (error) {
    if (databaseCode(error) !== '42501') throw error;
    const role = quote(String(row!.role));
    throw new StorageError(
      `There is no schema ${schema}, and the role ${role} may not create it. Create it for this role (create schema ${quote(schema)} authorization ${role}), or grant the role CREATE on the database.`,
    );
  }
}

/**
 * Returns an error that says which rights the role lacks in the schema, in place of PostgreSQL's own; any other error
 * itself.
 */
export async function explainRights(error: unknown, execute: Execute, schema: string): Promise<unknown> {
  if (error instanceof StorageError || databaseCode(error) !== '42501') return error;
  const [row] = await execute('select current_user as role');
  const role = quote(String(row!.role));
  return new StorageError(
    `${role} may not create tables in the schema ${schema}, or does not own those that are there. Run the migration as their owner, or: grant usage, create on schema ${quote(schema)} to ${role}.`,
  );
}
