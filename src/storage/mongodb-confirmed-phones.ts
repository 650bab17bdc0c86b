import type { MikroORM } from '@mikro-orm/mongodb';
import type { BoundTables } from '../tables/bind.ts';
import type { BoundTable } from '../tables/bound.ts';
import { phoneOperations } from './phone-operations.ts';

/** The stored audit is a feature that the project may be built without. */
type Tables = Pick<BoundTables, 'users' | 'authenticators'> & { audit?: BoundTable };

/** The version since which users have the time when their phone was confirmed. */
export const confirmedPhonesVersion = 15;

/**
 * Sets when phones were confirmed, as step 0016 does on SQL databases: where the second step is on and there is no app, and
 * where the stored audit says so. A number that is replaced meanwhile is left out.
 */
export async function confirmPhones(orm: MikroORM, tables: Tables): Promise<void> {
  const { users, authenticators, audit } = tables;
  const ofUser = (field: string) => ({ $expr: { $eq: [`$${field}`, '$$id'] } });
  const lookup = (from: string, as: string, pipeline: object[]) => ({
    $lookup: { from, as, let: { id: '$_id' }, pipeline },
  });
  const isSameNumber = { $eq: ['$phone_number', '$$new.phone_number'] };
  await orm.em
    .getConnection()
    .getDb()
    .collection(users.name)
    .aggregate(
      [
        { $match: { is_mfa_enabled: true, phone_number: { $type: 'string' }, phone_confirmed_at: null } },
        lookup(authenticators.name, 'apps', [
          { $match: { ...ofUser('user_id'), kind: 'totp' } },
          { $limit: 1 },
          { $project: { _id: 1 } },
        ]),
        audit
          ? lookup(audit.name, 'last', [
              { $match: { ...ofUser('subject'), outcome: 'ok', operation: { $in: phoneOperations } } },
              { $sort: { _id: -1 } },
              { $limit: 1 },
              { $project: { operation: 1 } },
            ])
          : { $set: { last: [] } },
        { $match: { $or: [{ apps: [] }, { 'last.operation': 'confirmPhoneSetup' }] } },
        { $project: { phone_number: 1, updated_at: 1 } },
        {
          $merge: {
            into: users.name,
            whenNotMatched: 'discard',
            whenMatched: [
              {
                $set: {
                  phone_confirmed_at: { $cond: [isSameNumber, '$$new.updated_at', '$phone_confirmed_at'] },
                },
              },
            ],
          },
        },
      ],
      { timeoutMS: 0 },
    )
    .toArray();
}
