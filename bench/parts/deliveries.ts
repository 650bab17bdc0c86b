import { type Entrant, race } from '../race.ts';
import { seed } from '../seed.ts';
import { forgottenPasswords, registrations } from '../shots.ts';
import { compared, type Part, repeated, type Table, withServers } from './part.ts';

/** More registrations than a pass makes. */
const registrationsAPass = 2000;

/** The cost for a request of emails that wait in the database, beside those that wait in memory. */
export const deliveries: Part = async ({ databases, passes, seconds }) => {
  const tables: Table[] = [];
  for (const database of ['sqlite', 'postgresql', 'mongodb'] as const) {
    await withServers(async spawn => {
      const users = [];
      const registering: Entrant[] = [];
      const forgetting: Entrant[] = [];
      for (const mailStore of ['memory', 'database'] as const) {
        const databaseUrl = await databases.create(database);
        users.push(await seed(databaseUrl));
        // Without caps, so that each request has its email.
        const dataEncryptionKey = 'A'.repeat(43);
        const server = await spawn('gatehouse', {
          ...{ databaseUrl, mailStore, dataEncryptionKey, limitsDisabled: true },
        });
        registering.push({
          name: mailStore,
          load: pass => ({
            ...{ url: server.url, cpuMs: server.cpuMs, seconds },
            shots: registrations(registrationsAPass, (pass + 1) * registrationsAPass),
          }),
        });
        forgetting.push(repeated(mailStore, server, forgottenPasswords(users.at(-1)!), seconds));
      }
      tables.push(compared(`Registration by mail_store, ${database}`, await race(registering, passes)));
      tables.push(compared(`Forgotten password by mail_store, ${database}`, await race(forgetting, passes)));
    });
  }
  return tables;
};
