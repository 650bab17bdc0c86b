import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { inject, vi } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

/** What `npm pack` says about the tarball. */
export interface Packed {
  size: number;
  files: { path: string; mode: number }[];
}

/** The tarball of this run of the tests. */
interface Tarball {
  path: string;
  packed: Packed;
}

/** Packs what a release would pack, into a folder. */
async function pack(source: string): Promise<Tarball> {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const included = manifest.files.filter((name: string) => !name.startsWith('!'));
  const folders = included.map((name: string) => name.replace(/\/\*.*$/, ''));
  // The build makes `dist`, and a release makes the bill of materials.
  const made = ['browser', 'dist', 'sbom.cdx.json'];
  const shipped = ['package.json', 'README.md', ...folders].filter(name => !made.includes(name));
  await Promise.all(shipped.map(name => cp(join(root, name), join(source, name), { recursive: true })));
  await run(process.execPath, [join(root, 'scripts/build.ts'), join(source, 'dist')]);
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--offline'], { cwd: source });
  const [tarball] = (await readdir(source)).filter(name => name.endsWith('.tgz'));
  return { path: join(source, tarball!), packed: JSON.parse(stdout)[0] };
}

/** Packs once a run of the tests, for whichever file of tests asks first; the others wait for it. */
export async function packOnce(): Promise<Tarball> {
  const place = join(inject('temporaryFolder'), 'packed');
  const result = `${place}.json`;
  const isFirst = await mkdir(place).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    await writeFile(`${result}.part`, JSON.stringify(await pack(place)));
    await rename(`${result}.part`, result);
  }
  return vi.waitFor(async () => JSON.parse(await readFile(result, 'utf8')), {
    timeout: 120_000,
    interval: 100,
  });
}

/**
 * Packs what a release would pack, and unpacks it into a folder as `npm install` would, offline: with its dependencies,
 * the given packages, and no optional peer.
 */
export async function installPacked(folder: string, beside: string[] = []): Promise<Packed> {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const { path, packed } = await packOnce();
  const modules = join(folder, 'node_modules');
  const installed = join(modules, 'gatehouse-auth');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', path, '-C', installed, '--strip-components=1']);
  const link = async (name: string, into: string) => {
    const place = join(into, name);
    if (await stat(place).catch(() => null)) return;
    await mkdir(dirname(place), { recursive: true });
    await symlink(join(root, 'node_modules', name), place);
  };
  // Its own copies, so that a host may have other versions of the same packages.
  for (const name of Object.keys(manifest.dependencies)) await link(name, join(installed, 'node_modules'));
  const peers = Object.keys(manifest.peerDependencies);
  const installedPeers = peers.filter(name => !manifest.peerDependenciesMeta[name]?.optional);
  for (const name of [...installedPeers, ...beside]) await link(name, modules);
  return packed;
}
