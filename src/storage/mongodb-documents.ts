import type { MikroORM as MongoORM } from '@mikro-orm/mongodb';
import { type AnyEntity, checkedOf, FromNow, holdsOf, type Patch } from './backend.ts';
import { metadataOf } from './orm-entities.ts';

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

/** Converts records to documents, with the ORM's own field names. */
export function documentsOf(orm: MongoORM) {
  const props = (entity: AnyEntity) => metadataOf(orm, entity).props;
  const field = (entity: AnyEntity, property: string) =>
    props(entity).find(prop => prop.name === property)?.fieldNames[0] ?? property;

  return {
    collection(entity: AnyEntity) {
      return orm.em
        .getConnection()
        .getDb()
        .collection<{ _id: string } & Document>(metadataOf(orm, entity).collection);
    },
    write(entity: AnyEntity, record: object): Document & { _id: string } {
      const fields = Object.entries(record).flatMap(([name, value]): [string, unknown][] => {
        const latest = latestOf(value);
        // A list matches one of its items.
        if (!latest)
          return [[field(entity, name), checkedOf(value)?.$checked ?? holdsOf(value)?.$has ?? value]];
        // An expression would count null as earlier than any time.
        return [
          [field(entity, name), { $type: 'date' }],
          ['$expr', { $lte: [`$${field(entity, name)}`, expressionOf(latest)] }],
        ];
      });
      return Object.fromEntries(fields) as Document & { _id: string };
    },
    /** Returns the stages that make a record, or null if it has no time of the database. */
    insertion(entity: AnyEntity, record: object): Document[] | null {
      if (!Object.values(record).some(value => value instanceof FromNow)) return null;
      const fields = Object.entries(record).map(([name, value]) => [
        field(entity, name),
        expressionOf(value),
      ]);
      return [{ $replaceWith: Object.fromEntries(fields) }];
    },
    read<T>(entity: AnyEntity, document: Document): T {
      return Object.fromEntries(
        props(entity).map(prop => [prop.name, document[prop.fieldNames[0]!] ?? null]),
      ) as T;
    },
    /**
     * Returns the `$set` stage of a patch. Values stand under `$literal`, because a text that begins with `$` would name a
     * field here.
     */
    stage(
      entity: AnyEntity,
      { set = {}, increment = {}, raise = {}, cutOffAt, merge, choose }: Patch,
    ): Document {
      const stage: Document = {};
      for (const [name, value] of Object.entries(set)) stage[field(entity, name)] = expressionOf(value);
      for (const [name, by] of Object.entries(increment)) {
        stage[field(entity, name)] = { $add: [`$${field(entity, name)}`, by] };
      }
      // $max ignores null, so that a missing time counts as the earliest.
      for (const [name, to] of Object.entries(raise)) {
        stage[field(entity, name)] = { $max: [`$${field(entity, name)}`, to] };
      }
      if (cutOffAt) {
        const cutoff = field(entity, 'tokensInvalidatedAfter');
        const issued = field(entity, 'lastIssuedAt');
        stage[cutoff] = { $max: [cutOffAt, `$${issued}`, { $add: [`$${cutoff}`, 1] }] };
      }
      for (const [name, given] of Object.entries(merge ?? {})) {
        stage[field(entity, name)] = mergedWith(`$${field(entity, name)}`, given);
      }
      for (const [name, { known, given }] of Object.entries(choose ?? {})) {
        const stored = { $ifNull: [`$${field(entity, name)}`, []] };
        const others = { $setDifference: [stored, { $literal: known }] };
        stage[field(entity, name)] = { $setUnion: [others, { $literal: given }] };
      }
      return stage;
    },
  };
}
