import { bigint, defineTable, integer, text } from './define.ts';

/** Written by the counting package, in the shape that it expects; `expire` is in milliseconds since 1970. */
export const rateLimits = defineTable({
  name: 'RateLimit',
  setting: 'rate_limit_collection',
  usualName: 'gatehouse_rate_limits',
  description: '… of rate-limit counts, while no `rate_limit_store_url` is set',
  columns: {
    key: text().key(),
    points: integer(),
    expire: bigint().nullable(),
  },
  mongodb: {
    indexes: [
      { keys: { key: 1 }, unique: true },
      { keys: { expire: 1 }, expireAfterSeconds: 0 },
    ],
  },
});
