import * as features from './features/errors.ts';
import { joined } from './joined.ts';

type AnyErrors = (typeof features)[keyof typeof features];

/** The error codes of every feature. They are apart from the other parts of features, because settings are read with errors. */
export const featureErrors = joined<AnyErrors>(Object.values(features));
