import { type Command, InvalidArgumentError } from 'commander';
import type { LoadedConfig } from '../config/load.ts';
import { ConfigError } from '../errors.ts';
import { createReport, type PrintedReport } from './check-report.ts';
import { CommandError } from './errors.ts';
import { type FileOptions, loadSettings, withFiles } from './settings.ts';

interface ValidateOptions extends FileOptions {
  checkDns?: boolean;
  sendTestEmail?: string;
  json?: boolean;
  url?: URL;
  logSource?: string;
  phone?: string;
  skip?: string[];
  timeout?: number;
  insecure?: boolean;
  keepUser?: boolean;
}

/** What belongs to one of the two forms alone. */
const ofProbe = ['logSource', 'phone', 'skip', 'timeout', 'insecure', 'keepUser'] as const;
const ofCheckup = ['checkDns', 'sendTestEmail', 'config', 'secrets'] as const;

/** How long an answer or a mail may take unless `--timeout` says otherwise, in seconds. */
const defaultTimeout = 30;

export function addValidate(program: Command): void {
  withFiles(program.command('validate'))
    .description('check the configuration, or with --url a running deployment from outside')
    .option('--check-dns', 'also look up the mail records of the sender and the address of base_url')
    .option('--send-test-email <address>', 'also send one mail there')
    .option(
      '--url <url>',
      'walk a throwaway user through the API that is there: https://host/api/auth',
      toUrl,
    )
    .option(
      '--log-source <source>',
      "where the deployment's log is: file:PATH, ssh:USER@HOST:PATH, docker:NAME or cmd:'COMMAND'",
    )
    .option('--phone <number>', 'try the second factor with this number, such as +15551234567', toPhone)
    .option('--skip <phases>', 'leave these out, separated by commas', text => text.split(','))
    .option(
      '--timeout <seconds>',
      `how long an answer or a mail may take (default: ${defaultTimeout})`,
      toSeconds,
    )
    .option('--insecure', 'take any TLS certificate')
    .option('--keep-user', "accept that the deployment can't delete the throwaway user again")
    .option('--json', 'print one JSON document in place of a line a check')
    .action(validate);
}

async function validate(options: ValidateOptions): Promise<void> {
  assertOneForm(options);
  const report = createReport(options.json ?? false);
  if (options.url) await probeDeployment(options.url, options, report);
  else await checkConfiguration(options, report);
  report.end();
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
    import('../checkup/checkup.ts'),
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
  const { email } = await import('../inputs/fields.ts');
  const parsed = email.safeParse(text);
  if (!parsed.success) throw new CommandError('--send-test-email: It must be an email address.');
  return parsed.data;
}

/** @throws {CommandError} when an option of the other form is there, which would do nothing */
function assertOneForm(options: ValidateOptions): void {
  const misplaced = (options.url ? ofCheckup : ofProbe).find(name => options[name] !== undefined);
  if (misplaced === undefined) return;
  const option = `--${misplaced.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`;
  throw new CommandError(
    options.url
      ? `${option} is about the configuration, and can't go with --url.`
      : `${option} goes with --url only.`,
  );
}

async function probeDeployment(url: URL, options: ValidateOptions, report: PrintedReport): Promise<void> {
  const [{ probe, skippable }, { parseLogSource }] = await Promise.all([
    import('../probe/probe.ts'),
    import('../probe/log-source.ts'),
  ]);
  const skip = new Set((options.skip ?? []).map(name => name.trim()).filter(name => name !== ''));
  const unknown = [...skip].find(name => !skippable.includes(name));
  if (unknown !== undefined) {
    throw new CommandError(`There is no phase ${unknown} to skip. There are ${skippable.join(', ')}.`);
  }
  const logSource = options.logSource === undefined ? null : parseLogSource(options.logSource);
  const timeoutMs = (options.timeout ?? defaultTimeout) * 1000;
  await untilStopped(stop =>
    probe({
      ...{ skip, logSource, timeoutMs, stop, letterTimeoutMs: timeoutMs, report: report.add },
      url: url.href.replace(/\/+$/, ''),
      phone: options.phone ?? null,
      insecure: options.insecure ?? false,
      keepUser: options.keepUser ?? false,
    }),
  );
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs the walk; whatever would end the program only stops it, so that its user can be taken away. */
async function untilStopped(walk: (stop: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const interrupt = (signal: NodeJS.Signals) => {
    if (stop.signal.aborted) process.exit(1);
    console.error(`${signal}: taking the throwaway user away first; once more leaves it there.`);
    stop.abort();
  };
  // Whoever reads the report may go away.
  const ignore = () => {};
  for (const signal of signals) process.on(signal, interrupt);
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignore);
  try {
    await walk(stop.signal);
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
    for (const stream of [process.stdout, process.stderr]) stream.off('error', ignore);
  }
}

function toUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new InvalidArgumentError(
      "It must be the API's address, such as https://accounts.example.org/api/auth.",
    );
  }
  // Commander would repeat the argument.
  if (url.username !== '' || url.password !== '') throw new CommandError("--url can't hold credentials.");
  return url;
}

function toPhone(text: string): string {
  if (!/^\+[1-9]\d{6,14}$/.test(text))
    throw new InvalidArgumentError('It must be a number such as +15551234567.');
  return text;
}

function toSeconds(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= 3600))
    throw new InvalidArgumentError('It must be a number of seconds, up to 3600.');
  return seconds;
}
