import type { Config } from '../config/schema.ts';
import type { ServerApi } from '../feature.ts';
import { everyFeature, type Features, features } from '../feature-parts.ts';
import type { HostRequests } from '../http/host-requests.ts';
import type { All } from '../joined.ts';
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

type MembersOf<F> = F extends { members: (host: HostRequests) => infer M } ? M : never;

/** The members of the server API that features have. */
export type FeatureMembers = All<MembersOf<NonNullable<OpenFeatures[keyof OpenFeatures]>>>;

type TestKitOf<F> = F extends { testKit: () => infer M } ? M : never;

/** The additions of features to the kit for tests of a host. */
export type FeatureTestKit = All<TestKitOf<NonNullable<OpenFeatures[keyof OpenFeatures]>>>;

/** Returns the members of features. Those of a feature that is off throw, and say which flag they need. */
export function membersOf(opened: readonly OpenFeature[], host: HostRequests): FeatureMembers {
  const off = everyFeature.flatMap(({ serverApi }) => (serverApi ? [withoutFlag(serverApi)] : []));
  const on = opened.flatMap(({ members }) => members?.(host) ?? []);
  return Object.assign({}, ...off, ...on);
}

function withoutFlag({ flag, members }: ServerApi): object {
  const missing = (name: string) => () => {
    throw new TypeError(`gatehouse.${name} needs ${flag} = true.`);
  };
  const memberOf = (name: string, functions: readonly string[] | null) =>
    functions ? Object.fromEntries(functions.map(each => [each, missing(`${name}.${each}`)])) : missing(name);
  return Object.fromEntries(
    Object.entries(members).map(([name, functions]) => [name, memberOf(name, functions)]),
  );
}
