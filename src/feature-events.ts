import * as features from './features/events.ts';
import { joined } from './joined.ts';

type AnyEvents = (typeof features)[keyof typeof features];

/**
 * The events of every feature, with their arguments. They are apart from the other parts of features, because settings name
 * events.
 */
export const featureEvents = joined<AnyEvents>(Object.values(features));
