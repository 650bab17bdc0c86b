import { snakeCase } from '../names.ts';
import type { BoundTable } from './bound.ts';
import type { Table } from './define.ts';
import { forEachTable, type TableName, type TableNames } from './index.ts';

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
