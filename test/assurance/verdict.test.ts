import { describe, expect, test } from 'vitest';
import { judge } from '../../src/assurance/judge.ts';
import type { Need } from '../../src/assurance/needs.ts';
import { requirements } from '../../src/assurance/requirements/index.ts';
import { loadConfig } from '../../src/config/load.ts';
import { jwtSecret } from '../support/app.ts';
import { everything, inputOf, keysOf, type Settings, settingsOf, waysOf, withBroken } from './profiles.ts';

const judged = (settings: Settings, facts: Parameters<typeof judge>[1] = []) => {
  const input = { ...inputOf(settings), jwtSecret };
  return judge(loadConfig({ arguments: input, env: {}, cwd: import.meta.dirname }).config, facts);
};

type Verdicts = ReturnType<typeof judged>;
const entryOf = ({ requirements: entries }: Verdicts, id: string) => entries.find(each => each.id === id)!;

/** The settings that differ. */
const changedKeys = (before: Settings, after: Settings) =>
  Object.keys(after).filter(key => JSON.stringify(before[key]) !== JSON.stringify(after[key]));

describe.each(waysOf)('$title', ({ requirement, way, others }) => {
  const settings = settingsOf(way, others);

  test('is met where all of its needs hold', () => {
    expect(entryOf(judged(settings), requirement.id)).toMatchObject({ state: 'met', fix: [] });
  });

  test.each(way.map((need): [string, Need] => [need.key, need]))('is not met without %s', (key, need) => {
    const broken = withBroken(settings, need);
    const [before, after] = [judged(settings), judged(broken)];
    const { state, fix } = entryOf(after, requirement.id);
    const path = key.replace('*', 'example');
    expect(state).toBe('unmet');
    // Another way may take fewer settings.
    if (others.length === 0) expect(fix.map(each => each.key)).toContain(path);
    else expect(fix).not.toEqual([]);

    // No entry changes that does not name what was set.
    const changed = changedKeys(settings, broken);
    const unconcerned = requirements.filter(each => !keysOf(each).some(named => changed.includes(named)));
    for (const { id } of unconcerned) expect(entryOf(after, id), id).toEqual(entryOf(before, id));
  });
});

test('the settings of a fix mend it', () => {
  const weak = judged({ ...everything, totp_tolerance_steps: 1 });
  for (const { id, fix } of weak.requirements.filter(each => each.fix.length > 0)) {
    const mended: Settings = {
      ...everything,
      ...Object.fromEntries(fix.map(({ key, write }) => [key, write])),
    };
    expect(entryOf(judged(mended), id), id).toMatchObject({ state: 'met' });
  }
});

describe('a requirement', () => {
  test('does not arise while its feature is off', () => {
    const off = judged({ ...everything, enable_sms_2fa: false, enable_oauth: false, enable_tokens: false });
    for (const id of ['asvs/6.6.2', 'asvs/6.8.1', 'asvs/9.2.4'])
      expect(entryOf(off, id)).toMatchObject({ state: 'not_arising', fix: [] });
  });

  test('falls on the host where the pages are its own', () => {
    const own = judged({ ...everything, enable_ui_router: false });
    expect(entryOf(own, 'asvs/6.2.6')).toMatchObject({ state: 'host', fix: [] });
    expect(own.levels['asvs-1']).toMatchObject({ host: 2 });
  });

  test('that needs emails is met by a mailer of the host', () => {
    const printed = { ...everything, 'email.backend': 'console', 'oauth.existing_email_policy': 'refuse' };
    expect(entryOf(judged(printed), 'asvs/6.3.7')).toMatchObject({
      state: 'unmet',
      fix: [{ key: 'email.backend', write: 'smtp' }],
    });
    expect(entryOf(judged(printed, ['mailer']), 'asvs/6.3.7')).toMatchObject({ state: 'met' });
  });

  test('that no configuration meets has no fix, and fails no level', () => {
    const verdicts = judged(everything);
    expect(entryOf(verdicts, 'asvs/10.3.5')).toMatchObject({ state: 'unmet', fix: [], tests: [] });
  });

  test('is in one count of each of its levels', () => {
    const { levels, requirements: entries } = judged(everything);
    for (const [level, counts] of Object.entries(levels)) {
      const here = entries.filter(each => (each.levels as string[]).includes(level));
      const byChoice = here.filter(({ state, fix }) => state === 'unmet' && fix.length === 0).length;
      const { applicable, met, not_arising, host, failing } = counts;
      expect(met + not_arising + host + failing + byChoice, level).toBe(applicable);
    }
  });
});
