import type { Command } from 'commander';
import { createReport } from './check-report.ts';
import { CommandError } from './errors.ts';
import {
  addProbeOptions,
  type ProbeChoices,
  probeDeployment,
  probeOptionNames,
  timeoutOf,
  toUrl,
} from './probe.ts';

interface CheckOptions extends ProbeChoices {
  account?: boolean;
  json?: boolean;
}

/** The options that have a meaning without an account, too. */
const always: readonly string[] = ['timeout', 'insecure'];

/** Adds the command that needs neither a configuration nor a database: it loads nothing of the service. */
export function addCheck(program: Command): void {
  const command = program
    .command('check')
    .description(
      'look at a running deployment as a stranger does; needs no configuration, and makes no account',
    )
    .argument(
      '<url>',
      'the address of its API, or of its site: https://accounts.example.org',
      toUrl('The address'),
    )
    .option('--account', 'also walk a throwaway user through it, as svc validate --url does');
  addProbeOptions(command)
    .option('--json', 'print one JSON document instead of one line per check')
    .action(check);
}

async function check(
  address: URL,
  { account = false, json = false, ...choices }: CheckOptions,
): Promise<void> {
  const idle = probeOptionNames.find(name => choices[name] !== undefined && !always.includes(name));
  if (idle !== undefined && !account) {
    const option = `--${idle.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`;
    throw new CommandError(`${option} is about a throwaway user: add --account.`);
  }
  const { conclusionsOf, look } = await import('../validate/deployment/look.ts');
  const report = createReport(json);
  const seen = await look({
    url: address.href.replace(/\/+$/, ''),
    timeoutMs: timeoutOf(choices),
    insecure: choices.insecure ?? false,
    stop: new AbortController().signal,
    report: report.add,
  });
  if (seen && account) await probeDeployment(new URL(seen.url), choices, report);
  report.end(failed => (seen ? conclusionsOf(seen, failed, account) : []));
}
