import { fieldAt } from '../config/names.ts';
import type { Level, Need, Way } from './needs.ts';
import { passes } from './passes.ts';
import { requirements } from './requirements/index.ts';

/** A setting that a level needs and that is not so by default. */
export interface ProfileSetting extends Pick<Need, 'key' | 'is' | 'write'> {
  /** The requirements that need it. */
  ids: string[];
  /** Whether `write` is an example, because only the operator knows the value. */
  isExample: boolean;
}

/** Whether a new configuration has it by itself: by its default, or because there is nothing yet that it is about. */
function isByDefault({ key, is }: Need): boolean {
  if (key.includes('*')) return 'within' in is;
  const usual = fieldAt(key.split('.'))?.default;
  return usual === undefined ? 'noneOf' in is : passes(is, usual);
}

/**
 * Returns what a configuration of a level has to set. Of several ways it is the one that takes the fewest settings beside
 * those that other requirements need.
 */
export function profileOf(level: Level): ProfileSetting[] {
  const settings = new Map<string, ProfileSetting>();
  // A setting of a feature that is not there cannot be written.
  const exists = (key: string) => key.includes('*') || fieldAt(key.split('.')) !== undefined;
  const missingOf = (way: Way) => way.filter(need => exists(need.key) && !isByDefault(need));
  const add = (id: string, way: Way) => {
    for (const { key, is, write, isExample = false } of missingOf(way)) {
      const setting = settings.get(key) ?? { key, is, write, isExample, ids: [] };
      setting.ids.push(id);
      settings.set(key, setting);
    }
  };
  const ofLevel = requirements.filter(({ levels }) => levels.includes(level));
  const waysOf = ofLevel.flatMap(({ id, verdict }) =>
    'needs' in verdict ? [{ id, ways: verdict.needs }] : [],
  );
  for (const { id, ways } of waysOf) if (ways.length === 1) add(id, ways[0]!);
  for (const { id, ways } of waysOf.filter(each => each.ways.length > 1)) {
    const further = (way: Way) => missingOf(way).filter(({ key }) => !settings.has(key)).length;
    add(
      id,
      ways.reduce((least, way) => (further(way) < further(least) ? way : least)),
    );
  }
  return [...settings.values()];
}
