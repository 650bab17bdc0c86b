import { randomUUID } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inject } from 'vitest';
import { camelCase, fields } from '../../src/config/names.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import { eventNames } from '../../src/event-names.ts';
import { type App, signUp, startApp } from '../support/app.ts';
import type { Answer, Door, OperationName } from '../support/doors.ts';
import { strongSettings } from '../support/factors.ts';
import { featureTests } from '../support/feature-tests.ts';
import { baseUrl, type Oidc } from '../support/oidc.ts';
import { owner, type Prepare, type Site } from './site.ts';

/** An empty database, installed once for all tests of a worker: to install it takes longer than most operations. */
let installed: Promise<string> | undefined;

const urlOf = (file: string) => `sqlite+aiosqlite:///${file}`;

async function install(): Promise<string> {
  const file = join(await mkdtemp(join(inject('temporaryFolder'), 'installed-')), 'empty.db');
  await (await startApp({ databaseUrl: urlOf(file) })).close();
  return file;
}

/** Makes an empty database of one instance's own. */
async function copyInstalled() {
  installed ??= install();
  const file = await installed;
  const copy = join(dirname(file), `${randomUUID()}.db`);
  await copyFile(file, copy);
  return { url: urlOf(copy), drop: () => rm(copy) };
}

/** Opens an instance with every feature on, and an account in it. */
export async function open(oidc: Oidc, refuses: boolean, databaseUrl?: string): Promise<Site> {
  const limited: string[] = [];
  const state = { isRefusing: false };
  const limiter = {
    async consume(key: string, items: readonly { count: number }[]) {
      limited.push(key);
      return { allowed: !state.isRefusing, limit: items[0]!.count, remaining: 0, resetSeconds: 60 };
    },
  };
  const limits = fields
    .map(({ path: [name] }) => name!)
    .filter(name => name.endsWith('_rate_limit'))
    .map(name => [camelCase(name), '1000/hour']);
  const app = await startApp({
    limiter,
    databaseUrl,
    settings: {
      ...{ baseUrl, enableAdminRouter: true, enableSms2fa: true, enableOauth: true, enableMetrics: true },
      ...strongSettings,
      mailStore: 'database',
      ...featureTests.settings,
      ...(Object.fromEntries(limits) as ConfigInput),
      oauth: { ...oidc.settings, requireCodeChallenge: true },
    },
  });
  const acts: object[] = [];
  audited.set(app, acts);
  app.gatehouse.on('audit', ({ at, ...record }) => void acts.push(record));
  const member = await signUp(app, owner);
  state.isRefusing = refuses;
  limited.length = 0;
  return { app, member, limited, oidc };
}

/** Returns everything that happened, with what is random made the same. */
export async function effectsOf(site: Site, answer: Answer) {
  const { app, limited } = site;
  const metrics = (await app.gatehouse.metrics!.text())
    .split('\n')
    .filter(line => line.startsWith('gatehouse_operations_total'));
  // Work after the response, and mails, are done when it is closed.
  await app.gatehouse.close();
  const audit = audited.get(app);
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
        audit,
        limited,
        metrics,
        events: heard.get(app),
        // They leave several at a time, in no order.
        mails: app.mails.map(({ to, subject, text }) => [to, subject, text].join('\n')).toSorted(),
        texts: app.texts,
      }),
    ),
  );
}

const heard = new WeakMap<App, object[]>();
/** The audit records of each app, from its start. */
const audited = new WeakMap<App, object[]>();

export function listen(app: App): void {
  const events: object[] = [];
  heard.set(app, events);
  for (const name of eventNames) {
    if (name !== 'audit') app.gatehouse.on(name, event => void events.push({ name, event }));
  }
}

interface On {
  /** Whether everything is beyond its limit. */
  refuses?: boolean;
  /** A database without accounts; it is one of SQLite unless another is given. */
  databaseUrl?: string;
}

/** Returns the effects of a call in an instance of its own. */
export async function effectsThrough(
  door: Door,
  operation: OperationName,
  prepare: Prepare,
  oidc: Oidc,
  { refuses = false, databaseUrl }: On = {},
) {
  const database = databaseUrl === undefined ? await copyInstalled() : { url: databaseUrl, drop: null };
  const site = await open(oidc, refuses, database.url);
  const { input, token } = await prepare(site);
  listen(site.app);
  site.limited.length = 0;
  const answer = await door.at(site.app)(operation, input, token === undefined ? {} : { token });
  const effects = await effectsOf(site, answer);
  await site.app.close();
  await database.drop?.();
  return effects;
}
