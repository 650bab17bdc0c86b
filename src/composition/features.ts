import type { Config } from '../config/schema.ts';
import { type Features, features } from '../feature-parts.ts';
import type { FeatureParts, OpenFeature } from './open-feature.ts';

/** The features that a configuration switches on, by their names. */
export type OpenFeatures = {
  readonly [Name in keyof Features]?: Awaited<
    ReturnType<Awaited<ReturnType<Features[Name]['load']>>['open']>
  >;
};

/** Step three: the optional capabilities, over the rules. One that is off is not loaded. */
export async function openFeatures(config: Config, parts: FeatureParts): Promise<OpenFeatures> {
  const opened: [name: string, feature: OpenFeature][] = [];
  for (const [name, feature] of Object.entries(features)) {
    if (!feature.isOn(config)) continue;
    const { open } = await feature.load();
    opened.push([name, await open(parts)]);
  }
  return Object.fromEntries(opened) as OpenFeatures;
}
