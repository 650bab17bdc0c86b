import type { Config } from '../../config/schema.ts';
import type { Storage } from '../../storage/open.ts';
import { type Finding, type NamedFinding, reasonOf } from '../../validate/configuration/finding.ts';

/** Returns a finding for each webhook: where it leads, what it gets, and whether it was switched off. */
export const check = async (config: Config, storage: Storage): Promise<NamedFinding[]> =>
  (await findingsOf(config, storage)).map(finding => ({ name: 'webhook', finding }));

async function findingsOf({ webhooks }: Config, { repositories }: Storage): Promise<Finding[]> {
  const configured = Object.entries(webhooks);
  try {
    const states = new Map((await repositories.webhook_endpoints.list()).map(row => [row.id, row]));
    return configured.map(([name, { url, events }]): Finding => {
      const { offAt, offReason, failingSince } = states.get(name) ?? {};
      if (offAt) {
        const remedy = `after the cause is mended: svc webhook enable ${name}, then svc webhook replay ${name}`;
        return ['warn', `${name} was switched off at ${offAt.toISOString()}: ${offReason}; ${remedy}`];
      }
      if (failingSince) {
        return [
          'warn',
          `${name} has taken nothing since ${failingSince.toISOString()}: svc webhook test ${name}`,
        ];
      }
      const what = events.length === 0 ? 'every event' : events.join(', ');
      return ['ok', `${name} gets ${what} at ${new URL(url).origin}`];
    });
  } catch (error) {
    return [['fail', reasonOf(error)]];
  }
}
