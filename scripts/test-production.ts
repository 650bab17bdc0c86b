// Runs the tests of examples/production and of outages against real servers, and installs those that are missing from the
// packages of Debian or Ubuntu. On other systems, tests whose server is missing are skipped, and named at the end, where the
// figures of docs/internals/performance.md are too.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromPath } from '../test/support/binaries.ts';
import { findPgbouncer } from '../test/support/pgbouncer.ts';
import { findProxy, proxyNames } from '../test/support/proxies.ts';

const root = join(import.meta.dirname, '..');
/** Decides whether a package may start its service (invoke-rc.d(8)); 101 forbids it. */
const policy = '/usr/sbin/policy-rc.d';

function run(command: string, args: string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', cwd: root });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

async function missingPackages(): Promise<string[]> {
  const isHere = await Promise.all(proxyNames.map(name => findProxy(name).then(Boolean, () => false)));
  const missing: string[] = proxyNames.filter((_, i) => !isHere[i]);
  if (
    await findPgbouncer().then(
      () => false,
      () => true,
    )
  )
    missing.push('pgbouncer');
  if (!(await fromPath('systemd-analyze'))) missing.push('systemd');
  return missing;
}

/** Installs packages without starting their services: the tests start their own. */
function install(packages: string[]): void {
  const isOurs = !existsSync(policy);
  if (isOurs) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    run('apt-get', ['update']);
    run('apt-get', ['install', '--yes', '--no-install-recommends', ...packages]);
  } finally {
    if (isOurs) rmSync(policy);
  }
}

const missing = await missingPackages();
if (missing.length > 0) {
  const isInstallable = process.getuid?.() === 0 && (await fromPath('apt-get')) !== undefined;
  if (isInstallable) install(missing);
  else
    console.error(`Not here: ${missing.join(', ')}. As root on Debian or Ubuntu this script installs them.`);
}
process.env.TEST_PRODUCTION = '1';
const tests = ['test/production', 'test/storage/pooler.test.ts'];
// One file after the other: what is measured has the machine to itself.
const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--no-file-parallelism'];
run(process.execPath, [...vitest, ...tests]);
