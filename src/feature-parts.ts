import type { Parts } from './feature.ts';
import * as features from './features/index.ts';
import { type All, joined } from './joined.ts';

/** Every feature there is, by its name. No other module of the core imports `src/features`. */
export type Features = typeof features;
type AnyFeature = Features[keyof Features];
export const everyFeature: readonly AnyFeature[] = Object.values(features);

type JoinedPart = Exclude<keyof Parts, 'jobs'>;

/** Returns one part of every feature in one object, whose type has the members of each. */
const every = <Part extends JoinedPart>(part: Part): All<AnyFeature[Part]> =>
  joined<AnyFeature[Part]>(everyFeature.map(feature => feature[part]));

export const featureSettings = every('settings');
export const featuresShown = every('shown');
export const featureTables = every('tables');
export const featureRepositories = every('repositories');
export const featurePurges = every('purges');
export const featureLimits = every('limits');
export const featuresAsked = every('asked');
export const featureMails = every('mails');

/** The values that features derive from the configuration. */
export type FeaturesDerived = All<Returned<AnyFeature['derive']>>;
type Returned<F> = F extends (parsed: never) => infer R ? R : never;

/** A kind of stored jobs that a feature has. */
export type FeatureJob = AnyFeature['jobs'][number];
export const featureJobs: readonly FeatureJob[] = everyFeature.flatMap(({ jobs }) => jobs);

export { features };
