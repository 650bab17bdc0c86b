import type { Constructor } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import { searchNameOf } from '../../config/storage-names.ts';
import type { TableNames } from '../../tables/index.ts';
import type { SqlBackend } from './step.ts';

/**
 * A mark in front of every text, so that its beginning is a gram like any other (docs/search.md). The former version still
 * finds texts of three letters and more.
 */
export function searchBeginnings(names: TableNames, dialect: SqlBackend): Constructor<Migration> {
  return class extends Migration {
    override up(): void {
      const users = this.#quote(names.users);
      if (dialect === 'postgresql') this.#indexGrams(users);
      else this.#indexTexts(users);
    }

    #quote(name: string): string {
      return this.driver.getPlatform().quoteIdentifier(name);
    }

    #indexGrams(users: string): void {
      const name = this.#quote(searchNameOf(names.users));
      this.addSql(`drop index ${name}`);
      this.addSql(
        `create or replace function ${name}(email text, full_name text) returns tsvector
           language sql immutable parallel safe cost 10000
           as $$ select array_to_tsvector(coalesce(array_agg(distinct substr(t, i, 3)), array[]::text[]))
                 from (select e'\\x01\\x01' || lower(given collate "C") as t
                       from unnest(array[email, full_name]) given where given is not null) marked,
                      generate_series(1, length(t) - 2) i $$`,
      );
      this.addSql(`create index ${name} on ${users} using gin (${name}(email, full_name))`);
      this.addSql(`analyze ${users}`);
    }

    #indexTexts(users: string): void {
      const quote = (suffix = '') => this.#quote(searchNameOf(names.users) + suffix);
      const [index, texts] = [quote(), quote('_texts')];
      const marked = (column: string) => `char(1, 1) || ${column}`;
      for (const trigger of ['_insert', '_delete', '_update', '_copied', '_forgotten']) {
        this.addSql(`drop trigger ${quote(trigger)}`);
      }
      // Until now the mark was at the end. The table `_grams`, which the former version reads, is a view of the index.
      const moved = (column: string) => `char(1, 1) || substr(${column}, 1, length(${column}) - 2)`;
      this.addSql(`update ${texts} set email = ${moved('email')}, full_name = ${moved('full_name')}`);
      this.addSql(`insert into ${index} (${index}) values ('rebuild')`);

      const trigger = (name: string, when: string, ...statements: string[]) =>
        this.addSql(`create trigger ${quote(name)} after ${when} begin ${statements.join('; ')}; end`);
      trigger(
        '_copied',
        `insert on ${texts}`,
        `insert into ${index} (rowid, email, full_name) values (new.no, new.email, new.full_name)`,
      );
      trigger(
        '_forgotten',
        `delete on ${texts}`,
        `insert into ${index} (${index}, rowid, email, full_name) values ('delete', old.no, old.email, old.full_name)`,
      );
      const added = `insert into ${texts} (user_id, email, full_name) values (new.id, ${marked('new.email')}, ${marked('new.full_name')})`;
      // A row that this one displaced in the same statement (`insert or replace`) fires no trigger of its own.
      const replaced = `delete from ${texts} where user_id = new.id or email = ${marked('new.email')}`;
      const removed = `delete from ${texts} where user_id = old.id`;
      trigger('_insert', `insert on ${users}`, replaced, added);
      trigger('_delete', `delete on ${users}`, removed);
      trigger('_update', `update of id, email, full_name on ${users}`, removed, replaced, added);
    }
  };
}
