import { snakeCase } from '../names.ts';
import type { Columns, Table } from './define.ts';
import { forEachTable, type TableName, type TableNames } from './index.ts';

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

export type BoundTables = Readonly<Record<TableName, BoundTable>>;

/** Returns a table with its names; in MongoDB the primary key is the field `_id`. */
function bind(table: Table, name: string, backend: 'sql' | 'mongodb'): BoundTable {
  const { columns } = table;
  const fields = Object.entries(columns).map(([property, { traits }]): [string, string] => {
    const isId = traits.isKey && backend === 'mongodb';
    return [property, isId ? '_id' : (traits.field ?? snakeCase(property))];
  });
  const [key] = Object.entries(columns).find(([, { traits }]) => traits.isKey)!;
  return { table, columns, name, key, fields: new Map(fields) };
}

/** Returns the tables with their names in one database. */
export const bindTables = (names: TableNames, backend: 'sql' | 'mongodb'): BoundTables =>
  forEachTable((table, name) => bind(table, names[name], backend));

/** @throws {TypeError} for a table that is not among them */
export function boundOf(tables: BoundTables, table: Table): BoundTable {
  const found = Object.values(tables).find(bound => bound.table.name === table.name);
  if (!found) throw new TypeError(`The table ${table.usualName} was not opened.`);
  return found;
}
