import type { BoundTables } from '../tables/bind.ts';
import type { ColumnType, Table } from '../tables/define.ts';
import type { Difference } from './backend.ts';

interface Index {
  columns: string[];
  isUnique: boolean;
}

/** A table as this version needs it. */
interface NeededTable {
  name: string;
  columns: { name: string; type: string; isNullable: boolean }[];
  indexes: Index[];
}

/** A column as it exists in the database. */
export interface FoundColumn {
  table: string;
  name: string;
  type: string;
  isNullable: boolean;
  /** Whether an insert may omit it. */
  hasDefault: boolean;
}

/** An index as it exists in the database. Only indexes that cover every row and are in use are listed. */
export interface FoundIndex extends Index {
  table: string;
}

/** An object beside the tables of Gatehouse: one that the search of users or the index of roles needs. */
export interface NeededObject {
  kind: 'table' | 'trigger' | 'function' | 'index';
  name: string;
  isFatal: boolean;
}

/** The requested names that the database has. */
export interface Found {
  columns: FoundColumn[];
  indexes: FoundIndex[];
  /** `kind name` of each object. */
  objects: Set<string>;
}

/** The types of columns as the catalogs of the databases spell them. */
const spelledTypes: Record<'sqlite' | 'postgresql', Record<ColumnType, string>> = {
  sqlite: {
    ...{ text: 'text', boolean: 'integer', integer: 'integer', double: 'double', bigint: 'bigint' },
    ...{ time: 'datetime', json: 'json' },
  },
  postgresql: {
    ...{ text: 'text', boolean: 'boolean', integer: 'int', double: 'double precision', bigint: 'bigint' },
    ...{ time: 'timestamptz(3)', json: 'jsonb' },
  },
};

/** Returns every table as it is described. */
export function neededTables(tables: BoundTables, dialect: keyof typeof spelledTypes): NeededTable[] {
  const types = spelledTypes[dialect];
  return Object.values(tables).map(({ table, columns, name, fields }) => {
    const described = Object.entries(columns).map(([property, { traits }]) => ({
      ...traits,
      column: fields.get(property)!,
    }));
    const several = (lists: Table['indexes'] = [], isUnique: boolean) =>
      lists.map(properties => ({ columns: properties.map(property => fields.get(property)!), isUnique }));
    return {
      name,
      columns: described.map(({ column, type, isNullable }) => ({
        ...{ name: column, type: types[type], isNullable },
      })),
      indexes: [
        ...described
          .filter(({ isKey, isUnique, isIndexed }) => isKey || isUnique || isIndexed)
          .map(({ column, isKey, isUnique }) => ({ columns: [column], isUnique: isKey || isUnique })),
        ...several(table.uniques, true),
        ...several(table.indexes, false),
      ],
    };
  });
}

/** Returns the differences. Tables, columns and indexes that do not belong to Gatehouse are not differences. */
export function differencesBetween(
  tables: NeededTable[],
  objects: NeededObject[],
  found: Found,
): Difference[] {
  return [
    ...tables.flatMap(table => {
      const columns = found.columns.filter(column => column.table === table.name);
      if (columns.length === 0) return [fatal(`the table ${table.name} is missing`)];
      const indexes = found.indexes.filter(index => index.table === table.name);
      return [...columnDifferences(table, columns), ...indexDifferences(table, indexes)];
    }),
    ...objects
      .filter(({ kind, name }) => !found.objects.has(`${kind} ${name}`))
      .map(({ kind, name, isFatal }) => ({ text: `the ${kind} ${name} is missing`, isFatal })),
  ];
}

const fatal = (text: string): Difference => ({ text, isFatal: true });
const harmless = (text: string): Difference => ({ text, isFatal: false });

function columnDifferences({ name: table, columns }: NeededTable, found: FoundColumn[]): Difference[] {
  const differences = columns.flatMap(needed => {
    const place = `the column ${table}.${needed.name}`;
    const column = found.find(({ name }) => name === needed.name);
    if (!column) return [fatal(`${place} is missing`)];
    const text = `${place} has the type ${column.type} instead of ${needed.type}`;
    return [
      ...(column.type === needed.type ? [] : [harmless(text)]),
      ...(needed.isNullable && !column.isNullable ? [fatal(`${place} does not accept null`)] : []),
      ...(!needed.isNullable && column.isNullable ? [harmless(`${place} accepts null`)] : []),
    ];
  });
  const blocking = found.filter(
    ({ name, isNullable, hasDefault }) =>
      !isNullable && !hasDefault && !columns.some(column => column.name === name),
  );
  const refused = 'is not part of Gatehouse, does not accept null and has no default, so no row can be added';
  return [...differences, ...blocking.map(({ name }) => fatal(`the column ${table}.${name} ${refused}`))];
}

function indexDifferences({ name: table, indexes }: NeededTable, found: FoundIndex[]): Difference[] {
  const missing = indexes.filter(needed => !found.some(index => serves(index, needed)));
  return missing.map(({ columns, isUnique }) => {
    const place = `on ${table} (${columns.join(', ')})`;
    return isUnique
      ? fatal(`the unique constraint ${place} is missing`)
      : harmless(`the index ${place} is missing`);
  });
}

/**
 * Returns whether an existing index does the work of a needed one: a unique one must be on the same columns; any other may
 * be any index that begins with the columns.
 */
function serves(index: Index, needed: Index): boolean {
  if (!needed.isUnique) return needed.columns.every((column, i) => index.columns[i] === column);
  const isSame =
    index.columns.length === needed.columns.length &&
    needed.columns.every(column => index.columns.includes(column));
  return index.isUnique && isSame;
}
