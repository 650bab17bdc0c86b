import { type Command, Option } from 'commander';
import { CommandError } from '../../cli/errors.ts';
import { withPart } from '../../cli/instance.ts';
import { print, unwritable } from '../../cli/output.ts';
import { type FileOptions, withFiles } from '../../cli/settings.ts';
import { addressIn } from './selection.ts';
import type { AuditRecordView } from './views.ts';

interface AuditOptions extends FileOptions {
  actor?: string;
  subject?: string;
  operation?: string;
  outcome?: string;
  since?: string;
  until?: string;
  json?: boolean;
}

/** Adds `svc audit`. */
export function addCommands(program: Command): void {
  withFiles(program.command('audit'))
    .description('print audit records, newest first; the look itself is recorded')
    .option(
      '--actor <who>',
      'only acts of this user, by id or address, or of this user of the operating system',
    )
    .option('--subject <who>', 'only acts that concerned this user, by id or address')
    .option('--operation <name>', 'only acts of this operation: login, adminDeleteUser')
    .addOption(
      new Option('--outcome <outcome>', 'only acts that ended so').choices(['ok', 'refused', 'failed']),
    )
    .option('--since <time>', 'only records of this time or later: 2026-01-31, or 2026-01-31T12:00:00Z')
    .option('--until <time>', 'only records of before this time')
    .option('--json', 'print a JSON object for each record')
    .action(({ actor, subject, operation, outcome, since, until, json = false, ...files }: AuditOptions) =>
      withAudit(files, async (audit, { repositories }) => {
        const times = { since: momentOf(since), until: momentOf(until) };
        const pages = await audit.search({ actor, subject, operation, outcome, ...times });
        let isEmpty = true;
        for await (const records of pages) {
          isEmpty = false;
          const lines = records.map(record => (json ? JSON.stringify(record) : lineOf(record)));
          const failure = await print(`${lines.join('\n')}\n`);
          if (failure === 'EPIPE') return;
          if (failure) throw new CommandError(`The records are not complete: ${unwritable(failure)}.`);
        }
        if (!isEmpty || json) return;
        console.log('No record matches.');
        for (const who of [actor, subject]) {
          const email = who === undefined ? null : addressIn(who);
          if (email === null || (await repositories.users.findByEmail(email))) continue;
          console.log(
            `There is no account with the address ${email}; records of a deleted account have its id.`,
          );
        }
      }),
    );
}

const withAudit = withPart(
  ({ features }) => features.auditStore?.operator,
  'Audit records are in the log of the service: set audit_store = "database" to keep them in the database.',
);

/** A day begins at midnight, UTC. */
const momentOf = (text: string | undefined) =>
  text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text;

function lineOf({ id, at, operation, by, actor, subject, outcome, ...record }: AuditRecordView): string {
  const { code, changes, count, ip } = record;
  const details = [
    `by ${actor === null ? by : `${by} ${actor}`}`,
    ...(subject === null || subject === actor ? [] : [`on ${subject}`]),
    ...(changes ? [`changes ${changes.join(' ')}`] : []),
    ...(ip === null ? [] : [`from ${ip}`]),
    ...(count > 1 ? [`${count} times`] : []),
  ];
  return `${id}  ${at}  ${operation}: ${code === null ? outcome : `${outcome} (${code})`}, ${details.join(', ')}`;
}
