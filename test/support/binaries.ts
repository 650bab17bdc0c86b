import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where a program may come from: its path, or nothing where it has none. */
export type Source = () => Promise<string | undefined>;

/**
 * Finds a program that runs here: the one that `variable` names, else that of the first source that has one.
 * @throws saying why, source by source, when there is none
 */
export async function findProgram(name: string, variable: string, sources: Source[]): Promise<string> {
  const named = process.env[variable];
  // A named binary is used, or the run fails.
  if (named) return checked(named);
  const reasons: string[] = [];
  for (const source of sources) {
    try {
      const binary = await source();
      if (binary) return await checked(binary);
    } catch (error) {
      reasons.push(`${source.name}: ${firstLine(error)}`);
    }
  }
  reasons.push(`install one, or name it in ${variable}`);
  throw new Error(`no ${name} (${reasons.join('; ')})`);
}

async function checked(binary: string): Promise<string> {
  await run(binary, ['--version']);
  return binary;
}

/** Where a program that was fetched for the tests is kept from run to run. */
export function cacheFolder(name: string): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'gatehouse', name);
}

/** The first of these programs that PATH has. */
export async function fromPath(...names: string[]): Promise<string | undefined> {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  for (const name of names) {
    for (const folder of folders) if (await isExecutable(join(folder, name))) return join(folder, name);
  }
  return undefined;
}

export async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** @throws when the file is not the one that is expected: what is run must be what was reviewed. */
export async function assertSha256(file: string, expected: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const sum = hash.digest('hex');
  if (sum !== expected) throw new Error(`${file} has the SHA-256 ${sum}, not ${expected}`);
}

/** The first line of what a failed command, or anything else, said. */
function firstLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  return (stderr || message).trim().split('\n')[0]!;
}
