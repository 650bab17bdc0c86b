import type { ConfigInput } from '../../src/config/schema.ts';
import { everyFeature } from '../../src/feature-parts.ts';
import { type All, joined } from '../../src/joined.ts';
import type { Prepare } from '../doors/site.ts';
import * as features from '../features/index.ts';
import type { Operation } from './operations.ts';

/** What a feature has for the tests of every operation. */
interface FeatureTests {
  /** Its operations, as both doors have them. */
  operations: Record<string, Operation>;
  calls: Record<string, { good: Prepare; bad: Prepare | null }>;
  /** The settings of an app with everything switched on, if they are others than its sample. */
  settings?: ConfigInput;
  /** Those of its operations that anyone may call. */
  forAnyone?: readonly string[];
  /** Those of its operations that are not audited. */
  unaudited?: readonly string[];
}

type EveryFeature = (typeof features)[keyof typeof features];
const every: readonly FeatureTests[] = Object.values(features);

const of = <Part extends 'operations' | 'calls'>(part: Part): All<EveryFeature[Part]> =>
  joined<EveryFeature[Part]>(Object.values(features).map(each => each[part]));

/** The members that all of them have. */
export const featureTests = {
  operations: of('operations'),
  calls: of('calls'),
  settings: Object.assign(
    {},
    ...everyFeature.map(({ sample }) => sample),
    ...every.map(({ settings }) => settings),
  ) as ConfigInput,
  forAnyone: every.flatMap(({ forAnyone = [] }) => forAnyone),
  unaudited: every.flatMap(({ unaudited = [] }) => unaudited),
};
