// Writes sbom.cdx.json, a CycloneDX bill of what `npm install gatehouse-auth` installs: the tree of the packed tarball. It asks the
// registry, so a release runs it, before it packs.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
/** Returns the bill of what a package file's text asks for, as JSON. */
export function sbomOf(manifest: string): string {
  const temporary = mkdtempSync(join(tmpdir(), 'gatehouse-sbom-'));
  try {
    // Packages that only developers of Gatehouse have are in no installation of it.
    const { devDependencies: _, scripts: __, ...published } = JSON.parse(manifest);
    // npm names the bill after the folder.
    const cwd = join(temporary, published.name);
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'package.json'), JSON.stringify(published));
    const npm = (...args: string[]) =>
      execFileSync('npm', args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 });
    npm('install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund');
    return npm('sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=library');
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

if (import.meta.main)
  writeFileSync(join(root, 'sbom.cdx.json'), sbomOf(readFileSync(join(root, 'package.json'), 'utf8')));
