import type { Config } from '../config/schema.ts';
import { everyFeature } from '../feature-parts.ts';

/** Returns what the templates know of optional capabilities. */
export const pageVariablesOf = (config: Config): Readonly<Record<string, unknown>> =>
  Object.assign({}, ...everyFeature.map(feature => feature.pages?.(config)));

/** Returns the names of the pages of features that are on. */
export const featurePagesOf = (config: Config): string[] =>
  everyFeature.filter(feature => feature.isOn(config)).flatMap(({ ownPages = [] }) => ownPages);

export const everyFeaturePage: string[] = everyFeature.flatMap(({ ownPages = [] }) => ownPages);
