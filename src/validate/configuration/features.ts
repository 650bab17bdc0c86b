import type { Config } from '../../config/schema.ts';
import { everyFeature } from '../../feature-parts.ts';
import type { Storage } from '../../storage/open.ts';
import type { Finding, NamedFinding } from './finding.ts';

/** A loaded feature, with its checks. */
interface Checking {
  open: unknown;
  /** Checks what it has in the database. */
  check?(config: Config, storage: Storage): Promise<NamedFinding[]>;
  /** Checks what its settings refer to. A name of the core's own checks replaces what they say. */
  checkSettings?(config: Config): Promise<NamedFinding[]>;
}

/** Returns what the features that the configuration switches on find out, one after the other. */
async function findingsOf(
  config: Config,
  look: (feature: Checking) => Promise<NamedFinding[]> | undefined,
  of: 'settings' | 'database',
): Promise<NamedFinding[]> {
  const findings: NamedFinding[] = [];
  for (const feature of everyFeature) {
    if (feature.isOn(config)) findings.push(...((await look(await feature.load())) ?? []));
    else if (feature.whenOff?.of === of)
      findings.push({ name: feature.whenOff.name, finding: ['skip', feature.whenOff.text] });
  }
  return findings;
}

/** Checks what features have in the database, with the lines of those that are off. */
export const checkFeatures = (config: Config, storage: Storage): Promise<NamedFinding[]> =>
  findingsOf(config, feature => feature.check?.(config, storage), 'database');

/** Checks what the settings of features refer to: the findings by the name of what was checked. */
export async function checkFeatureSettings(config: Config): Promise<Partial<Record<string, Finding[]>>> {
  const named = Map.groupBy(
    await findingsOf(config, feature => feature.checkSettings?.(config), 'settings'),
    ({ name }) => name,
  );
  return Object.fromEntries([...named].map(([name, found]) => [name, found.map(({ finding }) => finding)]));
}
