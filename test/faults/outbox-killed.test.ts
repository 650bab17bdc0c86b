import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, type TestContext, test, vi } from 'vitest';
import { dataEncryptionKey, jwtSecret, password } from '../support/app.ts';
import { describeEachBackend } from '../support/backends.ts';
import { built } from '../support/built.ts';
import { startMailbox } from '../support/mailbox.ts';
import { Program } from '../support/program.ts';
import { startReceiver, webhookSecret } from '../support/webhooks.ts';
import { apiAt } from './support.ts';

vi.setConfig({ testTimeout: 300_000 });

/** Each process at least once. */
const kills = 2;
const processes = 2;
/** The clients of one process, each of which has one act under way. */
const clients = 3;
/** What a process has in flight, at most: emails, deliveries to one webhook, runs of one handler (CONTRACT §12.1). */
const inFlight = 4;
/** Longer than a lease and a poll, for a machine that is slow. */
const patience = { timeout: 120_000, interval: 100 };

/** Starts a host with a durable handler. */
async function startHost(env: Record<string, string>, { onTestFinished }: TestContext) {
  const cwd = await mkdtemp(join(inject('temporaryFolder'), 'host-'));
  const host = new Program([await built('durable-host')], { cwd, env });
  onTestFinished(() => host.kill());
  const [, origin] = await host.waitFor(/^listening on (\S+)$/m, 0, patience.timeout);
  return { host, api: `${origin}/api/auth` };
}

// Most of it is waiting for a lease to end, so the databases share that time.
describe.concurrent('on each database at once', () => {
  describeEachBackend(
    'processes that are killed while mails, webhooks and durable handlers are under way',
    backend => {
      test('lose nothing that they acknowledged, and do little of it twice', async context => {
        const { onTestFinished } = context;
        const database = await backend.lendDatabase();
        // Mails are on their way for a while, so that a kill hits some of them.
        const pause = () => new Promise<void>(resolve => setTimeout(resolve, Math.random() * 10));
        const mailbox = await startMailbox({ deliver: pause });
        onTestFinished(() => mailbox.close());
        const receiver = await startReceiver();
        onTestFinished(() => receiver.close());
        for (const path of ['/webhook', '/handler'])
          receiver.behave(path, async () => {
            await pause();
            return 204;
          });
        const env = {
          SVC_JWT_SECRET: jwtSecret,
          RECEIVER: receiver.origin,
          SVC_WEBHOOKS__CRM__URL: `${receiver.origin}/webhook`,
          SVC_WEBHOOKS__CRM__SECRET: webhookSecret,
          SVC_WEBHOOKS__CRM__EVENTS: 'verification_requested',
          SVC_DATABASE_URL: database.url,
          SVC_MAIL_STORE: 'database',
          SVC_DATA_ENCRYPTION_KEY: dataEncryptionKey,
          SVC_EMAIL__BACKEND: 'smtp',
          SVC_EMAIL__SMTP_HOST: mailbox.host,
          SVC_EMAIL__SMTP_PORT: String(mailbox.port),
          SVC_EMAIL__SMTP_STARTTLS: 'false',
        };
        const servers: Awaited<ReturnType<typeof startHost>>[] = [];
        for (let i = 0; i < processes; i++) servers.push(await startHost(env, context));

        const promised = new Set<string>();
        let isOver = false;
        let count = 0;
        /** The clients wait when so much is promised: the process that was killed takes a while to start again. */
        let enough = 0;
        /** One client of a process: it registers people, and asks for links for those whose registration waits. */
        async function flow(place: number): Promise<void> {
          while (!isOver) {
            if (promised.size > enough) {
              await pause();
              continue;
            }
            const email = `${count++}@example.org`;
            const { call, register } = apiAt(servers[place]!.api);
            const registered = await register(email).catch(() => null);
            if (registered?.status !== 201) {
              // Its process was killed, and the next one is starting.
              await pause();
              continue;
            }
            promised.add(`1 ${email}`);
            const resent = await call('POST', '/resend-verification', { email }).catch(() => null);
            if (resent?.status === 202) promised.add(`2 ${email}`);
          }
        }
        const flows = Array.from({ length: processes * clients }, (_, i) => flow(i % processes));
        for (let kill = 0; kill < kills; kill++) {
          const place = kill % processes;
          const until = promised.size + 10 + Math.random() * 20;
          enough = until + 20;
          await vi.waitFor(() => expect(promised.size).toBeGreaterThan(until), patience);
          await servers[place]!.host.kill();
          servers[place] = await startHost(env, context);
        }
        isOver = true;
        await Promise.all(flows);

        const links = () => {
          const tokens = new Map<string, string[]>();
          for (const { to, text } of mailbox.mails) {
            const token = /token=([\w-]+)/.exec(text ?? '')![1]!;
            tokens.set(to[0]!, [...(tokens.get(to[0]!) ?? []), token]);
          }
          return tokens;
        };
        // One mail for each acknowledged act; a second one of the same link is a duplicate.
        const missing = () => {
          const sent = links();
          return [...promised].filter(act => {
            const [number, email] = act.split(' ') as [string, string];
            return new Set(sent.get(email)).size < Number(number);
          });
        };
        await vi.waitFor(() => expect(missing()).toEqual([]), patience);
        const duplicates = [...links().values()].map(tokens => tokens.length - new Set(tokens).size);
        expect(duplicates.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(inFlight * kills);
        // The same holds for a webhook and a durable handler, each of which tells one delivery from another by its id.
        for (const path of ['/webhook', '/handler']) {
          const told = () => Map.groupBy(receiver.at(path), ({ event }) => String(event.data.email));
          const idsOf = (deliveries: { id: string }[] = []) => new Set(deliveries.map(({ id }) => id)).size;
          const untold = () => {
            const heard = told();
            return [...promised].filter(act => {
              const [number, email] = act.split(' ') as [string, string];
              return idsOf(heard.get(email)) < Number(number);
            });
          };
          await vi.waitFor(() => expect(untold()).toEqual([]), patience);
          const deliveries = receiver.at(path);
          const contents = new Set(deliveries.map(({ id, body }) => `${id} ${body}`)).size;
          expect(deliveries.length - contents).toBeLessThanOrEqual(inFlight * kills);
          // An act that is killed between its event and its mail is done again, with an event of the same id.
          expect(contents - idsOf(deliveries)).toBeLessThanOrEqual(clients * kills);
          // No event is delivered for an act that did not happen.
          const linked = links();
          expect([...told().keys()].filter(email => !linked.has(email))).toEqual([]);
        }
        // The latest link of somebody works, whichever process has sent it. A process may have been killed after it replaced a
        // link on a request that it did not acknowledge: then the next one is mailed when the lease of that task has ended.
        const { call } = apiAt(servers[0]!.api);
        const [email] = [...links()].at(-1)!;
        await vi.waitFor(async () => {
          const tokens = links().get(email)!;
          const answers = await Promise.all(
            tokens.map(token => call('POST', '/verify', { token, password }).then(({ status }) => status)),
          );
          expect(answers, email).toContain(200);
        }, patience);
        for (const { host } of servers) expect(await host.stop()).toBe(0);
        await database.drop();
      });
    },
    { only: ['sqlite', 'postgresql', 'mongodb'] },
  );
});
