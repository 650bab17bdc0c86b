import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withMongo } from '../support/admin.ts';
import { type App, type Member, signUp, startApp } from '../support/app.ts';
import { isMissing } from '../support/needed.ts';
import { freePort } from '../support/server-process.ts';
import { type ServerHandle, startMongo } from '../support/servers.ts';

describe.skipIf(isMissing('mongodb-replica'))('a replica set without a majority', () => {
  let server: ServerHandle;
  let app: App;
  let member: Member;
  beforeAll(async () => {
    server = await startMongo({ replicaSet: true });
    app = await startApp({ databaseUrl: server.url.replace('/?', '/svc?') });
    member = await signUp(app);
  });
  afterAll(async () => {
    await app?.close();
    await server?.close();
  });

  /** Gives the set these members beside its first, whether they are there or not. */
  const regroup = (...others: string[]) =>
    withMongo(server.url, async client => {
      const admin = client.db('admin');
      const { config } = await admin.command({ replSetGetConfig: 1 });
      config.version++;
      config.members = [config.members[0], ...others.map((host, i) => ({ _id: i + 1, host, priority: 0 }))];
      // So long that the primary does not step down within the test.
      config.settings.electionTimeoutMillis = 600_000;
      await admin.command({ replSetReconfig: config, force: true });
    });

  test('refuses no token for a logout that the next primary may not know of', async () => {
    // The other members are cut off: what this primary still takes is rolled back once another is elected, and a
    // token that was refused meanwhile would be accepted again.
    const { token } = member;
    await regroup(`127.0.0.1:${await freePort()}`);
    expect((await app.rest('POST', '/logout', undefined, { token })).status).toBe(503);
    expect((await app.rest('GET', '/me', undefined, { token })).status).toBe(503);

    await regroup();
    await signUp(app);
    expect((await app.rest('GET', '/me', undefined, { token })).status).toBe(401);
  });
});
