import { race } from '../race.ts';
import { seed, seedSessionRecords } from '../seed.ts';
import { sessionChecks } from '../shots.ts';
import { compared, type Part, repeated, withServers } from './part.ts';

const key = 'a_key_for_the_bench_of_32_bytes_base64_url0';
const list = { enableSessionList: true };
const ownFields = { userFields: { company: {}, born: { type: 'date' } } };
const roles = { roles: ['editor'] };
const policy = { enableTotp: true, dataEncryptionKey: key, mfaRequired: 'superusers' };
const audit = { auditStore: 'database' };
const webhooksTo = (url: string) => ({
  mailStore: 'database',
  dataEncryptionKey: key,
  webhooks: { crm: { url, secret: `whsec_${Buffer.alloc(32).toString('base64')}` } },
});
/** Nothing happens to a user here that a webhook tells. */
const webhooks = webhooksTo('http://127.0.0.1:9/');

/** Every feature that a session check could notice, at once. */
const everyFeature = { ...list, ...ownFields, ...roles, ...policy, ...audit, ...webhooks };

/** The same for users without a second factor, with a receiver of webhooks at this URL. */
export const everyFeatureWith = (receiver: string) => ({
  ...everyFeature,
  ...webhooksTo(receiver),
  mfaRequired: 'off',
});

/** The cost of each feature that is off by default for the check of a session where it is on. */
const variants: Record<string, object> = {
  'all off': {},
  'session list': list,
  'session list, idle timeout': { ...list, sessionIdleTtlSeconds: 3600 },
  'own fields': ownFields,
  roles,
  'second factor required of superusers': policy,
  'audit in the database': audit,
  webhooks,
  'all of these': everyFeature,
};

export const features: Part = async ({ databases, passes, seconds }) => {
  const tables = [];
  for (const database of ['sqlite', 'postgresql', 'mongodb'] as const) {
    const results = await withServers(async spawn => {
      const databaseUrl = await databases.create(database);
      const users = await seed(databaseUrl);
      await seedSessionRecords(databaseUrl, users);
      const entrants = [];
      for (const [name, options] of Object.entries(variants)) {
        const server = await spawn('gatehouse', { databaseUrl, ...options });
        entrants.push(repeated(name, server, sessionChecks(users), seconds));
      }
      return race(entrants, passes);
    });
    tables.push(compared(`Session check with features on, ${database}`, results));
  }
  return tables;
};
