import { type Command, InvalidArgumentError } from 'commander';
import { CommandError } from '../../cli/errors.ts';

interface BuildCommand {
  output: string;
  falsePositives: number;
  leastCount: number;
}

/** Adds the commands about the rules for new passwords. */
export function addCommands(program: Command): void {
  const passwords = program.command('passwords').description('prepare the rules for new passwords');
  passwords
    .command('build-filter')
    .description('make the filter file of password_breach_check from a list of known passwords')
    .argument(
      '<source>',
      'a file with a line per password: SHA1:count, SHA1, or the password; - reads standard input',
    )
    .requiredOption('--output <file>', 'the filter file; a file of this name is replaced')
    .option(
      '--false-positives <share>',
      'the share of other passwords that it refuses by mistake',
      toShare,
      0.001,
    )
    .option('--least-count <count>', 'leave out lines SHA1:count with a lower count', toCount, 1)
    .action(buildFilter);
}

async function buildFilter(source: string, options: BuildCommand): Promise<void> {
  const { buildFilter } = await import('./build-filter.ts');
  const { falsePositivesOf } = await import('./filter.ts');
  const { stderr, stdin } = process;
  let shown = '';
  const progress = (share: number) => {
    const text = `\r${Math.floor(share * 100)} %`;
    if (stderr.isTTY && text !== shown) stderr.write(text);
    shown = text;
  };
  try {
    const built = await buildFilter({ source: source === '-' ? stdin : source, ...options, progress });
    const size = `${built.bytes.toLocaleString('en')} bytes`;
    const passwords = `${built.entries.toLocaleString('en')} passwords`;
    const rate = `1 of ${Math.round(1 / falsePositivesOf(built)).toLocaleString('en')} others is refused by mistake`;
    console.log(`${options.output} has ${passwords} in ${size}; ${rate}.`);
    console.log(`Set password_breach_check = ${JSON.stringify(options.output)} to use it.`);
  } catch (error) {
    throw new CommandError(explain(source === '-' ? 'Standard input' : source, error));
  } finally {
    if (stderr.isTTY) stderr.write('\r');
  }
}

/** Returns what is wrong, with the name of the file that it is about. */
function explain(source: string, error: unknown): string {
  const { code, path, message } = error as NodeJS.ErrnoException;
  return code === undefined
    ? `${source} ${message}.`
    : `${path ?? source} can't be read or written (${code}).`;
}

function toShare(text: string): number {
  const share = Number(text);
  if (!(share >= 1e-12 && share <= 0.5)) {
    throw new InvalidArgumentError('It must be a number from 0.000000000001 to 0.5, such as 0.001.');
  }
  return share;
}

function toCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return Number(text);
}
