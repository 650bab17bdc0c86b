import { defineEntity, p } from '@mikro-orm/core';
import type { KeyColumn } from './record.ts';

/** The table of the limits per client address; its name is not configurable, so that its users agree on it. */
export const rateLimitTable = 'gatehouse_rate_limits';

/** Written by the package that counts, in the shape it expects; `expire` in milliseconds since 1970. */
export function rateLimit(key: KeyColumn) {
  return defineEntity({
    name: 'RateLimit',
    tableName: rateLimitTable,
    properties: {
      key: p.text().primary().fieldName(key('key')),
      points: p.integer(),
      expire: p.bigint('number').nullable(),
    },
  });
}
