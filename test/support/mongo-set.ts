import { vi } from 'vitest';
import { withMongo } from './admin.ts';
import { type ServerHandle, startMongo } from './servers.ts';

/** A replica set of three MongoDB servers. */
export interface MongoSet {
  /** The URL of its database `svc`. */
  readonly url: string;
  readonly members: readonly ServerHandle[];
  /** Returns the member that is the primary, once there is one. */
  primary(): Promise<ServerHandle>;
  /** Makes the primary step down, as for an upgrade; it is not elected again for ten seconds. */
  stepDown(): Promise<void>;
  close(): Promise<void>;
}

const patience = { timeout: 60_000, interval: 50 };
const hostOf = ({ url }: ServerHandle) => new URL(url).host;
const direct = (member: ServerHandle) => `${member.url}?directConnection=true`;

/** Starts the set `rs0` on loopback, with the default times of a set. */
export async function startMongoSet(): Promise<MongoSet> {
  const members: ServerHandle[] = [];
  const close = async () => void (await Promise.all(members.map(member => member.close())));
  const command = (member: ServerHandle, order: object) =>
    withMongo(direct(member), client => client.db('admin').command(order));
  const primary = () =>
    vi.waitFor(async () => {
      for (const member of members) {
        const { isWritablePrimary } = await command(member, { hello: 1 }).catch(() => ({}) as never);
        if (isWritablePrimary) return member;
      }
      throw new Error('there is no primary');
    }, patience);
  try {
    for (let i = 0; i < 3; i++) members.push(await startMongo({ replicaSet: 'later' }));
    const hosts = members.map(hostOf);
    await command(members[0]!, {
      replSetInitiate: { _id: 'rs0', members: hosts.map((host, _id) => ({ _id, host })) },
    });
    await primary();
    return {
      url: `mongodb://${hosts.join(',')}/svc?replicaSet=rs0`,
      members,
      primary,
      async stepDown() {
        await command(await primary(), { replSetStepDown: 10, secondaryCatchUpPeriodSecs: 5 });
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
