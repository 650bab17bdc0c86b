import type { Columns, Table } from './define.ts';

/** A table of one instance: its name is configuration, and two instances in one process share nothing. */
export interface BoundTable {
  readonly table: Table;
  readonly columns: Columns;
  /** Its name in the database. */
  readonly name: string;
  /** The property that is the primary key. */
  readonly key: string;
  /** The names of the columns or fields, by property. */
  readonly fields: ReadonlyMap<string, string>;
}

/** @throws {TypeError} for a table that is not among them */
export function boundOf(tables: Readonly<Record<string, BoundTable>>, table: Table): BoundTable {
  const found = Object.values(tables).find(bound => bound.table.name === table.name);
  if (!found) throw new TypeError(`The table ${table.usualName} was not opened.`);
  return found;
}
