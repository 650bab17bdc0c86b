import type { ConfigInput } from '../../src/config/schema.ts';
import { everyFeature } from '../../src/feature-parts.ts';

/** Switches on every kind of authenticators that the project has. */
export const everyFactor: ConfigInput = Object.assign(
  {},
  ...everyFeature.map(({ factor, sample }) => factor && sample),
);
