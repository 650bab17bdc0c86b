import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { packOnce } from './packed.ts';

const run = promisify(execFile);

const root = join(import.meta.dirname, '../..');

export const examples = join(root, 'examples');

/** How long an installation may take, in milliseconds; some ten seconds are usual. */
const installTimeoutMs = 180_000;

/** A folder with what examples need in its `node_modules`, or why that cannot be had. */
type Installed = { folder: string } | { reason: string };

/**
 * Installs what the package files of these examples name and the packed package, as their readers do: from a registry, with
 * other versions and more where they are given.
 *
 * @throws {Error} where that fails, with what npm says
 */
export async function installExamples(
  names: string[],
  versions: Record<string, string> = {},
  /** Optional peers that they use, in the versions of the project. */
  peers: string[] = [],
  /** What takes the place of a version that a package names. */
  overrides: Record<string, string | Record<string, string>> = {},
): Promise<Installed> {
  const dependencies: Record<string, string> = {};
  for (const name of names) {
    const manifest = JSON.parse(await readFile(join(examples, name, 'package.json'), 'utf8'));
    Object.assign(dependencies, manifest.dependencies, manifest.devDependencies);
  }
  const { devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  for (const name of ['@types/node', ...peers]) dependencies[name] = devDependencies[name];
  Object.assign(dependencies, versions, { 'gatehouse-auth': `file:${(await packOnce()).path}` });
  return installPackages(dependencies, overrides);
}

/** Installs packages in a folder of their own. @throws {Error} where that fails, with what npm says */
export async function installPackages(
  dependencies: Record<string, string>,
  overrides: Record<string, string | Record<string, string>> = {},
): Promise<Installed> {
  const folder = await mkdtemp(join(inject('temporaryFolder'), 'examples-'));
  const manifest = { name: 'examples', private: true, type: 'module', dependencies, overrides };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  const quiet = ['--no-audit', '--no-fund'];
  // Where there is no registry, that is known soon.
  const impatient = ['--fetch-retries=0', '--fetch-timeout=30000'];
  await run('npm', ['install', ...quiet, ...impatient], { cwd: folder, timeout: installTimeoutMs });
  return { folder };
}

/** Returns what the name of skipped tests says. */
export const whySkipped = (installed: Installed): string =>
  'reason' in installed ? `, skipped: ${installed.reason}` : '';
