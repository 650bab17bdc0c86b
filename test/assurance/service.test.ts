import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { sha1Of } from '../../src/features/breached-passwords/filter.ts';
import { readCommonList } from '../support/common-passwords.ts';
import { type InstantProvider, startInstantProvider } from '../support/instant-provider.ts';
import { type Listening, listen } from '../support/listening.ts';
import { probes, type Surroundings } from './probes.ts';
import { everything, type Settings, settingsOf, waysOf, withBroken } from './profiles.ts';

// Each setting that a requirement needs matters to the service: what the requirement asks for is observed from outside with the
// settings, and is not there with any one of them broken. Without this, a setting that does nothing could be praised.

let provider: InstantProvider;
let ranges: Listening;
let surroundings: Surroundings;
beforeAll(async () => {
  provider = await startInstantProvider();
  const made = Array.from({ length: 3000 }, (_, i) => `well known from a breach ${i}`);
  const known = Map.groupBy([...(await readCommonList()), ...made].map(sha1Of), digest => digest.slice(0, 5));
  ranges = await listen((request, response) => {
    const digests = known.get(request.url!.split('/').at(-1)!.toUpperCase()) ?? [];
    response.end(digests.map(digest => `${digest.slice(5)}:3`).join('\r\n'));
  });
  surroundings = {
    provider,
    breachUrl: `${ranges.origin}/range`,
    newDatabase: () =>
      `sqlite:///${join(mkdtempSync(join(inject('temporaryFolder'), 'audience-')), 'svc.db')}`,
  };
});
afterAll(async () => {
  await ranges?.close();
  await provider?.close();
});

test('every requirement that needs settings is observed', () => {
  expect(Object.keys(probes).toSorted()).toEqual(
    [...new Set(waysOf.map(each => each.requirement.id))].toSorted(),
  );
});

/** The observations, because requirements share probes. */
const seen = new Map<unknown, Map<string, Promise<boolean>>>();
function observe(id: string, settings: Settings): Promise<boolean> {
  const probe = probes[id]!;
  const results = seen.get(probe) ?? new Map<string, Promise<boolean>>();
  seen.set(probe, results);
  const key = JSON.stringify(Object.entries(settings).toSorted());
  const result = results.get(key) ?? probe.has(settings, surroundings);
  results.set(key, result);
  return result;
}

/** Only what a probe looks at: the rest is as it is by default. */
const base: Settings = { ...everything, enable_tokens: false };

describe.each(waysOf)('$title', ({ requirement: { id }, way, others }) => {
  const settings = settingsOf(way, others, base);

  test('is so where all of its needs hold', async () => {
    expect(await observe(id, settings)).toBe(true);
  });

  test.each(way.map(need => ({ key: need.key, need })))('is not so without $key', async ({ need }) => {
    expect(await observe(id, withBroken(settings, need))).toBe(false);
  });
});
