import { defineEntity, type EntitySchema, p } from '@mikro-orm/core';
import type { BoundTables } from '../tables/bind.ts';
import type { BoundTable } from '../tables/bound.ts';
import type { Column, ColumnType } from '../tables/define.ts';

/** The ORM's property of each type of column. */
const properties = {
  text: () => p.text(),
  boolean: () => p.boolean(),
  integer: () => p.integer(),
  double: () => p.double(),
  bigint: () => p.bigint('number'),
  time: () => p.datetime(3),
  json: () => p.json(),
} satisfies Record<ColumnType, () => object>;

/** The part of a property that is set here; the ORM's own types of it differ with each call. */
interface Property {
  primary(): Property;
  unique(): Property;
  index(): Property;
  nullable(): Property;
  default(value: unknown): Property;
  fieldName(name: string): Property;
}

function propertyOf({ traits }: Column<unknown>, field: string): Property {
  let property = properties[traits.type]() as unknown as Property;
  if (traits.isKey) property = property.primary();
  if (traits.isNullable) property = property.nullable();
  if (traits.isUnique) property = property.unique();
  if (traits.isIndexed) property = property.index();
  if (traits.byDefault !== undefined) property = property.default(traits.byDefault);
  return property.fieldName(field);
}

/** Returns the ORM's entity of a table: for migrations, the comparison of schemas, its command line, and connections. */
function toEntity({ table, columns, name, fields }: BoundTable): EntitySchema {
  const { indexes = [], uniques = [] } = table;
  const described = Object.entries(columns).map(([property, column]) => [
    property,
    propertyOf(column, fields.get(property)!),
  ]);
  return defineEntity({
    name: table.name,
    tableName: name,
    properties: Object.fromEntries(described),
    indexes: indexes.map(properties => ({ properties: [...properties] })),
    uniques: uniques.map(properties => ({ properties: [...properties] })),
  } as never) as unknown as EntitySchema;
}

/** Returns all entities of an instance, for its ORM. */
export const entitiesOf = (tables: BoundTables): EntitySchema[] => Object.values(tables).map(toEntity);
