import { environmentName } from '../../config/environment-name.ts';
import { isPlainName, needsPlainName } from '../../config/plain-names.ts';
import type { TogetherProblem } from '../../config/prefixes.ts';
import type { Given } from '../../feature.ts';

type Table = Record<string, unknown>;

/** Returns the problems of the `[webhooks.NAME]` tables that their schema does not find. */
export function problemsOf({ webhooks, mail_store: mailStore }: Given): TogetherProblem[] {
  if (typeof webhooks !== 'object' || webhooks === null) return [];
  const entries = Object.entries(webhooks as Record<string, Table>);
  const problems = entries.flatMap(([name, table]): TogetherProblem[] => {
    const path = ['webhooks', name];
    if (!isPlainName(name)) return [{ path, message: needsPlainName }];
    if (table.secret) return [];
    const variable = environmentName([...path, 'secret']);
    return [{ path, message: `needs a secret: set ${variable} in the environment or the secrets file` }];
  });
  if (entries.length > 0 && mailStore !== 'database') {
    const message = 'must be "database" with webhooks, which wait there for their delivery';
    problems.push({ path: ['mail_store'], message });
  }
  return problems;
}
