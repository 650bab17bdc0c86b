import { type EntityProperty, raw } from '@mikro-orm/core';
import type { MikroORM } from '@mikro-orm/sql';
import type { Entities } from '../entities/index.ts';
import type { User } from '../entities/user.ts';
import type { AnyEntity, Backend, Condition, Patch } from './backend.ts';

/** What SQLite and PostgreSQL spell differently. */
export interface SqlDialect {
  /** The later of the operands; none of them is null. */
  greatest(...operands: string[]): string;
  /** A time column plus one millisecond. */
  plusOneMillisecond(column: string): string;
  /** A time as milliseconds since 1970, as the driver's own number. */
  asMilliseconds(column: string): string;
  /** A value as the driver takes it. */
  parameter(value: unknown): unknown;
  placeholder(position: number): string;
  /** A column with A to Z as a to z and every other letter as it is. */
  lower(column: string): string;
  /** The position of a text, bound as hex, within a lower-cased column; above 0 when it is there. */
  position(column: string): string;
}

/** A driver that prepares each statement once, by its text. */
export interface Driver {
  /** Answers the rows. */
  read(sql: string, values: unknown[]): Promise<Record<string, unknown>[]>;
  /** Answers how many rows it wrote. */
  write(sql: string, values: unknown[]): Promise<number>;
}

const asciiLower = (text: string) => text.replace(/[A-Z]/g, letter => letter.toLowerCase());

/** How the ORM keeps an entity: its table, and a column for each property. */
function tableOf(orm: MikroORM, entity: AnyEntity, dialect: SqlDialect) {
  const quote = (name: string) => orm.driver.getPlatform().quoteIdentifier(name);
  const { tableName, props } = orm.getMetadata().get(entity.meta.class);
  const isTime = (prop: EntityProperty) => prop.runtimeType === 'Date';
  const readerOf = (prop: EntityProperty) => {
    if (isTime(prop)) return (value: unknown) => new Date(Number(value));
    return prop.runtimeType === 'boolean' ? Boolean : (value: unknown) => value;
  };
  const readers = props.map(prop => ({ property: prop.name as string, read: readerOf(prop) }));
  const columns = new Map(props.map(prop => [prop.name as string, quote(prop.fieldNames[0]!)]));

  /** What is selected, each under its property's name; `alias` is that of the table in a join. */
  function selectionFrom(alias = ''): string {
    const selected = props.map(prop => {
      const source = alias + columns.get(prop.name);
      return `${isTime(prop) ? dialect.asMilliseconds(source) : source} as ${quote(prop.name)}`;
    });
    return selected.join(', ');
  }

  return {
    name: quote(tableName),
    key: quote(props.find(prop => prop.primary)!.fieldNames[0]!),
    column: (property: string) => columns.get(property)!,
    selection: selectionFrom(),
    selectionFrom,
    read(row: Record<string, unknown>): object {
      const record: Record<string, unknown> = {};
      for (const { property, read } of readers) {
        record[property] = row[property] === null ? null : read(row[property]);
      }
      return record;
    },
  };
}

type Table = ReturnType<typeof tableOf>;

/**
 * The statements that SQLite and PostgreSQL share. Tables and columns are those of the ORM, which would write each
 * value into the text and have the database read it anew each time; here every value is bound.
 */
export function sqlStatements(orm: MikroORM, entities: Entities, dialect: SqlDialect, driver: Driver) {
  const tables = new Map<AnyEntity, Table>(
    Object.values(entities).map(entity => [entity, tableOf(orm, entity, dialect)]),
  );

  /** One statement while it is written; values are bound in the order of the text. */
  function compose(entity: AnyEntity) {
    const table = tables.get(entity)!;
    const { column } = table;
    const values: unknown[] = [];
    const bind = (value: unknown) => dialect.placeholder(values.push(dialect.parameter(value)));

    function condition(property: string, value: Condition[string]): string {
      const name = column(property);
      if (value === null) return `${name} is null`;
      if (typeof value !== 'object' || value instanceof Date) return `${name} = ${bind(value)}`;
      if ('$in' in value) return `${name} in (${value.$in.map(bind).join(', ')})`;
      return '$lt' in value ? `${name} < ${bind(value.$lt)}` : `${name} <= ${bind(value.$lte)}`;
    }

    return {
      table,
      values,
      where: (conditions: Condition) =>
        `where ${Object.entries(conditions)
          .map(([property, value]) => condition(property, value))
          .join(' and ')}`,
      insert(record: object): string {
        const names = Object.keys(record).map(column);
        return `insert into ${table.name} (${names.join(', ')}) values (${Object.values(record).map(bind).join(', ')})`;
      },
      assignments({ set = {}, increment = {}, raise = {}, cutOffAt }: Patch): string {
        const assigned = [
          ...Object.entries(set).map(([name, value]) => [column(name), bind(value)]),
          ...Object.entries(increment).map(([name, by]) => [column(name), `${column(name)} + ${bind(by)}`]),
          ...Object.entries(raise).map(([name, to]) => [
            column(name),
            dialect.greatest(`coalesce(${column(name)}, ${bind(to)})`, bind(to)),
          ]),
        ];
        if (cutOffAt) {
          const cutoff = column('tokensInvalidatedAfter');
          const latest = dialect.greatest(
            bind(cutOffAt),
            `coalesce(${column('lastIssuedAt')}, ${bind(cutOffAt)})`,
            `coalesce(${dialect.plusOneMillisecond(cutoff)}, ${bind(cutOffAt)})`,
          );
          assigned.push([cutoff, latest]);
        }
        return assigned.map(([name, value]) => `${name} = ${value}`).join(', ');
      },
    };
  }

  const users = tables.get(entities.user)!;
  const blacklist = tables.get(entities.blacklist)!;
  const sessionSql = `select ${users.selectionFrom('u.')}, b.${blacklist.column('jti')} as blacklisted
    from ${users.name} u left join ${blacklist.name} b on b.${blacklist.column('jti')} = ${dialect.placeholder(1)}
    where u.${users.column('id')} = ${dialect.placeholder(2)}`;

  return {
    async find(entity, where) {
      const { table, values, where: conditions } = compose(entity);
      const rows = await driver.read(
        `select ${table.selection} from ${table.name} ${conditions(where)}`,
        values,
      );
      return rows.map(table.read);
    },

    async findSession(userId, jti) {
      const [row] = await driver.read(sessionSql, [jti, userId]);
      return row ? { user: users.read(row) as User, isBlacklisted: row.blacklisted !== null } : null;
    },

    async insert(entity, record) {
      const { values, insert } = compose(entity);
      await driver.write(insert(record), values);
    },

    async update(entity, where, patch) {
      const { table, values, where: conditions, assignments } = compose(entity);
      return driver.write(`update ${table.name} set ${assignments(patch)} ${conditions(where)}`, values);
    },

    async replace(entity, record) {
      const { table, values, insert } = compose(entity);
      const names = Object.keys(record).map(table.column);
      const replaced = names.map(name => `${name} = excluded.${name}`).join(', ');
      await driver.write(`${insert(record)} on conflict (${table.key}) do update set ${replaced}`, values);
    },

    async delete(entity, where) {
      const { table, values, where: conditions } = compose(entity);
      return driver.write(`delete from ${table.name} ${conditions(where)}`, values);
    },

    containing(entity, property, text) {
      const lower = dialect.lower(tables.get(entity)!.column(property));
      // As hex, because the ORM writes the value into the statement and then looks for `?` in all of it.
      const hex = Buffer.from(asciiLower(text)).toString('hex');
      return { [raw(dialect.position(lower), [hex]) as never]: { $gt: 0 } };
    },

    // What is not stored yet is not shown either.
    settle: async () => {},
  } satisfies Partial<Backend>;
}
