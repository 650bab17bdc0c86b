import type { Constructor } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import { searchNameOf } from '../../config/storage-names.ts';
import type { TableNames } from '../../tables/index.ts';
import type { SqlBackend } from './step.ts';

/**
 * Keeps SQLite's index of texts in the order of ids, and marks the users that are out of it, so that the newest hits are
 * read first (docs/search.md). PostgreSQL's planner has its own ways, and the step changes nothing there.
 */
export function searchOrder(names: TableNames, dialect: SqlBackend): Constructor<Migration> {
  return class extends Migration {
    override up(): void {
      if (dialect === 'sqlite') this.#orderTexts();
    }

    #orderTexts(): void {
      const quote = (suffix = '') =>
        this.driver.getPlatform().quoteIdentifier(searchNameOf(names.users) + suffix);
      const users = this.driver.getPlatform().quoteIdentifier(names.users);
      const [index, texts, ordered] = [quote(), quote('_texts'), quote('_ordered')];
      for (const trigger of ['_update', '_insert', '_copied', '_forgotten']) {
        this.addSql(`drop trigger ${quote(trigger)}`);
      }
      this.addSql(
        `create table ${ordered} as select user_id, email, full_name from ${texts} order by user_id`,
      );
      this.addSql(`delete from ${texts}`);
      this.addSql(`alter table ${texts} add column is_late integer not null default 0`);
      this.addSql(
        `insert into ${texts} (user_id, email, full_name) select user_id, email, full_name from ${ordered} order by rowid`,
      );
      this.addSql(`drop table ${ordered}`);
      this.addSql(`create index ${quote('_texts_late_index')} on ${texts} (user_id) where is_late`);
      // In one piece, which is read in two thirds of the time.
      for (const command of ['rebuild', 'optimize'])
        this.addSql(`insert into ${index} (${index}) values ('${command}')`);
      this.#addTriggers(quote, users);
    }

    #addTriggers(quote: (suffix?: string) => string, users: string): void {
      const [index, texts] = [quote(), quote('_texts')];
      const trigger = (name: string, when: string, ...statements: string[]) =>
        this.addSql(`create trigger ${quote(name)} after ${when} begin ${statements.join('; ')}; end`);
      const copied = `insert into ${index} (rowid, email, full_name) values (new.no, new.email, new.full_name)`;
      const forgotten = `insert into ${index} (${index}, rowid, email, full_name) values ('delete', old.no, old.email, old.full_name)`;
      trigger('_copied', `insert on ${texts}`, copied);
      trigger('_forgotten', `delete on ${texts}`, forgotten);
      trigger('_changed', `update of email, full_name on ${texts}`, forgotten, copied);

      const [email, fullName] = ['char(1, 1) || new.email', 'char(1, 1) || new.full_name'];
      // A row that this one displaced in the same statement (`insert or replace`) fires no trigger of its own.
      const replaced = `delete from ${texts} where user_id = new.id or email = ${email}`;
      const isLate = `exists (select 1 from ${texts} where user_id > new.id)`;
      const added = `insert into ${texts} (user_id, email, full_name, is_late) values (new.id, ${email}, ${fullName}, ${isLate})`;
      trigger('_insert', `insert on ${users}`, replaced, added);
      trigger(
        '_update',
        `update of email, full_name on ${users} when new.id = old.id`,
        `delete from ${texts} where email = ${email} and user_id <> new.id`,
        `update ${texts} set email = ${email}, full_name = ${fullName} where user_id = new.id`,
      );
      trigger(
        '_renumbered',
        `update of id on ${users} when new.id <> old.id`,
        `delete from ${texts} where user_id = old.id`,
        replaced,
        added,
      );
    }
  };
}
