import { Migration } from '@mikro-orm/migrations';
import type { SqlBackend } from './step.ts';

/** The columns of a table: the type of each, by its name. */
export type Columns = Record<string, string>;

/** Returns the types of columns in the words of a database. */
export function columnTypes(dialect: SqlBackend) {
  const isPostgresql = dialect === 'postgresql';
  return {
    text: 'text not null',
    optionalText: 'text null',
    time: isPostgresql ? 'timestamptz(3) not null' : 'datetime not null',
    optionalTime: isPostgresql ? 'timestamptz(3) null' : 'datetime null',
    flag: isPostgresql ? 'boolean not null' : 'integer not null',
    whole: isPostgresql ? 'int not null' : 'integer not null',
    number: isPostgresql ? 'double precision not null' : 'double not null',
  };
}

/** A step that creates tables and indexes, named as the ORM names them. */
export abstract class TableMigration extends Migration {
  protected abstract readonly dialect: SqlBackend;

  protected quote(name: string): string {
    return this.driver.getPlatform().quoteIdentifier(name);
  }

  protected table(table: string, primaryKey: string, columns: Columns): void {
    const parts = Object.entries(columns).map(([name, type]) => `${this.quote(name)} ${type}`);
    this.addSql(
      `create table ${this.quote(table)} (${parts.join(', ')}, primary key (${this.quote(primaryKey)}))`,
    );
  }

  protected index(table: string, ...columns: string[]): void {
    this.#createIndex('index', table, columns);
  }

  protected unique(table: string, ...columns: string[]): void {
    this.#createIndex('unique', table, columns);
  }

  #createIndex(kind: 'index' | 'unique', table: string, columns: string[]): void {
    const name = this.quote(this.driver.getPlatform().getIndexName(table, columns, kind));
    const list = columns.map(c => this.quote(c)).join(', ');
    if (kind === 'index') this.addSql(`create index ${name} on ${this.quote(table)} (${list})`);
    else if (this.dialect === 'sqlite')
      this.addSql(`create unique index ${name} on ${this.quote(table)} (${list})`);
    else this.addSql(`alter table ${this.quote(table)} add constraint ${name} unique (${list})`);
  }
}
