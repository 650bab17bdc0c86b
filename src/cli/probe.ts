import { type Command, InvalidArgumentError } from 'commander';
import type { PrintedReport } from './check-report.ts';
import { CommandError } from './errors.ts';

/** How a deployment is probed with a throwaway user, as it was chosen at the command line. */
export interface ProbeChoices {
  logSource?: string;
  mailbox?: string;
  address?: string;
  phone?: string;
  skip?: string[];
  timeout?: number;
  insecure?: boolean;
  keepUser?: boolean;
}

/** The options of the probe, by their names. */
export const probeOptionNames = [
  'logSource',
  'mailbox',
  'address',
  'phone',
  'skip',
  'timeout',
  'insecure',
  'keepUser',
] as const;

/** How long a response or an email may take unless `--timeout` sets another time, in seconds. */
const defaultTimeout = 30;

/** Adds the options of the probe to a command. */
export const addProbeOptions = (command: Command): Command =>
  command
    .option(
      '--log-source <source>',
      "where the deployment's log is: file:PATH, ssh:USER@HOST:PATH, docker:NAME or cmd:'COMMAND'",
    )
    .option(
      '--mailbox <mailbox>',
      "where the deployment's emails arrive: maildir:PATH, or cmd:'COMMAND' that prints them",
    )
    .option(
      '--address <address>',
      'an address of that mailbox, to be used as name+gatehouse-probe-…@host; {tag} in it says where the tag goes',
    )
    .option('--phone <number>', 'test the second factor with this number, such as +15551234567', toPhone)
    .option('--skip <phases>', 'skip these phases, separated by commas', text => text.split(','))
    .option(
      '--timeout <seconds>',
      `how long a response or an email may take (default: ${defaultTimeout})`,
      toSeconds,
    )
    .option('--insecure', 'accept any TLS certificate')
    .option('--keep-user', "accept that the deployment can't delete the throwaway user again");

/** The longest local part of an address (RFC 5321 §4.5.3.1.1). */
const longestLocalPart = 64;

async function toAddressForm(text: string, hasMailbox: boolean): Promise<string> {
  if (!hasMailbox) throw new CommandError('--address requires --mailbox.');
  const [{ email }, { newAddress }] = await Promise.all([
    import('../contract/inputs/fields.ts'),
    import('../validate/deployment/visitor.ts'),
  ]);
  const form = text.trim().toLowerCase();
  const example = email.safeParse(newAddress(form));
  if (!example.success || example.data.lastIndexOf('@') > longestLocalPart) {
    throw new CommandError(
      '--address: It must be an email address with at most 30 characters before the @, such as probe@example.org or {tag}@example.org.',
    );
  }
  return form;
}

/** Returns how long a response may take, in milliseconds. */
export const timeoutOf = ({ timeout = defaultTimeout }: ProbeChoices) => timeout * 1000;

/** Walks a throwaway user through a deployment. */
export async function probeDeployment(url: URL, options: ProbeChoices, report: PrintedReport): Promise<void> {
  const [{ probe, skippable }, { parseLogSource }, { parseMailbox }] = await Promise.all([
    import('../validate/deployment/probe.ts'),
    import('../validate/deployment/log-source.ts'),
    import('../validate/deployment/mailbox.ts'),
  ]);
  const skip = new Set((options.skip ?? []).map(name => name.trim()).filter(name => name !== ''));
  const unknown = [...skip].find(name => !skippable.includes(name));
  if (unknown !== undefined) {
    throw new CommandError(`--skip: There is no phase ${unknown}. The phases are ${skippable.join(', ')}.`);
  }
  const logSource = options.logSource === undefined ? null : parseLogSource(options.logSource);
  const mailbox = options.mailbox === undefined ? null : parseMailbox(options.mailbox);
  const { address } = options;
  const addressForm = address === undefined ? undefined : await toAddressForm(address, mailbox !== null);
  const timeoutMs = timeoutOf(options);
  await waitForSignals(stop =>
    probe({
      ...{
        skip,
        logSource,
        mailbox,
        addressForm,
        timeoutMs,
        stop,
        letterTimeoutMs: timeoutMs,
        report: report.add,
      },
      url: url.href.replace(/\/+$/, ''),
      phone: options.phone ?? null,
      insecure: options.insecure ?? false,
      keepUser: options.keepUser ?? false,
    }),
  );
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs the walk; a signal that would end the program only stops the walk, so that its user can be removed. */
async function waitForSignals(walk: (stop: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const interrupt = (signal: NodeJS.Signals) => {
    if (stop.signal.aborted) process.exit(1);
    console.error(`${signal}: deleting the throwaway user first; a second signal leaves it there.`);
    stop.abort();
  };
  // The reader of the report may close the pipe.
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

/** Returns a reader of the API's address; `name` is that of its option. */
export const toUrl =
  (name: string) =>
  (text: string): URL => {
    const url = URL.parse(text);
    if (!url || !['http:', 'https:'].includes(url.protocol) || url.search !== '' || url.hash !== '') {
      throw new InvalidArgumentError(
        "It must be the API's address, such as https://accounts.example.org/api/auth.",
      );
    }
    // Commander would quote the argument.
    if (url.username !== '' || url.password !== '')
      throw new CommandError(`${name} can't contain credentials.`);
    return url;
  };

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
