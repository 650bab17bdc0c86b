import { defineEntity, type KeyColumn, p } from './columns.ts';

/** Written by the counting package, in the shape that it expects; `expire` is in milliseconds since 1970. */
export function rateLimit(tableName: string, key: KeyColumn) {
  return defineEntity({
    name: 'RateLimit',
    tableName,
    properties: {
      key: p.text().primary().fieldName(key('key')),
      points: p.integer(),
      expire: p.bigint('number').nullable(),
    },
  });
}
