import { type EntityManager, type EntityProperty, raw } from '@mikro-orm/core';
import type { AbstractSqlDriver, MikroORM } from '@mikro-orm/sql';
import type { Entities } from '../entities/index.ts';
import type { User } from '../entities/user.ts';
import type { AnyEntity, Backend, Patch } from './backend.ts';

/** What SQLite and PostgreSQL spell differently. */
export interface SqlDialect {
  /** The later of the operands; none of them is null. */
  greatest(...operands: string[]): string;
  /** A time column plus one millisecond. */
  plusOneMillisecond(column: string): string;
  /** A time as milliseconds since 1970, as the driver's own number. */
  asMilliseconds(column: string): string;
  /** A bound time as the database compares it. */
  time(date: Date): unknown;
  placeholder(position: number): string;
  /** A column with A to Z as a to z and every other letter as it is. */
  lower(column: string): string;
  /** The position of a text, bound as hex, within a lower-cased column; above 0 when it is there. */
  position(column: string): string;
}

type Em = EntityManager<AbstractSqlDriver>;

const asciiLower = (text: string) => text.replace(/[A-Z]/g, letter => letter.toLowerCase());

const isTime = (prop: EntityProperty) => prop.runtimeType === 'Date';

/** How a column of the session check becomes a property. */
function readerOf(prop: EntityProperty): (value: unknown) => unknown {
  if (isTime(prop)) return value => new Date(Number(value));
  return prop.runtimeType === 'boolean' ? Boolean : value => value;
}

/** Runs a statement that the driver prepares once, and answers its rows. */
export type Query = (sql: string, values: string[]) => Promise<Record<string, unknown>[]>;

/** The statements that SQLite and PostgreSQL share; every value is bound, or quoted by the ORM. */
export function sqlStatements(orm: MikroORM, entities: Entities, dialect: SqlDialect, query: Query) {
  const quote = (name: string) => orm.driver.getPlatform().quoteIdentifier(name);
  const meta = (entity: AnyEntity) => orm.getMetadata().get(entity.meta.class);
  const column = (entity: AnyEntity, property: string) => {
    const prop = (meta(entity).properties as Record<string, EntityProperty>)[property];
    return quote(prop?.fieldNames[0] ?? property);
  };

  function assignments(entity: AnyEntity, patch: Patch): Record<string, unknown> {
    const data: Record<string, unknown> = { ...patch.set };
    for (const [property, by] of Object.entries(patch.increment ?? {})) {
      data[property] = raw(`${column(entity, property)} + ?`, [by]);
    }
    for (const [property, to] of Object.entries(patch.raise ?? {})) {
      const time = dialect.time(to);
      data[property] = raw(dialect.greatest(`coalesce(${column(entity, property)}, ?)`, '?'), [time, time]);
    }
    if (patch.cutOffAt) {
      const time = dialect.time(patch.cutOffAt);
      const cutoff = column(entity, 'tokensInvalidatedAfter');
      const issued = column(entity, 'lastIssuedAt');
      data.tokensInvalidatedAfter = raw(
        dialect.greatest('?', `coalesce(${issued}, ?)`, `coalesce(${dialect.plusOneMillisecond(cutoff)}, ?)`),
        [time, time, time],
      );
    }
    return data;
  }

  /** How the columns of a record are selected, and a row becomes one; `table` is its alias in a join. */
  function reader<T>(entity: AnyEntity, table = '') {
    const props = meta(entity).props.map(prop => ({ name: prop.name as string, read: readerOf(prop), prop }));
    const columns = props.map(({ name, prop }) => {
      const source = `${table}${quote(prop.fieldNames[0]!)}`;
      return `${isTime(prop) ? dialect.asMilliseconds(source) : source} as ${quote(name)}`;
    });
    return {
      columns: columns.join(', '),
      read(row: Record<string, unknown>): T {
        const record: Record<string, unknown> = {};
        for (const { name, read } of props) record[name] = row[name] === null ? null : read(row[name]);
        return record as T;
      },
    };
  }

  const tableOf = (entity: AnyEntity) => quote(meta(entity).tableName);

  /** The text of a statement is the same each time, so that a driver prepares it once. */
  const lookups = new Map<string, { sql: string; read(row: Record<string, unknown>): object }>();
  function lookup(entity: AnyEntity, properties: string[]) {
    const key = `${meta(entity).className} ${properties}`;
    let found = lookups.get(key);
    if (!found) {
      const { columns, read } = reader<object>(entity);
      const conditions = properties.map(
        (name, i) => `${column(entity, name)} = ${dialect.placeholder(i + 1)}`,
      );
      const sql = `select ${columns} from ${tableOf(entity)} where ${conditions.join(' and ')}`;
      found = { sql, read };
      lookups.set(key, found);
    }
    return found;
  }

  const session = reader<User>(entities.user, 'u.');
  const jti = quote('jti');
  const sessionSql = `select ${session.columns}, b.${jti} as blacklisted from ${tableOf(entities.user)} u left join ${tableOf(
    entities.blacklist,
  )} b on b.${jti} = ${dialect.placeholder(1)} where u.${quote('id')} = ${dialect.placeholder(2)}`;

  return {
    async update(em, entity, where, patch) {
      return (em as Em).nativeUpdate(entity as never, where as never, assignments(entity, patch) as never);
    },

    async replace(em, entity, record) {
      await (em as Em).upsert(entity as never, record as never, { onConflictAction: 'merge' });
    },

    containing(entity, property, text) {
      const lower = dialect.lower(column(entity, property));
      // As hex, because the ORM writes the value into the statement and then looks for `?` in all of it.
      const hex = Buffer.from(asciiLower(text)).toString('hex');
      return { [raw(dialect.position(lower), [hex]) as never]: { $gt: 0 } };
    },

    async find(entity, where) {
      const { sql, read } = lookup(entity, Object.keys(where));
      return (await query(sql, Object.values(where))).map(read);
    },

    async findSession(userId, jti) {
      const [row] = await query(sessionSql, [jti, userId]);
      return row ? { user: session.read(row), isBlacklisted: row.blacklisted !== null } : null;
    },

    // What is not stored yet is not shown either.
    settle: async () => {},
  } satisfies Partial<Backend>;
}
