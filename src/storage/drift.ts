import type { EntityProperty } from '@mikro-orm/core';
import type { MikroORM } from '@mikro-orm/sql';
import type { Entities } from '../entities/index.ts';
import type { Difference } from './backend.ts';
import { metadataOf } from './orm-entities.ts';

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

/** An object that is not a table of an entity: one that the search of users needs. */
export interface NeededObject {
  kind: 'table' | 'trigger' | 'function' | 'index';
  name: string;
  isFatal: boolean;
}

/** What the database has of the requested names. */
export interface Found {
  columns: FoundColumn[];
  indexes: FoundIndex[];
  /** `kind name` of each object. */
  objects: Set<string>;
}

/** Returns every table that the entities describe. */
export function neededTables(orm: MikroORM, entities: Entities): NeededTable[] {
  return Object.values(entities).map(entity => {
    const meta = metadataOf(orm, entity);
    const props: EntityProperty[] = meta.props;
    const columnOf = (property: string) => props.find(({ name }) => name === property)!.fieldNames[0]!;
    const several = (lists: { properties?: unknown }[], isUnique: boolean) =>
      lists.map(({ properties }) => ({
        columns: [properties].flat().map(p => columnOf(String(p))),
        isUnique,
      }));
    return {
      name: meta.tableName,
      columns: props.map(prop => ({
        name: prop.fieldNames[0]!,
        type: prop.columnTypes[0]!,
        isNullable: prop.nullable === true,
      })),
      indexes: [
        ...props
          .filter(({ primary, unique, index }) => primary || unique || index)
          .map(({ fieldNames, primary, unique }) => ({
            columns: [fieldNames[0]!],
            isUnique: Boolean(primary || unique),
          })),
        ...several(meta.uniques, true),
        ...several(meta.indexes, false),
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
