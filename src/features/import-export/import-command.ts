import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { CommandError } from '../../cli/errors.ts';
import { withMigrated } from '../../cli/instance.ts';
import { oneLine } from '../../cli/output.ts';
import { type FileOptions, withFiles } from '../../cli/settings.ts';
import type { ImportCounts } from './import.ts';
import { readLines } from './lines.ts';

interface ImportOptions extends FileOptions {
  dryRun?: boolean;
  json?: boolean;
  firebaseParameters?: string;
}

/** How often the progress is drawn, in milliseconds. */
const drawEveryMs = 200;

/** Adds `svc user import`. */
export function addUserImport(user: Command): void {
  withFiles(user.command('import'))
    .description(
      'add users from another system, with their password hashes and identities; accounts that are there stay as they are, so it can be run again',
    )
    .argument('<file>', 'JSON Lines, one user a line; - reads standard input')
    .option('--dry-run', 'check every line and store nothing')
    .option('--json', 'print the result as JSON')
    .option('--firebase-parameters <file>', 'JSON with signer_key, salt_separator, rounds and mem_cost')
    .action((file: string, options: ImportOptions) => importFile(file, options));
}

async function importFile(file: string, options: ImportOptions): Promise<void> {
  const firebaseParameters = await readParameters(options.firebaseParameters);
  await withMigrated(options, async ({ features }) => {
    const report = options.json ? jsonReport() : textReport(options.dryRun ?? false);
    const progress = createProgress();
    const { failure, slowerBySeconds, withoutPassword, ...counts } =
      await features.importExport!.operator.importUsers({
        lines: readLines(bytesOf(file)),
        isDryRun: options.dryRun ?? false,
        firebaseParameters,
        onRefused(line, message) {
          progress.clear();
          report.refused(line, message);
        },
        onRepeated(line) {
          progress.clear();
          report.repeated(line);
        },
        onProgress: progress.draw,
      });
    progress.clear();
    report.end(counts, withoutPassword);
    if (slowerBySeconds !== undefined) warnOfHashes(slowerBySeconds);
    if (counts.refused > 0) process.exitCode = 1;
    if (failure !== undefined) throw isFileError(failure) ? unreadable(file, failure) : failure;
  });
}

/** On standard error, also beside JSON: it is no part of the result. */
function warnOfHashes(seconds: number): void {
  console.error(
    `warning: checking an imported hash takes ${seconds.toFixed(1)} s here. Every later wrong password takes that much longer, whosever it is, so that the time does not tell who was imported.`,
  );
}

/** Opens the file when it is read, so that nothing else has to expect its errors. */
async function* bytesOf(file: string): AsyncGenerator<Buffer> {
  yield* file === '-' ? process.stdin : createReadStream(file);
}

/** How the outcome is printed. Refused lines are not collected, because there may be millions of them. */
interface Report {
  refused(line: number, message: string): void;
  repeated(line: number): void;
  end(counts: ImportCounts, withoutPassword: number): void;
}

function textReport(isDryRun: boolean): Report {
  return {
    repeated: line =>
      console.error(`line ${line}: has the address of an earlier line, which counts; this one is left out`),
    // The message may have the name of an unknown field, whose control characters could change what a terminal shows.
    refused: (line, message) => console.error(`line ${line}: ${oneLine(message)}`),
    end({ read, created, existing, refused }, withoutPassword) {
      const does = isDryRun ? 'would be created' : 'created';
      const ofThem = withoutPassword > 0 ? ` (${withoutPassword} without a password)` : '';
      console.log(`${read} read: ${created} ${does}${ofThem}, ${existing} existing, ${refused} refused`);
      if (isDryRun) console.log('Nothing was stored.');
    },
  };
}

function jsonReport(): Report {
  const write = (text: string) => void process.stdout.write(text);
  let separator = '{"errors":[';
  return {
    refused(line, message) {
      write(`${separator}${JSON.stringify({ line, message })}`);
      separator = ',\n';
    },
    repeated() {},
    end(counts) {
      write(`${separator === ',\n' ? '' : separator}],${JSON.stringify(counts).slice(1)}\n`);
    },
  };
}

/** Draws how far it is, in a terminal only. */
function createProgress() {
  const { stderr } = process;
  let drawnAt = 0;
  return {
    draw({ read, created, existing, refused }: ImportCounts): void {
      const now = performance.now();
      if (!stderr.isTTY || now - drawnAt < drawEveryMs) return;
      drawnAt = now;
      const [lines, ...rest] = [read, created, existing, refused].map(count => count.toLocaleString('en'));
      stderr.write(`\r\x1b[K${lines} read: ${rest[0]} created, ${rest[1]} existing, ${rest[2]} refused`);
    },
    clear(): void {
      if (stderr.isTTY) stderr.write('\r\x1b[K');
    },
  };
}

async function readParameters(file: string | undefined): Promise<unknown> {
  if (file === undefined) return undefined;
  const text = await readFile(file, 'utf8').catch(error => {
    throw unreadable(file, error);
  });
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError(`${file} is not JSON.`);
  }
}

const isFileError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';

function unreadable(file: string, { code }: NodeJS.ErrnoException): CommandError {
  const reason = code === 'ENOENT' ? 'there is no such file' : (code ?? 'unknown reason');
  return new CommandError(`${file} can't be read: ${reason}.`);
}
