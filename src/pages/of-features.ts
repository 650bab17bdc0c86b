import type { Config } from '../config/schema.ts';
import { everyFeature } from '../feature-parts.ts';

/** Returns what the templates know of optional capabilities. */
export const pageVariablesOf = (config: Config): Readonly<Record<string, unknown>> =>
  Object.assign({}, ...everyFeature.map(feature => feature.pages?.(config)));
