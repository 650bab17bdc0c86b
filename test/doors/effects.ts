import { vi } from 'vitest';
import { camelCase, fields } from '../../src/config/names.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import { eventNames } from '../../src/event-names.ts';
import type { Metrics } from '../../src/observability/metrics.ts';
import { type App, signUp, startApp } from '../support/app.ts';
import type { Answer, Door, OperationName } from '../support/doors.ts';
import { featureTests } from '../support/feature-tests.ts';
import { baseUrl, type Oidc } from '../support/oidc.ts';
import { removeRows, rowsIn } from '../support/rows.ts';
import { createSqliteFile } from '../support/sqlite.ts';
import { strongSettings } from '../support/strong.ts';
import { type Given, owner, type Prepare, type Site } from './site.ts';

/** An instance with every feature on, and what has happened in it since it was last listened to. */
interface Stage {
  app: App;
  /** Of its database. */
  url: string;
  limited: string[];
  acts: object[];
  events: object[];
  /** What was counted in metrics: operation and outcome. */
  counted: string[];
  /** Whether everything is beyond its limit. */
  isRefusing: boolean;
  /** The tables that have rows as soon as it is open. */
  kept: string[];
  openedAt: number;
}

/** A site on a stage. */
export interface StagedSite extends Site {
  stage: Stage;
}

interface On {
  /** Whether everything is beyond its limit. */
  refuses?: boolean;
  /** The database of a server; it is one of SQLite unless another is given. */
  databaseUrl?: string;
}

/**
 * Returns what opens a site with an account in it, at each call. The sites of a database are in one instance, because to open
 * one takes longer than most operations; it is emptied in between, so that nothing of another call is among the effects of one.
 */
export function openSites(oidc: Oidc, more: ConfigInput = {}) {
  const stages = new Map<string | undefined, Promise<Stage>>();

  async function open({ refuses = false, databaseUrl }: On = {}): Promise<StagedSite> {
    const opening = stages.get(databaseUrl) ?? openStage(oidc, more, databaseUrl);
    stages.set(databaseUrl, opening);
    const stage = await opening;
    await empty(stage);
    const { app, limited } = stage;
    const member = await signUp(app, owner);
    stage.isRefusing = refuses;
    listen({ stage });
    return { app, member, limited, oidc, stage };
  }

  return {
    open,
    /** Returns the effects of a call on a site of its own. */
    async through(door: Door, operation: OperationName, prepare: Prepare, on: On = {}) {
      const site = await open(on);
      return effectsThrough(door, site, operation, await prepare(site));
    },
    async close() {
      for (const stage of stages.values()) await (await stage).app.close();
      stages.clear();
    },
  };
}

/** Returns the effects of a call on this site. */
export async function effectsThrough(
  door: Door,
  site: StagedSite,
  operation: OperationName,
  { input, token }: Given,
) {
  listen(site);
  const answer = await door.at(site.app)(operation, input, token === undefined ? {} : { token });
  return effectsOf(site, answer);
}

async function openStage(oidc: Oidc, more: ConfigInput, databaseUrl?: string): Promise<Stage> {
  const limited: string[] = [];
  const limiter = {
    async consume(key: string, items: readonly { count: number }[]) {
      limited.push(key);
      return { allowed: !stage.isRefusing, limit: items[0]!.count, remaining: 0, resetSeconds: 60 };
    },
  };
  const limits = fields
    .map(({ path: [name] }) => name!)
    .filter(name => name.endsWith('_rate_limit'))
    .map(name => [camelCase(name), '1000/hour']);
  const url = databaseUrl ?? (await createSqliteFile()).url;
  const app = await startApp({
    limiter,
    databaseUrl: url,
    // Messages and work after the response are effects, too.
    settles: true,
    settings: {
      ...{ baseUrl, enableAdminRouter: true, enableSms2fa: true, enableOauth: true, enableMetrics: true },
      ...strongSettings,
      mailStore: 'database',
      ...featureTests.settings,
      ...(Object.fromEntries(limits) as ConfigInput),
      oauth: { ...oidc.settings, requireCodeChallenge: true },
      ...more,
    },
  });
  const stage: Stage = {
    ...{ app, url, limited, acts: [], events: [], counted: [], isRefusing: false },
    kept: Object.keys(await rowsIn(url)),
    openedAt: app.clock.now().getTime(),
  };
  // Heard rather than read: to write the text of all metrics takes longer than most operations.
  const metrics = app.gatehouse.metrics as Metrics;
  const { operation: count } = metrics;
  vi.spyOn(metrics, 'operation').mockImplementation((operation, outcome, seconds) => {
    stage.counted.push(`${operation} ${outcome}`);
    count(operation, outcome, seconds);
  });
  app.gatehouse.on('audit', ({ at, ...record }) => void stage.acts.push(record));
  for (const name of eventNames) {
    if (name !== 'audit') app.gatehouse.on(name, event => void stage.events.push({ name, event }));
  }
  return stage;
}

/** Makes a stage as it was when it was opened. */
async function empty(stage: Stage): Promise<void> {
  const { app, openedAt } = stage;
  await removeRows(stage.url, stage.kept);
  app.clock.advance(openedAt - app.clock.now().getTime());
  stage.isRefusing = false;
}

/** Forgets what has happened on the way to the call. */
export function listen({ stage: { app, acts, events, counted, limited } }: Pick<StagedSite, 'stage'>): void {
  for (const list of [acts, events, counted, limited, app.mails, app.texts]) list.length = 0;
}

/** Returns everything that happened, with what is random made the same. */
export function effectsOf({ app, limited, stage }: StagedSite, answer: Answer) {
  const seen = new Map<string, string>();
  const alike = (text: string) =>
    text
      .replace(/(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>')
      .replace(/("hint":")[^"]+/g, '$1<hint>')
      .replace(/("request_id":")[^"]+/g, '$1<request>')
      .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, id => {
        seen.set(id, seen.get(id) ?? `<id ${seen.size + 1}>`);
        return seen.get(id)!;
      })
      .replace(/[\w-]{43}(?![\w-])/g, '<random>')
      .replace(/code: \d{6}\b/g, 'code: <code>');
  const { ok } = answer;
  return JSON.parse(
    alike(
      JSON.stringify({
        outcome: ok ? 'ok' : answer.code,
        audit: stage.acts,
        limited,
        metrics: stage.counted,
        events: stage.events,
        // They leave several at a time, in no order.
        mails: app.mails.map(({ to, subject, text }) => [to, subject, text].join('\n')).toSorted(),
        texts: app.texts,
      }),
    ),
  );
}
