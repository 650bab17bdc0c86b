import { environmentName } from '../../config/environment-name.ts';
import type { TogetherProblem } from '../../config/prefixes.ts';
import type { Given } from '../../feature.ts';

/** As the names of identity providers: the same in a file, a variable and a metric. */
const validName = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
const longestName = 50;

type Table = Record<string, unknown>;

/** Returns the problems of the `[webhooks.NAME]` tables that their schema does not find. */
export function problemsOf({ webhooks, mail_store: mailStore }: Given): TogetherProblem[] {
  if (typeof webhooks !== 'object' || webhooks === null) return [];
  const entries = Object.entries(webhooks as Record<string, Table>);
  const problems = entries.flatMap(([name, table]): TogetherProblem[] => {
    const path = ['webhooks', name];
    if (!validName.test(name) || name.length > longestName) {
      const message = `must have a name of at most ${longestName} lower-case letters, digits and single underscores that begins with a letter`;
      return [{ path, message }];
    }
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
