import type { Constructor } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import { searchNameOf } from '../../config/storage-names.ts';
import type { TableNames } from '../../tables/index.ts';
import type { SqlBackend } from './step.ts';

/** Indexes that keep the administrators' lists fast, however many users there are. */
export function search(names: TableNames, dialect: SqlBackend): Constructor<Migration> {
  return class extends Migration {
    override up(): void {
      const platform = this.driver.getPlatform();
      const users = platform.quoteIdentifier(names.users);
      for (const flag of ['is_active', 'is_verified', 'is_superuser', 'is_mfa_enabled']) {
        const index = platform.quoteIdentifier(platform.getIndexName(names.users, [flag, 'id'], 'index'));
        this.addSql(`create index ${index} on ${users} (${flag}, id)`);
      }
      if (dialect === 'postgresql') this.#indexGrams(users);
      else this.#indexTexts(users);
    }

    /**
     * Indexes the grams of src/storage/search/grams.ts by an SQL function. Its declared cost keeps the planner from
     * calling it for one row after another.
     */
    #indexGrams(users: string): void {
      const name = this.driver.getPlatform().quoteIdentifier(searchNameOf(names.users));
      this.addSql(
        `create function ${name}(email text, full_name text) returns tsvector
           language sql immutable parallel safe cost 10000
           as $$ select array_to_tsvector(array_agg(distinct substr(lower(t collate "C"), i, 3)))
                 from unnest(array[email, full_name]) t, generate_series(1, length(t)) i $$`,
      );
      this.addSql(`create index ${name} on ${users} using gin (${name}(email, full_name))`);
      // The planner decides by how common values are; without this it would learn that only after many changes.
      this.addSql(`analyze ${users}`);
    }

    /**
     * SQLite's own trigram index (FTS5) over a copy of the texts, whose row numbers stay the same when the file is
     * compacted (VACUUM). Triggers maintain both, whichever program writes to the table.
     */
    #indexTexts(users: string): void {
      const quote = (suffix = '') =>
        this.driver.getPlatform().quoteIdentifier(searchNameOf(names.users) + suffix);
      const [index, texts] = [quote(), quote('_texts')];
      // Two characters that cannot be typed, so that a group of three begins at each position.
      const ended = (column: string) => `${column} || char(1, 1)`;
      const copy = `insert into ${texts} (user_id, email, full_name)`;
      const trigger = (name: string, when: string, ...statements: string[]) =>
        this.addSql(`create trigger ${quote(name)} after ${when} begin ${statements.join('; ')}; end`);

      this.addSql(
        `create table ${texts} (no integer primary key, user_id text not null unique, email text not null, full_name text)`,
      );
      this.addSql(`create index ${quote('_texts_email_index')} on ${texts} (email)`);
      this.addSql(
        `create virtual table ${index} using fts5(email, full_name, content=${texts}, content_rowid=no, tokenize=trigram)`,
      );
      this.addSql(`create virtual table ${quote('_grams')} using fts5vocab(${index}, row)`);
      this.addSql(`${copy} select id, ${ended('email')}, ${ended('full_name')} from ${users}`);
      this.addSql(`insert into ${index} (${index}) values ('rebuild')`);

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
      const added = `${copy} values (new.id, ${ended('new.email')}, ${ended('new.full_name')})`;
      // A row that this one displaced in the same statement (`insert or replace`) fires no trigger of its own.
      const replaced = `delete from ${texts} where user_id = new.id or email = ${ended('new.email')}`;
      const removed = `delete from ${texts} where user_id = old.id`;
      trigger('_insert', `insert on ${users}`, replaced, added);
      trigger('_delete', `delete on ${users}`, removed);
      trigger('_update', `update of id, email, full_name on ${users}`, removed, replaced, added);
    }
  };
}
