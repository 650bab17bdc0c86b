import type { MikroORM as MongoORM } from '@mikro-orm/mongodb';
import type { BoundTable } from '../tables/bound.ts';
import { checkedOf, FromNow, holdsOf, type Patch } from './backend.ts';

export type Document = Record<string, unknown>;

/** Returns an expression for a value: a text that begins with `$` would name a field without `$literal`. */
const expressionOf = (value: unknown) =>
  value instanceof FromNow ? { $add: ['$$NOW', value.ms] } : { $literal: value };

/** Returns the time of the database that a value is compared with, or null. */
function latestOf(value: unknown): FromNow | null {
  const { $lte } = (value ?? {}) as { $lte?: unknown };
  return $lte instanceof FromNow ? $lte : null;
}

/** Returns the values of a stored object with the given ones, without those that are null. */
const mergedWith = (stored: string, given: object): Document => ({
  $arrayToObject: {
    $filter: {
      input: { $objectToArray: { $mergeObjects: [stored, { $literal: given }] } },
      cond: { $ne: ['$$this.v', null] },
    },
  },
});

/** Converts records to documents, with the names of their fields. */
export function documentsOf(orm: MongoORM) {
  const field = ({ fields }: BoundTable, property: string) => fields.get(property) ?? property;

  return {
    collection(bound: BoundTable) {
      return orm.em.getConnection().getDb().collection<{ _id: string } & Document>(bound.name);
    },
    write(bound: BoundTable, record: object): Document & { _id: string } {
      const fields = Object.entries(record).flatMap(([name, value]): [string, unknown][] => {
        const latest = latestOf(value);
        // A list matches one of its items.
        if (!latest)
          return [[field(bound, name), checkedOf(value)?.$checked ?? holdsOf(value)?.$has ?? value]];
        // An expression would count null as earlier than any time.
        return [
          [field(bound, name), { $type: 'date' }],
          ['$expr', { $lte: [`$${field(bound, name)}`, expressionOf(latest)] }],
        ];
      });
      return Object.fromEntries(fields) as Document & { _id: string };
    },
    /** Returns the stages that make a record, or null if it has no time of the database. */
    insertion(bound: BoundTable, record: object): Document[] | null {
      if (!Object.values(record).some(value => value instanceof FromNow)) return null;
      const fields = Object.entries(record).map(([name, value]) => [field(bound, name), expressionOf(value)]);
      return [{ $replaceWith: Object.fromEntries(fields) }];
    },
    read<T>(bound: BoundTable, document: Document): T {
      return Object.fromEntries(
        [...bound.fields].map(([property, name]) => [property, document[name] ?? null]),
      ) as T;
    },
    /**
     * Returns the `$set` stage of a patch. Values stand under `$literal`, because a text that begins with `$` would name a
     * field here.
     */
    stage(
      bound: BoundTable,
      { set = {}, increment = {}, raise = {}, cutOffAt, merge, choose }: Patch,
    ): Document {
      const stage: Document = {};
      for (const [name, value] of Object.entries(set)) stage[field(bound, name)] = expressionOf(value);
      for (const [name, by] of Object.entries(increment)) {
        stage[field(bound, name)] = { $add: [`$${field(bound, name)}`, by] };
      }
      // $max ignores null, so that a missing time counts as the earliest.
      for (const [name, to] of Object.entries(raise)) {
        stage[field(bound, name)] = { $max: [`$${field(bound, name)}`, to] };
      }
      if (cutOffAt) {
        const cutoff = field(bound, 'tokensInvalidatedAfter');
        const issued = field(bound, 'lastIssuedAt');
        stage[cutoff] = { $max: [cutOffAt, `$${issued}`, { $add: [`$${cutoff}`, 1] }] };
      }
      for (const [name, given] of Object.entries(merge ?? {})) {
        stage[field(bound, name)] = mergedWith(`$${field(bound, name)}`, given);
      }
      for (const [name, { known, given }] of Object.entries(choose ?? {})) {
        const stored = { $ifNull: [`$${field(bound, name)}`, []] };
        const others = { $setDifference: [stored, { $literal: known }] };
        stage[field(bound, name)] = { $setUnion: [others, { $literal: given }] };
      }
      return stage;
    },
  };
}
