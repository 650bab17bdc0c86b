import type { Command } from 'commander';
import type { LoadedConfig } from '../config/load.ts';
import { ConfigError } from '../errors.ts';
import { createReport, type PrintedReport } from './check-report.ts';
import { CommandError } from './errors.ts';
import { addProbeOptions, type ProbeChoices, probeDeployment, probeOptionNames, toUrl } from './probe.ts';
import { type FileOptions, loadSettings, withFiles } from './settings.ts';

interface ValidateOptions extends FileOptions, ProbeChoices {
  checkDns?: boolean;
  sendTestEmail?: string;
  json?: boolean;
  /** True without a level. */
  assurance?: string | true;
  url?: URL;
}

/** The options that belong to the check of a configuration alone. */
const ofCheckup = ['checkDns', 'sendTestEmail', 'assurance', 'config', 'secrets'] as const;
/** The options that ask the world, which is not asked where the configuration alone is judged. */
const ofWorld = ['checkDns', 'sendTestEmail'] as const;

export function addValidate(program: Command): void {
  const command = withFiles(program.command('validate'))
    .description('check the configuration, or with --url a running deployment from outside')
    .option('--check-dns', 'also look up the DNS records of the sender domain and of base_url')
    .option('--send-test-email <address>', 'also send one test email to this address')
    .option(
      '--assurance [level]',
      'say which requirements of OWASP ASVS and NIST SP 800-63B the configuration meets: asvs-1, asvs-2, asvs-3, aal1 or aal2',
    )
    .option(
      '--url <url>',
      'test the deployment of this API with a throwaway user: https://host/api/auth',
      toUrl('--url'),
    );
  addProbeOptions(command)
    .option('--json', 'print one JSON document instead of one line per check')
    .action(validate);
}

async function validate(options: ValidateOptions): Promise<void> {
  assertOneForm(options);
  if (options.assurance !== undefined) return judgeConfiguration(options.assurance, options);
  const report = createReport(options.json ?? false);
  if (options.url) await probeDeployment(options.url, options, report);
  else await checkConfiguration(options, report);
  report.end();
}

/** Judges the configuration alone: neither a database nor the network is asked. */
async function judgeConfiguration(level: string | true, options: ValidateOptions): Promise<void> {
  const { printAssurance, toLevel } = await import('./assurance.ts');
  const named = level === true ? null : toLevel(level);
  const { config } = await loadSettings(options);
  printAssurance(config, named, options.json ?? false);
}

async function checkConfiguration(options: ValidateOptions, report: PrintedReport): Promise<void> {
  const testRecipient = options.sendTestEmail && (await toAddress(options.sendTestEmail));
  let loaded: LoadedConfig;
  try {
    loaded = await loadSettings(options);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const { source, key, message } of error.problems) {
      report.add({ name: 'configuration', outcome: 'fail', detail: `${source}: ${key}: ${message}` });
    }
    return;
  }
  const [{ checkUp }, { createLog }] = await Promise.all([
    import('../validate/configuration/checkup.ts'),
    import('./log.ts'),
  ]);
  await checkUp(loaded, {
    logger: createLog('info', process.stderr),
    report: report.add,
    dns: options.checkDns,
    testRecipient,
  });
}

async function toAddress(text: string): Promise<string> {
  const { email } = await import('../contract/inputs/fields.ts');
  const parsed = email.safeParse(text);
  if (!parsed.success) throw new CommandError('--send-test-email: It must be an email address.');
  return parsed.data;
}

const optionOf = (name: string) => `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`;

/** @throws {CommandError} when an option of the other form is given, which would have no effect */
function assertOneForm(options: ValidateOptions): void {
  const isGiven = (name: keyof ValidateOptions) => options[name] !== undefined;
  const asking = isGiven('assurance') && !options.url ? ofWorld.find(isGiven) : undefined;
  if (asking)
    throw new CommandError(
      `${optionOf(asking)} can't be combined with --assurance, which reads the configuration alone.`,
    );
  const misplaced = (options.url ? ofCheckup : probeOptionNames).find(isGiven);
  if (misplaced === undefined) return;
  const option = optionOf(misplaced);
  throw new CommandError(
    options.url
      ? `${option} checks the configuration and can't be combined with --url.`
      : `${option} requires --url.`,
  );
}
