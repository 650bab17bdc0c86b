import type { Constructor } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import { roleIndexNamesOf } from '../../config/storage-names.ts';
import type { TableNames } from '../../tables/index.ts';
import type { SqlBackend } from './step.ts';

/**
 * Own fields and roles (CONTRACT §15.2). The columns may be omitted, as the former version does. The index of roles is a
 * table that triggers maintain, whichever program writes to the users; it is ordered as the list of users is.
 */
export function userFields(names: TableNames, dialect: SqlBackend): Constructor<Migration> {
  return class extends Migration {
    override up(): void {
      const [json, time] = dialect === 'postgresql' ? ['jsonb', 'timestamptz(3)'] : ['json', 'datetime'];
      const users = this.#quote(names.users);
      const pending = this.#quote(names.pending);
      this.addSql(`alter table ${users} add column own_fields ${json} null`);
      this.addSql(`alter table ${users} add column own_roles ${json} null`);
      this.addSql(`alter table ${pending} add column own_fields ${json} null`);
      this.addSql(`alter table ${pending} add column own_fields_at ${time} null`);

      const { table } = roleIndexNamesOf(names.users);
      const index = this.#quote(table);
      const withoutRowid = dialect === 'sqlite' ? ' without rowid' : '';
      this.addSql(
        `create table ${index} (role text not null, user_id text not null, primary key (role, user_id))${withoutRowid}`,
      );
      if (dialect === 'postgresql') this.#maintainByFunction(users);
      else this.#maintainByStatements(users);
    }

    #quote(name: string): string {
      return this.driver.getPlatform().quoteIdentifier(name);
    }

    /** The function finds the index in the schema of the table, whatever the search path of the session is. */
    #maintainByFunction(users: string): void {
      const { table, onInsert, onUpdate, onDelete } = roleIndexNamesOf(names.users);
      const place = `tg_table_schema, '${table}'`;
      this.addSql(
        `create function ${this.#quote(table)}() returns trigger language plpgsql as $$
           begin
             if tg_op <> 'INSERT' and old.own_roles is not null then
               execute format('delete from %I.%I where user_id = $1
                 and role in (select jsonb_array_elements_text($2))', ${place})
                 using old.id, old.own_roles;
             end if;
             if tg_op <> 'DELETE' and new.own_roles is not null then
               execute format('insert into %I.%I (role, user_id)
                 select value, $1 from jsonb_array_elements_text($2) on conflict do nothing', ${place})
                 using new.id, new.own_roles;
             end if;
             return null;
           end $$`,
      );
      const trigger = (name: string, when: string, condition: string) =>
        this.addSql(
          `create trigger ${this.#quote(name)} after ${when} on ${users}
             for each row when (${condition}) execute function ${this.#quote(table)}()`,
        );
      trigger(onInsert, 'insert', 'new.own_roles is not null');
      trigger(onUpdate, 'update of id, own_roles', 'old.own_roles is not null or new.own_roles is not null');
      trigger(onDelete, 'delete', 'old.own_roles is not null');
    }

    #maintainByStatements(users: string): void {
      const { table, onInsert, onUpdate, onDelete } = roleIndexNamesOf(names.users);
      const index = this.#quote(table);
      const trigger = (name: string, when: string, condition: string, ...statements: string[]) =>
        this.addSql(
          `create trigger ${this.#quote(name)} after ${when} on ${users} when ${condition} begin ${statements.join('; ')}; end`,
        );
      const removed = `delete from ${index} where user_id = old.id and role in (select value from json_each(old.own_roles))`;
      const added = `insert or ignore into ${index} (role, user_id) select value, new.id from json_each(new.own_roles)`;
      trigger(onInsert, 'insert', 'new.own_roles is not null', added);
      trigger(
        onUpdate,
        'update of id, own_roles',
        'old.own_roles is not null or new.own_roles is not null',
        removed,
        added,
      );
      trigger(onDelete, 'delete', 'old.own_roles is not null', removed);
    }
  };
}
