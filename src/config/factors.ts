import type { Factor } from '../factor.ts';
import { everyFeature } from '../feature-parts.ts';
import type { Config } from './schema.ts';

/** The factors that features add, the strongest first, whether they are on or not. */
export const everyFactor: readonly Factor[] = everyFeature
  .flatMap(({ factor }) => factor ?? [])
  .toSorted((a, b) => b.strength - a.strength);

/** Returns the factors that a configuration switches on, the strongest first. */
export function factorsOf(config: Config): Factor[] {
  const on = everyFeature.filter(feature => feature.isOn(config)).map(({ factor }) => factor);
  return everyFactor.filter(factor => on.includes(factor));
}
