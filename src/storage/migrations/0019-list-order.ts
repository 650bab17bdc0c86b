import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import { roleIndexNamesOf, searchNameOf } from '../../config/storage-names.ts';
import type { TableNames } from '../../tables/index.ts';
import type { SqlBackend } from './step.ts';
import { TableMigration } from './tables.ts';

/** How many numbers of SQLite's index of texts each millisecond has. */
const numbers = 2 ** 20;

/** Returns the first number of a user's time; another program may have stored any value there. */
const firstNumber = (user: string, ofTime = numbers) =>
  `max(0, min(cast(${user}.created_at as integer), ${2 ** 43 - 1})) * ${ofTime}`;

/**
 * Returns the query for the texts with their numbers in the order of the list: each has the first number of its millisecond
 * or the next one after the text before it. So where a millisecond has more users than numbers, as an import may leave it, the
 * others get those that follow.
 */
export const numberedTexts = (texts: string, users: string, ofTime = numbers) =>
  `select user_id, email, full_name, max(first - place) over (order by place) + place as no from (
     select t.user_id, t.email, t.full_name, ${firstNumber('u', ofTime)} as first,
       row_number() over (order by ${firstNumber('u', ofTime)}, u.id) - 1 as place
     from ${texts} t join ${users} u on u.id = t.user_id)`;

/**
 * Puts the lists of users in the order of `created_at`, then `id`: their indexes, the index of roles and SQLite's index of
 * texts (docs/search.md). The former version finds the same users; it sorts more of them for a page, and the pages of a text
 * that more than a thousand users have may be out of its order.
 */
export function listOrder(names: TableNames, dialect: SqlBackend): Constructor<Migration> {
  return class extends TableMigration {
    protected override readonly dialect = dialect;

    override up(): void {
      this.index(names.users, 'created_at', 'id');
      for (const column of ['is_active', 'is_verified', 'is_superuser', 'is_mfa_enabled', 'reported_at']) {
        this.index(names.users, column, 'created_at', 'id');
        const former = this.driver.getPlatform().getIndexName(names.users, [column, 'id'], 'index');
        this.addSql(`drop index if exists ${this.quote(former)}`);
      }
      if (dialect === 'postgresql') {
        this.#orderRolesByFunction();
        return;
      }
      this.#orderRolesByStatements();
      this.#orderTexts();
    }

    /** Makes the index of roles anew. */
    #orderRoles(time: string, suffix: string, rolesOf: string): void {
      const [users, index] = [names.users, roleIndexNamesOf(names.users).table].map(name => this.quote(name));
      this.addSql(`drop table ${index}`);
      this.addSql(
        `create table ${index} (role text not null, user_created_at ${time} not null, user_id text not null,
           primary key (role, user_created_at, user_id))${suffix}`,
      );
      this.addSql(
        // Other programs may have written null, or a role twice.
        `insert into ${index} (role, user_created_at, user_id) select distinct value, u.created_at, u.id
           from ${users} u, ${rolesOf} where u.own_roles is not null and value is not null on conflict do nothing`,
      );
    }

    #orderRolesByFunction(): void {
      const { table, onUpdate } = roleIndexNamesOf(names.users);
      const [users, index] = [names.users, table].map(name => this.quote(name));
      this.#orderRoles('timestamptz(3)', '', 'jsonb_array_elements_text(u.own_roles)');
      const place = `tg_table_schema, '${table}'`;
      this.addSql(
        `create or replace function ${index}() returns trigger language plpgsql as $$
           begin
             if tg_op <> 'INSERT' and old.own_roles is not null then
               execute format('delete from %I.%I where user_id = $1 and user_created_at = $2
                 and role in (select jsonb_array_elements_text($3))', ${place})
                 using old.id, old.created_at, old.own_roles;
             end if;
             if tg_op <> 'DELETE' and new.own_roles is not null then
               execute format('insert into %I.%I (role, user_created_at, user_id)
                 select value, $2, $1 from jsonb_array_elements_text($3) on conflict do nothing', ${place})
                 using new.id, new.created_at, new.own_roles;
             end if;
             return null;
           end $$`,
      );
      this.addSql(`drop trigger ${this.quote(onUpdate)} on ${users}`);
      this.addSql(
        `create trigger ${this.quote(onUpdate)} after update of id, created_at, own_roles on ${users}
           for each row when (old.own_roles is not null or new.own_roles is not null) execute function ${index}()`,
      );
      this.addSql(`analyze ${users}`);
    }

    #trigger(name: string, when: string, ...statements: string[]): void {
      this.addSql(`create trigger ${this.quote(name)} after ${when} begin ${statements.join('; ')}; end`);
    }

    #dropTriggers(...triggers: string[]): void {
      for (const name of triggers) this.addSql(`drop trigger if exists ${this.quote(name)}`);
    }

    #orderRolesByStatements(): void {
      const { table, onInsert, onUpdate, onDelete } = roleIndexNamesOf(names.users);
      const [users, index] = [this.quote(names.users), this.quote(table)];
      this.#dropTriggers(onInsert, onUpdate, onDelete);
      this.#orderRoles('datetime', ' without rowid', 'json_each(u.own_roles)');
      const removed = `delete from ${index} where user_id = old.id and user_created_at = old.created_at
        and role in (select value from json_each(old.own_roles))`;
      const added = `insert or ignore into ${index} (role, user_created_at, user_id)
        select value, new.created_at, new.id from json_each(new.own_roles)`;
      const isOneOf = (...rows: string[]) => rows.map(row => `${row}.own_roles is not null`).join(' or ');
      this.#trigger(onInsert, `insert on ${users} when ${isOneOf('new')}`, added);
      this.#trigger(
        onUpdate,
        `update of id, created_at, own_roles on ${users} when ${isOneOf('old', 'new')}`,
        removed,
        added,
      );
      this.#trigger(onDelete, `delete on ${users} when ${isOneOf('old')}`, removed);
    }

    /** The column `is_late`, which the former version reads, stays: no row is late any more. */
    #orderTexts(): void {
      const search = searchNameOf(names.users);
      const [users, index, texts, ordered, late] = [
        names.users,
        ...['', '_texts', '_ordered', '_texts_late_index'].map(suffix => search + suffix),
      ].map(name => this.quote(name)) as [string, string, string, string, string];
      this.#dropTriggers(
        ...['_copied', '_forgotten', '_changed'].map(suffix => search + suffix),
        ...['_insert', '_update', '_renumbered', '_delete'].map(suffix => search + suffix),
      );
      this.addSql(`drop index if exists ${late}`);
      this.addSql(`create table ${ordered} as ${numberedTexts(texts, users)}`);
      this.addSql(`delete from ${texts}`);
      this.addSql(
        `insert into ${texts} (no, user_id, email, full_name) select no, user_id, email, full_name from ${ordered} order by no`,
      );
      this.addSql(`drop table ${ordered}`);
      // In one piece, which is read in two thirds of the time.
      for (const command of ['rebuild', 'optimize'])
        this.addSql(`insert into ${index} (${index}) values ('${command}')`);

      this.#trigger(
        `${search}_copied`,
        `insert on ${texts}`,
        `insert into ${index} (rowid, email, full_name) values (new.no, new.email, new.full_name)`,
      );
      this.#trigger(
        `${search}_forgotten`,
        `delete on ${texts}`,
        `insert into ${index} (${index}, rowid, email, full_name) values ('delete', old.no, old.email, old.full_name)`,
      );
      const [email, fullName] = ['char(1, 1) || new.email', 'char(1, 1) || new.full_name'];
      const [first, last] = [firstNumber('new'), `${firstNumber('new')} + ${numbers - 1}`];
      // A row for which its millisecond has no number left gets the next free one.
      const free = `select min(no) + 1 from ${texts} t where no >= ${first}
        and not exists (select 1 from ${texts} where no = t.no + 1)`;
      const next = `coalesce((select case when max(no) < ${last} then max(no) + 1 when max(no) = ${last} then (${free}) end
        from ${texts} where no between ${first} and ${last}), ${first})`;
      const removed = `delete from ${texts} where user_id = old.id`;
      // A row that this one displaced in the same statement (`insert or replace`) fires no trigger of its own.
      const replaced = `delete from ${texts} where user_id = new.id or email = ${email}`;
      const added = `insert into ${texts} (no, user_id, email, full_name) values (${next}, new.id, ${email}, ${fullName})`;
      this.#trigger(`${search}_insert`, `insert on ${users}`, replaced, added);
      this.#trigger(
        `${search}_update`,
        `update of id, email, full_name, created_at on ${users}`,
        removed,
        replaced,
        added,
      );
      this.#trigger(`${search}_delete`, `delete on ${users}`, removed);
    }
  };
}
