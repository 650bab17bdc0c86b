import type { Config } from '../config/schema.ts';
import { camelCase } from '../names.ts';
import {
  type Condition,
  type Fact,
  type Level,
  levelNames,
  type Need,
  type Setting,
  type Way,
} from './needs.ts';
import { passes } from './passes.ts';
import { requirements } from './requirements/index.ts';

/** A value and its place in the configuration, with which a requirement is met. */
export interface Fix {
  /** The path of a field in the configuration file: `oauth.enforce_mfa`. */
  key: string;
  write: Setting;
}

/**
 * How a configuration stands to one requirement: it is met, or it is not; it does not apply to Gatehouse at all, or does not
 * arise in this configuration; or it falls on the pages or guards of the host.
 */
export type State = 'met' | 'unmet' | 'not_applicable' | 'not_arising' | 'host';

export interface Judged {
  id: string;
  /** Every level that asks for it. */
  levels: Level[];
  state: State;
  /** Its demand in our words. */
  words: string;
  /** The settings that would mend it; empty where none would. */
  fix: Fix[];
  /** The tests that show that it is met: `file: title`, below the folder of tests. */
  tests: string[];
}

/** The requirements of a level, counted. Those that no setting meets are in `applicable` alone. */
export interface LevelCounts {
  applicable: number;
  met: number;
  not_arising: number;
  /** Those that fall on the host. */
  host: number;
  /** Those that a setting would mend. */
  failing: number;
}

/** The standards that are judged by, under what the ids of their requirements begin with. */
const standards = { asvs: 'OWASP ASVS 5.0.0', '63b': 'NIST SP 800-63B-4' } as const;

/** Which requirements a configuration meets. */
export interface Assurance {
  standards: Readonly<Record<keyof typeof standards, string>>;
  levels: Record<Level, LevelCounts>;
  requirements: Judged[];
}

/** Returns which requirements a configuration meets. @param facts the parts that the host gives */
export function judge(config: Config, facts: readonly Fact[] = []): Assurance {
  const judged = requirements.map(({ id, levels, words, verdict, arises, host }): Judged => {
    const shown = 'always' in verdict ? verdict.always : 'needs' in verdict ? verdict.shown : { tests: [] };
    const as = (state: State, fix: Fix[] = []): Judged => ({
      ...{ id, levels: [...levels], state, words, fix, tests: [...shown.tests] },
    });
    if ('not' in verdict) return as('not_applicable');
    if (arises && !arises.some(condition => holds(condition, config))) return as('not_arising');
    if ('unmet' in verdict) return as('unmet');
    if ('needs' in verdict) {
      const fix = fixOf(verdict.needs, config, facts);
      if (fix.length > 0) return as('unmet', fix);
    }
    return as(host && !holds(host, config) ? 'host' : 'met');
  });
  const counts = levelNames.map((level): [Level, LevelCounts] => {
    const here = judged.filter(({ levels, state }) => levels.includes(level) && state !== 'not_applicable');
    const count = (state: State) => here.filter(each => each.state === state).length;
    const failing = here.filter(isFailing).length;
    return [
      level,
      {
        ...{ applicable: here.length, met: count('met'), not_arising: count('not_arising') },
        ...{ host: count('host'), failing },
      },
    ];
  });
  return { standards, levels: Object.fromEntries(counts) as Assurance['levels'], requirements: judged };
}

/** Returns whether a setting would mend it. */
export const isFailing = ({ state, fix }: Judged) => state === 'unmet' && fix.length > 0;

/** Returns what is to be written, by the way for which that is the least; nothing where one holds. */
function fixOf(ways: readonly Way[], config: Config, facts: readonly Fact[]): Fix[] {
  const fixes = ways.map(way => way.flatMap(need => missing(need, config, facts)));
  return fixes.reduce((least, each) => (each.length < least.length ? each : least));
}

function missing({ key, is, write, orFact, when }: Need, config: Config, facts: readonly Fact[]): Fix[] {
  if (orFact && facts.includes(orFact)) return [];
  if (when && !holds(when, config)) return [];
  const value = typeof write === 'object' ? (valuesAt(write.from, config)[0]![1] as Setting) : write;
  return valuesAt(key, config).flatMap(([path, given]) =>
    passes(is, given) ? [] : [{ key: path, write: value }],
  );
}

const holds = ({ key, is }: Condition, config: Config) =>
  valuesAt(key, config).every(([, value]) => passes(is, value));

/** Returns the values at a path, each with its own path: several where the configuration chooses a name in it. */
function valuesAt(key: string, config: Config): [path: string, value: unknown][] {
  return key.split('.').reduce<[string, unknown][]>(
    (found, name) =>
      found.flatMap(([path, value]) => {
        const table = (value ?? {}) as Record<string, unknown>;
        const names = name === '*' ? Object.keys(table) : [name];
        return names.map((each): [string, unknown] => [
          path === '' ? each : `${path}.${each}`,
          table[name === '*' ? each : camelCase(each)],
        ]);
      }),
    [['', config]],
  );
}
