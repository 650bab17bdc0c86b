import { UnderscoreNamingStrategy } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import type { PostgresqlUrl } from '../config/postgresql-url.ts';
import { roleIndexNamesOf, searchNameOf } from '../config/storage-names.ts';
import { importOptional } from '../optional.ts';
import { bindTables } from '../tables/bind.ts';
import type { Backend } from './backend.ts';
import { differencesBetween, neededTables } from './drift.ts';
import { isDriverError } from './driver-error.ts';
import { deadlineMs, withDeadline } from './guard.ts';
import { executeOn, schemaStateOf } from './migrate.ts';
import { createMigrations } from './migrations/index.ts';
import { steps } from './migrations/names.ts';
import type { StorageOptions } from './options.ts';
import { entitiesOf } from './orm-entities.ts';
import { findForbidden, indexObjects, readPostgresqlCatalog } from './postgresql-catalog.ts';
import { type ClientClass, createConnector } from './postgresql-connect.ts';
import { remarksOnDurability } from './postgresql-durability.ts';
import { installTables, remarksOnSchema } from './postgresql-install.ts';
import { withMigrationLock } from './postgresql-lock.ts';
import { explain, readOnlyError } from './postgresql-refusals.ts';
import { postgresqlSignIns } from './postgresql-sign-ins.ts';
import { createStatements } from './postgresql-statements.ts';
import { foundByPostgresql, postgresqlSample, postgresqlSearch } from './search/postgresql.ts';
import { sampleOf } from './search/sample.ts';
import { sqlStatements } from './sql.ts';
import type { Driver } from './sql-driver.ts';
import { postgresqlSessions } from './sql-sessions.ts';
import { qualified, type SqlDialect } from './sql-text.ts';
import { remarksOnVersion } from './versions.ts';

const dialect: SqlDialect = {
  greatest: (...operands) => `greatest(${operands.map(o => `(${o})::timestamptz(3)`).join(', ')})`,
  plusOneMillisecond: column => `${column} + interval '1 millisecond'`,
  asMilliseconds: column => `(extract(epoch from ${column}) * 1000)::float8`,
  unindexed: column => column,
  parameter: value => value,
  placeholder: position => `$${position}`,
  // Rounded as it is stored, so that what is due now is due at once.
  fromNow: ms => `(now() + ${ms}::float8 * interval '1 millisecond')::timestamptz(3)`,
  // An array is computed once; a subquery could be run again for each row, beyond its limit.
  isClaimed: (key, query) => `${key} = any(array(${query} for update skip locked))`,
  isFound: foundByPostgresql,
  mergeJson: (column, values) => `jsonb_strip_nulls(coalesce(${column}, '{}') || ${values}::jsonb)`,
  chooseJson: (column, known, given) =>
    `(select coalesce(jsonb_agg(value order by value), '[]') from (
      select value from jsonb_array_elements(${column}) as stored(value) where not ${known}::jsonb @> value
      union select value from jsonb_array_elements(${given}::jsonb) as given(value)) as chosen)`,
  hasText: (column, text) => `${column} @> to_jsonb(${text}::text)`,
  // The planner does not look into a subquery with an offset, so it cannot choose another order.
  joinEach: (h, table, on) =>
    `${h} cross join lateral (select * from ${table} u where ${on('u')} offset 0) found`,
};

/** Connections of one process, unless the configuration sets another number. */
const defaultPoolSize = 10;

/**
 * Limits in milliseconds, so that a dead or hung server does not hold a request. A server that responds ends a statement
 * before the driver's own timeout, which therefore means that the server is gone.
 */
const requestBounds = { timeoutMs: deadlineMs, statementTimeoutMs: deadlineMs - 250 };

/** How long each host may take for a connection on which the schema is installed, in milliseconds. */
const installConnectMs = 5000;

/** Migrations run without a time limit; only connecting has one. */
const installBounds = ({ hosts, connectTimeoutSeconds }: PostgresqlUrl) => ({
  timeoutMs: hosts.length * (connectTimeoutSeconds ? connectTimeoutSeconds * 1000 : installConnectMs),
  statementTimeoutMs: 0,
});

/** Returns the options of the ORM on PostgreSQL, for the application and for the ORM's own command line. */
export function postgresqlOptions(
  database: PostgresqlUrl,
  { names, migrations, schema, identityIssuers, poolSize = defaultPoolSize }: StorageOptions,
  tables = bindTables(names, 'sql'),
  connector = createConnector(database, installBounds(database)),
) {
  const { hosts, user, password, applicationName, options } = database;
  return {
    entities: entitiesOf(tables),
    // The connector chooses among the hosts.
    host: hosts[0]!.host,
    port: hosts[0]!.port,
    dbName: database.database,
    // If the URL has none, the driver takes them from PGUSER and PGPASSWORD.
    user: user ?? '',
    password: password ?? '',
    namingStrategy: UnderscoreNamingStrategy,
    extensions: [Migrator],
    // Otherwise a mistyped name would create a new, empty database.
    ensureDatabase: false,
    pool: { min: 0, max: poolSize },
    driverOptions: {
      keepAlive: true,
      application_name: applicationName ?? 'gatehouse',
      options,
      connectionTimeoutMillis: connector.timeoutMs,
      onPoolCreated(pool: { Client: ClientClass }) {
        pool.Client = connector.routed(pool.Client);
      },
    },
    forceUtcTimezone: true,
    ...(schema !== undefined && { schema }),
    // The instance writes what matters to its own log, without the data that the ORM would print.
    logger: () => {},
    // The functions of the search index and of the index of roles, and the latter itself.
    schemaGenerator: {
      skipTables: [roleIndexNamesOf(names.users).table],
      ignoreRoutines: true,
      ignoreTriggers: true,
    },
    migrations: {
      tableName: migrations,
      migrationsList: createMigrations(names, 'postgresql', identityIssuers),
      snapshot: false,
      silent: true,
    },
  };
}

/** Opens PostgreSQL over the `pg` driver. @throws {MissingPackageError} when the package of the driver is not installed */
export async function openPostgresql(database: PostgresqlUrl, options: StorageOptions): Promise<Backend> {
  const { MikroORM } = await importOptional(
    '@mikro-orm/postgresql',
    'PostgreSQL',
    () => import('@mikro-orm/postgresql'),
  );
  const tables = bindTables(options.names, 'sql');
  const connector = createConnector(database, requestBounds);
  const ormOptions = postgresqlOptions(database, options, tables, connector);
  // The driver's own timeout, for a server that no longer responds, and for sessions of a pooler, where none can be set.
  const driverOptions = { ...ormOptions.driverOptions, query_timeout: deadlineMs };
  const orm = new MikroORM({ ...ormOptions, driverOptions });
  const pool = () => orm.em.getConnection().getNativeClient();
  const statements = createStatements(async () => (await pool()).connect(), connector.avoidLatest);
  const driver: Driver = {
    read: async (sql, values, how) => (await statements.query(sql, values, how)).rows,
    write: async (sql, values) => (await statements.query(sql, values)).rowCount ?? 0,
  };
  const ping = () =>
    withDeadline(async () => {
      const [row] = await driver.read(`select current_setting('transaction_read_only') as read_only`, []);
      if (row!.read_only === 'on') throw readOnlyError();
    });

  const sample = sampleOf(async () => {
    const rows = await driver.read(postgresqlSample(qualified(options.schema, options.names.users)), []);
    return rows.map(({ email, full_name }) => [email, full_name] as (string | null)[]);
  });
  const inSchema = { ...dialect, schema: options.schema };

  return {
    name: 'postgresql',
    tables,
    ...postgresqlSessions({ ...options, tables, dialect: inSchema }, driver),
    findForSignIn: postgresqlSignIns({ tables, driver, dialect: inSchema }),
    ...sqlStatements({
      ...{ tables, driver },
      dialect: inSchema,
      narrow: postgresqlSearch(qualified(options.schema, searchNameOf(options.names.users)), sample),
      roleIndex: qualified(options.schema, roleIndexNamesOf(options.names.users).table),
    }),
    guard: withDeadline,
    async install() {
      // The lock occupies one connection, so a single one would not be enough.
      const installing = createConnector(database, installBounds(database));
      const enough = { ...options, poolSize: undefined };
      const installer = new MikroORM(postgresqlOptions(database, enough, undefined, installing));
      try {
        const native = await installer.em.getConnection().getNativeClient();
        return await withMigrationLock(await native.connect(), () => installTables(installer, options));
      } catch (error) {
        throw explain(error, database, { isInstalling: true, isPooled: installing.latest()?.isPooled });
      } finally {
        await installer.close(true);
      }
    },
    isDriverError,
    explain: error => explain(error, database, { isPooled: connector.latest()?.isPooled }),
    // The search path decides, as it does for every other statement.
    readSchemaState: () =>
      withDeadline(() =>
        schemaStateOf(executeOn(orm), {
          steps,
          table: qualified(options.schema, options.migrations),
        }),
      ),
    async findDifferences() {
      const needed = neededTables(tables, 'postgresql');
      const objects = indexObjects(options.names);
      const names = needed.map(({ name }) => name);
      const [found, forbidden] = await Promise.all([
        readPostgresqlCatalog(driver, options.schema, names, objects),
        findForbidden(driver, options.schema, [...names, roleIndexNamesOf(options.names.users).table]),
      ]);
      return [...forbidden, ...differencesBetween(needed, objects, found)];
    },
    ping,
    async listRemarks() {
      const [row] = await driver.read(`select current_setting('server_version') as version`, []);
      return [
        ...remarksOnVersion('PostgreSQL', String(row!.version)),
        ...(await remarksOnDurability(driver, database)),
        ...(await remarksOnSchema(orm, options)),
      ];
    },
    async describeConnection() {
      await ping();
      const { transport, isPooled } = connector.latest()!;
      return { transport, pooler: isPooled ? await statements.probe() : null };
    },
    async now() {
      const [row] = await driver.read('select extract(epoch from clock_timestamp()) * 1000 as now', []);
      return new Date(Number(row!.now));
    },
    openCounterStore: async () => ({
      kind: 'postgresql',
      // Uses the same statements as everything else, because of poolers.
      client: {
        query: ({ text, values }: { text: string; values: unknown[] }) => statements.query(text, values),
      },
      schema: options.schema,
    }),
    async close() {
      const native = await pool();
      await orm.close(true);
      // The ORM ends a pool only if it has used it itself.
      if (!native.ending) await native.end();
    },
  };
}
