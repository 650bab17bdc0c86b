import type { Parts } from './feature.ts';
import * as features from './features/index.ts';

/** Every feature there is, by its name. No other module of the core imports `src/features`. */
export type Features = typeof features;
type AnyFeature = Features[keyof Features];
export const everyFeature: readonly AnyFeature[] = Object.values(features);

type JoinedPart = Exclude<keyof Parts, 'jobs'>;

/** The intersection of the members of a union. */
export type All<T> = (T extends unknown ? (member: T) => void : never) extends (all: infer A) => void
  ? A
  : never;
type Joined<Part extends JoinedPart> = All<AnyFeature[Part]>;

/** Returns one part of every feature in one object, whose type has the members of each. */
const joined = <Part extends JoinedPart>(part: Part): Joined<Part> =>
  Object.assign({}, ...everyFeature.map(feature => feature[part]));

export const featureSettings = joined('settings');
export const featuresShown = joined('shown');
export const featureTables = joined('tables');
export const featureRepositories = joined('repositories');
export const featurePurges = joined('purges');
export const featureLimits = joined('limits');
export const featuresAsked = joined('asked');
export const featureMails = joined('mails');

/** What features derive of the configuration. */
export type FeaturesDerived = All<Returned<AnyFeature['derive']>>;
type Returned<F> = F extends (parsed: never) => infer R ? R : never;

/** A kind of stored jobs that a feature has. */
export type FeatureJob = AnyFeature['jobs'][number];
export const featureJobs: readonly FeatureJob[] = everyFeature.flatMap(({ jobs }) => jobs);

export { features };
