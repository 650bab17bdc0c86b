import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventNames } from '../../src/event-names.ts';
import { Refusal } from '../../src/index.ts';
import { type App, startApp } from '../support/app.ts';
import { describeStory, type TestDatabase } from '../support/backends.ts';
import { doorsOn } from '../support/doors.ts';
import { askedHost } from '../support/hooks.ts';
import { removeRows, rowsIn } from '../support/rows.ts';
import { strong } from '../support/strong.ts';
import { acts } from './hook-acts.ts';

// A host that is asked before each act (CONTRACT §15.4), through both doors: what it is asked, and what is left when it
// does not allow it.

/** What may change while somebody is refused: attempts are counted, and what proves a person is used up. */
type Rows = Awaited<ReturnType<typeof rowsIn>>;

describeStory(
  'hooks',
  backend => {
    const host = askedHost();
    let database: TestDatabase;
    let app: App;
    const events: string[] = [];
    /** The tables that have rows as soon as it is open. */
    let kept: string[];
    beforeAll(async () => {
      database = await backend.lendDatabase();
      const { url: databaseUrl } = database;
      // A mail of one test must not be among the traces of the next.
      app = await startApp({ databaseUrl, settings: strong, hooks: host.hooks, settles: true });
      for (const name of eventNames) {
        if (name !== 'audit') app.gatehouse.on(name, () => void events.push(name));
      }
      kept = Object.keys(await rowsIn(databaseUrl));
    });
    // Every row is read before and after most of the acts.
    beforeEach(async () => {
      host.reset();
      await removeRows(database.url, kept);
    });
    afterAll(async () => {
      await app?.close();
      await database?.drop();
    });

    /** Everything that an act could leave. */
    async function traces(spends: string[] = []) {
      const rows: Rows = await rowsIn(database.url);
      for (const table of spends) delete rows[table];
      return { rows, mails: app.mails.length, texts: app.texts.length, events: [...events] };
    }

    const auditOf = (act: string) =>
      app.logs.flatMap(({ message, fields }) =>
        message === 'audit' && (fields as { act: string }).act === act ? [fields] : [],
      );

    describe.each(doorsOn(backend))('through $name', door => {
      test.each(Object.entries(acts))('%s is asked about once, and done', async (_, act) => {
        const { input, token, asked } = await act.prepare(app);
        host.reset();
        const answer = await door.at(app)(act.operation, input, token === undefined ? {} : { token });
        expect(answer).toMatchObject(act.fails ? { ok: false, code: act.fails } : { ok: true });
        expect(host.asked).toEqual([[act.hook, expect.anything()]]);
        expect(host.asked[0]![1]).toMatchObject(asked);
        expect(Object.keys(host.asked[0]![1]).toSorted()).toEqual(Object.keys(asked).toSorted());
      });

      test.each(Object.entries(acts))('%s is refused, and nothing is stored or sent', async (_, act) => {
        const { input, token, asked } = await act.prepare(app);
        host.reset();
        host.answer(() => {
          throw new Refusal('Not on a Sunday.');
        });
        const before = await traces(act.spends);
        const records = auditOf(act.operation).length;
        const answer = await door.at(app)(act.operation, input, token === undefined ? {} : { token });
        expect(answer).toEqual({ ok: false, code: 'refused_by_host', status: 403 });
        expect(host.asked).toHaveLength(1);
        expect(await traces(act.spends)).toEqual(before);
        const subject = 'user' in asked ? (asked.user as { id: string }).id : null;
        expect(auditOf(act.operation).slice(records)).toEqual([
          expect.objectContaining({ outcome: 'refused', reason: 'refused_by_host', subject }),
        ]);
      });

      test.each(Object.entries(acts))('%s fails when the hook does, which is logged', async (_, act) => {
        for (const isLate of [false, true]) {
          const { input, token } = await act.prepare(app);
          const before = await traces(act.spends);
          host.answer(() => {
            if (isLate) return new Promise(() => {});
            throw new Error('the directory of the host is away');
          });
          const logged = app.logs.length;
          const asked = host.whenAsked();
          const asking = door.at(app)(act.operation, input, token === undefined ? {} : { token });
          await asked;
          // One that throws has failed already; the other is not awaited.
          if (isLate) app.clock.advance(2000);
          expect(await asking).toMatchObject({ ok: false, code: 'unavailable', status: 503, retryAfter: 1 });
          host.reset();
          expect(await traces(act.spends)).toEqual(before);
          const failures = app.logs.slice(logged).filter(({ level }) => level === 'error');
          expect(failures).toEqual([
            {
              level: 'error',
              message: 'a hook failed, so what it was asked about is refused',
              fields: { hook: act.hook, err: expect.any(Error) },
            },
          ]);
          const { err } = failures[0]!.fields as { err: Error };
          expect(err.message).toBe(
            isLate ? 'it took more than 2000 ms' : 'the directory of the host is away',
          );
        }
      });
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);
