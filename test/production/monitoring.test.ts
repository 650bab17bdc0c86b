import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, startApp } from '../support/app.ts';
import { storedSettings } from '../support/outbox.ts';
import { unheardWebhook } from '../support/webhooks.ts';

const folder = join(import.meta.dirname, '../../examples/production');

let app: App;
/** The type of each metric, by its name. */
let metrics: Map<string, string>;
beforeAll(async () => {
  app = await startApp({ settings: { ...storedSettings, ...unheardWebhook, enableMetrics: true } });
  const text = await app.gatehouse.metrics!.text();
  metrics = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name!, type!]));
});
afterAll(() => app?.close());

test.each(['alerts.yml', 'grafana-dashboard.json'])('%s asks only for metrics that there are', async file => {
  const text = await readFile(join(folder, file), 'utf8');
  const named = new Set(text.match(/gatehouse_\w+/g));
  expect(named.size).toBeGreaterThan(5);
  for (const series of named) {
    const name = series.replace(/_(bucket|count|sum)$/, '');
    expect([series, metrics.get(series) ?? metrics.get(name)]).toEqual([series, expect.any(String)]);
    if (name !== series) expect(metrics.get(name)).toBe('histogram');
  }
});

test('each alert has an expression, a severity, and says what to do', async () => {
  const text = await readFile(join(folder, 'alerts.yml'), 'utf8');
  const [, ...alerts] = text.split(/^\s+- alert: /m);
  expect(alerts.length).toBeGreaterThan(5);
  for (const alert of alerts) {
    for (const part of [/^\s+expr: \S/m, /severity: (warning|critical)/, /summary: \S/, /description: \S/])
      expect(alert).toMatch(part);
    // A rate is of a counter, and nothing else is.
    const expression = /^\s+expr: (.*)$/m.exec(alert)![1]!;
    const name = /gatehouse_\w+/.exec(expression)![0];
    const isCounted = /\b(rate|increase)\(/.test(expression);
    expect([name, isCounted]).toEqual([name, metrics.get(name) !== 'gauge']);
  }
});

test('every panel of the dashboard has a place of its own and asks the chosen data source', async () => {
  const { panels } = JSON.parse(await readFile(join(folder, 'grafana-dashboard.json'), 'utf8')) as {
    panels: { id: number; gridPos: object; datasource: { uid: string }; targets: { expr: string }[] }[];
  };
  const distinct = (values: unknown[]) => new Set(values.map(value => JSON.stringify(value))).size;
  expect(distinct(panels.map(({ id }) => id))).toBe(panels.length);
  expect(distinct(panels.map(({ gridPos }) => gridPos))).toBe(panels.length);
  expect(distinct(panels.map(({ datasource }) => datasource))).toBe(1);
  for (const { targets } of panels) expect(targets.length).toBeGreaterThan(0);
});
