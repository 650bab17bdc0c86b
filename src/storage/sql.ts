import type { BoundTable } from '../tables/bound.ts';
import type { User } from '../tables/user.ts';
import type { Backend } from './backend.ts';
import type { SqlParts } from './sql-driver.ts';
import { sqlLists } from './sql-lists.ts';
import { compose as composeFor, from, type Table, tableOf } from './sql-text.ts';

/**
 * The statements that SQLite and PostgreSQL share. They are made of the descriptions of the tables. The ORM is not used: it
 * would write each value into the text and make the database parse it again each time; here every value is bound.
 */
export function sqlStatements(parts: SqlParts) {
  const { tables, dialect, driver } = parts;
  const opened = new Map<BoundTable, Table>(
    Object.values(tables).map(bound => [bound, tableOf(bound, dialect)]),
  );

  const compose = (bound: BoundTable) => composeFor(opened.get(bound)!, dialect);

  return {
    async find(bound, where) {
      const { table, values, conditions } = compose(bound);
      const rows = await driver.read(
        `select ${table.selection} ${from(table.name, conditions(where))}`,
        values,
      );
      return rows.map(table.read);
    },

    async findOwned(bound, { property, value, tokenJti }) {
      const [table, users] = [opened.get(bound)!, opened.get(tables.users)!];
      const owner = table.column(bound.table.owner!);
      const values = [value];
      const conditions = [`r.${table.column(property)} = ${dialect.placeholder(1)}`];
      if (tokenJti !== undefined) {
        const blacklist = opened.get(tables.blacklist)!;
        const ended = `${blacklist.key} = ${dialect.placeholder(values.push(tokenJti))}`;
        conditions.push(`not exists (select 1 ${from(blacklist.name, [ended])})`);
      }
      const [row] = await driver.read(
        `select ${users.selectionFrom('u.')}, ${table.selectionFrom('r.', [], 'row.')}
        ${from(`${table.name} r join ${users.name} u on u.${users.key} = r.${owner}`, conditions)}`,
        values,
      );
      return row ? { row: table.readFrom('row.', row), user: users.read(row) as User } : null;
    },

    async insert(bound, record) {
      const { values, insert } = compose(bound);
      await driver.write(insert(record), values);
    },

    async insertMany(bound, [first, ...others]) {
      if (!first) return [];
      const { table, values, insert } = compose(bound);
      const sql = `${insert(first, ...others)} on conflict do nothing returning ${table.key} as id`;
      return (await driver.read(sql, values)).map(({ id }) => String(id));
    },

    async update(bound, where, patch) {
      const { table, values, conditions, assignments } = compose(bound);
      // An empty change still shows whether the row exists.
      const assigned = assignments(patch) || `${table.key} = ${table.key}`;
      const rows = await driver.read(
        `update ${table.name} set ${assigned} where ${conditions(where).join(' and ')} returning ${table.selection}`,
        values,
      );
      return rows.map(table.read)[0] ?? null;
    },

    async claim(bound, where, patch, { orderBy, limit }) {
      const { table, values, bind, conditions, assignments } = compose(bound);
      const assigned = assignments(patch);
      const due = `select ${table.key} ${from(table.name, conditions(where))} order by ${table.column(orderBy)} limit ${bind(limit)}`;
      const rows = await driver.read(
        `update ${table.name} set ${assigned} where ${dialect.isClaimed(table.key, due)} returning ${table.selection}`,
        values,
      );
      return rows.map(table.read);
    },

    async tally(bound, record, { unique, number }) {
      const { table, values, insert } = compose(bound);
      const counted = table.column(number);
      const added = `${counted} = ${table.name}.${counted} + excluded.${counted}`;
      await driver.write(
        `${insert(record)} on conflict (${table.column(unique)}) do update set ${added}`,
        values,
      );
    },

    async replace(bound, record) {
      const { table, values, insert } = compose(bound);
      const names = Object.keys(record).map(table.column);
      const replaced = names.map(name => `${name} = excluded.${name}`).join(', ');
      await driver.write(`${insert(record)} on conflict (${table.key}) do update set ${replaced}`, values);
    },

    async delete(bound, where, most) {
      const { table, values, bind, conditions } = compose(bound);
      const matching = from(table.name, conditions(where));
      if (most === undefined) return driver.write(`delete ${matching}`, values);
      const some = `select ${table.key} ${matching} limit ${bind(most)}`;
      return driver.write(`delete ${from(table.name, [dialect.isClaimed(table.key, some)])}`, values);
    },

    async listShared(bound, where, { property, least, without, prefix, latest, limit }) {
      const { table, values, bind, conditions } = compose(bound);
      const value = table.column(property);
      const matches = conditions(where);
      matches.push(`(${value} not like ${bind(`%${without}%`)} or ${value} like ${bind(`${prefix}%`)})`);
      // Not by the column itself: SQLite would read the whole index of that in its order.
      const rows = await driver.read(
        `select ${value} as shared ${from(table.name, matches)} group by ${dialect.unindexed(value)}
        having count(*) >= ${bind(least)} order by max(${table.column(latest)}) desc limit ${bind(limit)}`,
        values,
      );
      return rows.map(({ shared }) => String(shared));
    },

    ...sqlLists({ ...parts, compose }),

    async shortenWindow(key, leftMs) {
      const { table, values, conditions, assignments } = compose(tables.rate_limits);
      const expire = Date.now() + leftMs;
      const assigned = assignments({ set: { expire } });
      const where = conditions({ key, expire: { $gt: expire } }).join(' and ');
      await driver.write(`update ${table.name} set ${assigned} where ${where}`, values);
    },

    // A read never returns what is not stored durably.
    awaitDurability: async () => {},
  } satisfies Partial<Backend>;
}
