import type { Constructor } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import type { EntityNames } from '../../entities/index.ts';
import { gramsFunction, type SqlBackend, searchTable } from './index.ts';

/** Indexes that keep the lists of administrators fast, however many users there are. */
export function search(names: EntityNames, dialect: SqlBackend): Constructor<Migration> {
  return class extends Migration {
    override up(): void {
      const platform = this.driver.getPlatform();
      const users = platform.quoteIdentifier(names.user);
      for (const flag of ['is_active', 'is_verified', 'is_superuser', 'is_mfa_enabled']) {
        const index = platform.quoteIdentifier(platform.getIndexName(names.user, [flag, 'id'], 'index'));
        this.addSql(`create index ${index} on ${users} (${flag}, id)`);
      }
      if (dialect === 'postgresql') this.#indexGrams(users);
      else this.#indexTexts(users);
    }

    /**
     * The grams of src/storage/grams.ts, by a function of the database's own. Its cost keeps the planner from asking it
     * of one row after the other.
     */
    #indexGrams(users: string): void {
      this.addSql(
        `create or replace function ${gramsFunction}(email text, full_name text) returns tsvector
           language sql immutable parallel safe cost 10000
           as $$ select array_to_tsvector(array_agg(distinct substr(lower(t collate "C"), i, 3)))
                 from unnest(array[email, full_name]) t, generate_series(1, length(t)) i $$`,
      );
      const index = this.driver.getPlatform().quoteIdentifier(`${names.user.slice(0, 50)}_grams_index`);
      this.addSql(`create index ${index} on ${users} using gin (${gramsFunction}(email, full_name))`);
    }

    /** SQLite's own index of three letters; triggers keep it, whoever writes to the table. */
    #indexTexts(users: string): void {
      const quote = (name: string) => this.driver.getPlatform().quoteIdentifier(name);
      const texts = quote(searchTable(names));
      // Two letters that nobody can type, so that three begin at each place.
      const ended = (column: string) => `${column} || char(1, 1)`;
      const insertion = (source: string) => `insert into ${texts} (user_id, email, full_name) ${source}`;
      // Found by its address, as the index has no other way to it.
      const deletion = `delete from ${texts}
        where ${texts} match '"' || replace(old.email, '"', '""') || '"' and user_id = old.id`;
      const trigger = (name: string, when: string, ...statements: string[]) =>
        this.addSql(
          `create trigger ${quote(`${searchTable(names)}_${name}`)} after ${when} begin ${statements.join('; ')}; end`,
        );

      this.addSql(
        `create virtual table ${texts} using fts5(user_id unindexed, email, full_name, tokenize = 'trigram')`,
      );
      this.addSql(
        `create virtual table ${quote(`${searchTable(names)}_terms`)} using fts5vocab(${texts}, 'row')`,
      );
      this.addSql(insertion(`select id, ${ended('email')}, ${ended('full_name')} from ${users}`));
      const added = insertion(`values (new.id, ${ended('new.email')}, ${ended('new.full_name')})`);
      trigger('insert', `insert on ${users}`, added);
      trigger('delete', `delete on ${users}`, deletion);
      trigger('update', `update of id, email, full_name on ${users}`, deletion, added);
    }
  };
}
