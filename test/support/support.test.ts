import { MikroORM as SqliteOrm } from '@mikro-orm/sqlite';
import { createTransport } from 'nodemailer';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { executeOnPostgres, withMongo, withRedis } from './admin.ts';
import { type Backend, backends, describeEachBackend } from './backends.ts';
import { type Mailbox, startMailbox } from './mailbox.ts';
import { isMissing } from './needed.ts';
import { startPair } from './pair.ts';
import type { ServerName } from './projects.ts';
import { freePort } from './server-process.ts';
import { type ServerHandle, startMongo, startPostgres, startRedis } from './servers.ts';

/** Writes one row into a new table and tells how many there are; fails when the table is there already. */
async function useDatabase({ name }: Backend, url: string): Promise<unknown> {
  if (name.startsWith('sqlite')) {
    const dbName = url.replace('sqlite+aiosqlite:///', '');
    const orm = await SqliteOrm.init({ dbName, entities: [], discovery: { warnWhenNoEntities: false } });
    const connection = orm.em.getConnection();
    await connection.execute('create table probe (id integer)');
    await connection.execute('insert into probe values (1)');
    const rows = await connection.execute('select count(*) as count from probe');
    await orm.close();
    return rows[0]!.count;
  }
  if (name === 'postgresql') {
    const clientUrl = url.replace('+asyncpg', '');
    await executeOnPostgres(clientUrl, 'create table probe (id integer)');
    await executeOnPostgres(clientUrl, 'insert into probe values (1)');
    const rows = await executeOnPostgres(clientUrl, 'select count(*)::int as count from probe');
    return rows[0]!.count;
  }
  return withMongo(url, async client => {
    const probe = await client.db().createCollection('probe');
    await probe.insertOne({ id: 1 });
    return probe.countDocuments();
  });
}

describe('backends', () => {
  test('are five', () => {
    const names = ['sqlite', 'sqlite-memory', 'postgresql', 'mongodb', 'mongodb-replica'];
    expect(backends.map(({ name }) => name)).toEqual(names);
  });
});

describeEachBackend('a test database', backend => {
  test('is usable, and another one is fresh', async () => {
    for (let round = 0; round < 2; round += 1) {
      const database = await backend.createDatabase();
      expect(await useDatabase(backend, database.url)).toBe(1);
      await database.drop();
    }
  });

  test('is not shared with another one made at the same time', async () => {
    const databases = await Promise.all([backend.createDatabase(), backend.createDatabase()]);
    expect(await Promise.all(databases.map(({ url }) => useDatabase(backend, url)))).toEqual([1, 1]);
    await Promise.all(databases.map(database => database.drop()));
  });
});

/** Runs the same rules on each server that the tests can break. */
function describeServer(
  name: ServerName | 'redis',
  start: () => Promise<ServerHandle>,
  remember: (url: string) => Promise<unknown>,
  recall: (url: string) => Promise<unknown>,
): void {
  describe.skipIf(isMissing(name))(`a server of one's own (${name})`, () => {
    let server: ServerHandle;
    beforeAll(async () => {
      server = await start();
      await remember(server.url);
    });
    afterAll(() => server?.close());

    test('hangs while paused and goes on afterwards', async () => {
      server.pause();
      let answered = false;
      const answer = recall(server.url).then(value => {
        answered = true;
        return value;
      });
      await new Promise(resolve => setTimeout(resolve, 300));
      expect(answered).toBe(false);
      server.resume();
      expect(await answer).toBe('kept');
    });

    test('keeps its data and address through stop and start', async () => {
      await server.stop();
      await expect(recall(server.url)).rejects.toThrow();
      await server.start();
      expect(await recall(server.url)).toBe('kept');
    });

    test('keeps its data through kill and start, paused or not', async () => {
      await server.kill();
      await server.start();
      server.pause();
      await server.kill();
      await server.start();
      expect(await recall(server.url)).toBe('kept');
    });
  });
}

describeServer(
  'postgresql',
  startPostgres,
  url => executeOnPostgres(url, `create table kept as select 'kept' as value`),
  async url => (await executeOnPostgres(url, 'select value from kept'))[0]!.value,
);

// One of a replica set does all that one alone does, and more.
for (const replicaSet of inject('tier') === 'all' ? [false, true] : [true]) {
  // The default waits 30 s for a server that is not there.
  const impatient = (url: string) => `${url}${url.includes('?') ? '&' : '?'}serverSelectionTimeoutMS=700`;
  describeServer(
    replicaSet ? 'mongodb-replica' : 'mongodb',
    () => startMongo({ replicaSet }),
    url =>
      withMongo(impatient(url), client =>
        client
          .db('test')
          .collection('kept')
          .insertOne({ value: 'kept' }, { writeConcern: { w: 1, j: true } }),
      ),
    async url =>
      withMongo(impatient(url), async client => {
        const document = await client.db('test').collection('kept').findOne();
        return document?.value;
      }),
  );
}

describeServer(
  'redis',
  startRedis,
  url => withRedis(url, client => client.set('value', 'kept')),
  url => withRedis(url, client => client.get('value')),
);

describe('the mailbox', () => {
  const mail = {
    from: 'Gatehouse <noreply@example.com>',
    to: 'ada@example.com',
    subject: 'Grüße – bestätige bitte die Adresse, die zu deinem neuen Konto gehört ✓',
    text: `Zeile eins mit ä\n\nhttps://example.com/verify?token=${'x'.repeat(100)}\n.\n`,
    html: '<p>Größe = 1</p>',
  };
  let mailbox: Mailbox;
  beforeEach(async () => {
    mailbox = await startMailbox();
  });
  afterEach(() => mailbox.close());

  const send = (message: object = mail, timeoutMs = 5000) =>
    createTransport({ host: mailbox.host, port: mailbox.port, socketTimeout: timeoutMs }).sendMail(message);

  test('collects a mail with its parts decoded', async () => {
    const arrival = mailbox.waitFor(({ to }) => to.includes('ada@example.com'));
    await send();
    const { subject, text, html } = mail;
    expect(await arrival).toMatchObject({ from: 'noreply@example.com', subject, html });
    expect((await arrival).text.trim()).toBe(text.trim());
    expect(await mailbox.waitFor(({ subject }) => subject.startsWith('Grüße'))).toBe(mailbox.mails[0]);
  });

  test('decodes base64 and mails that have only one part', async () => {
    const { html, ...plain } = mail;
    await send({ ...plain, textEncoding: 'base64' });
    expect(mailbox.mails[0]!.text.trim()).toBe(mail.text.trim());
    expect(mailbox.mails[0]!.html).toBe('');
  });

  test('says what did arrive when the awaited mail does not', async () => {
    await send();
    await expect(mailbox.waitFor(() => false, 50)).rejects.toThrow(/no such mail in 50 ms among.*Grüße/);
  });

  test('rejects as often as told, then accepts', async () => {
    mailbox.behave({ reject: 451, times: 2 });
    await expect(send()).rejects.toMatchObject({ responseCode: 451 });
    await expect(send()).rejects.toMatchObject({ responseCode: 451 });
    await send();
    expect(mailbox.attempts).toBe(3);
    expect(mailbox.mails).toHaveLength(1);
  });

  test('rejects for good', async () => {
    mailbox.behave({ reject: 550 });
    await expect(send()).rejects.toMatchObject({ responseCode: 550 });
    await expect(send()).rejects.toMatchObject({ responseCode: 550 });
  });

  test('hangs', async () => {
    mailbox.behave('hang');
    await expect(send(mail, 200)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  });
});

describe('the mailbox with TLS and credentials', () => {
  const auth = { user: 'ada', pass: 'secret' };
  let mailbox: Mailbox;
  beforeAll(async () => {
    mailbox = await startMailbox({ auth, startTls: true });
  });
  afterAll(() => mailbox?.close());

  const verify = (options: object) =>
    createTransport({ host: mailbox.host, port: mailbox.port, requireTLS: true, ...options }).verify();

  test('accepts the right credentials from a client that trusts its certificate', async () => {
    await expect(verify({ auth, tls: { ca: mailbox.certificate } })).resolves.toBe(true);
  });

  test('refuses wrong credentials', async () => {
    const wrong = { auth: { ...auth, pass: 'guess' }, tls: { ca: mailbox.certificate } };
    await expect(verify(wrong)).rejects.toMatchObject({ responseCode: 535 });
  });

  test('is not trusted by chance', async () => {
    await expect(verify({ auth })).rejects.toThrow(/self-signed/);
  });
});

describe('a pair of processes', () => {
  test('that does not start leaves neither a process nor a database', async () => {
    const [backend] = backends;
    const dropped: string[] = [];
    const watched: Backend = {
      ...backend!,
      async lendDatabase() {
        const database = await backend!.lendDatabase();
        return { ...database, drop: () => database.drop().then(() => void dropped.push(database.url)) };
      },
    };
    // Only one of them gets the port.
    const port = await freePort();
    await expect(startPair(watched, { SVC_PORT: String(port) })).rejects.toThrow();
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
    expect(dropped).toHaveLength(1);
  });
});
