import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { jwtSecret } from '../cli/support.ts';
import { fromPath } from '../support/binaries.ts';

const run = promisify(execFile);
const folder = join(import.meta.dirname, '../../examples/production');
const read = (name: string) => readFile(join(folder, name), 'utf8');
const numberIn = (text: string, pattern: RegExp) => Number(pattern.exec(text)![1]);

const { config } = loadConfig({
  env: { SVC_CONFIG: join(folder, 'gatehouse.toml'), SVC_JWT_SECRET: jwtSecret },
  cwd: inject('temporaryFolder'),
});

describe('the times of examples/production fit together', () => {
  test.each([
    ['nginx.conf', /^\s*keepalive_timeout (\d+)s;$/m],
    ['haproxy.cfg', /\bpool-purge-delay (\d+)s\b/],
    ['Caddyfile', /^\s*keepalive (\d+)s$/m],
  ])('%s closes idle connections before Gatehouse does, at rest and at a stop', async (file, pattern) => {
    const kept = numberIn(await read(file), pattern);
    expect(kept).toBeLessThan(config.keepAliveSeconds);
    expect(kept).toBeLessThan(config.shutdownDelaySeconds);
  });

  test('HAProxy leaves a process out before it ends, and takes one in before the next one stops', async () => {
    const text = await read('haproxy.cfg');
    const [every, down, up] = [/\binter (\d+)s/, /\bfall (\d+)/, /\brise (\d+)/].map(pattern =>
      numberIn(text, pattern),
    ) as [number, number, number];
    expect(every * (down + 1)).toBeLessThan(config.shutdownDelaySeconds);
    const pause = numberIn(await read('svc@.service'), /^ExecStartPost=\/bin\/sleep (\d+)$/m);
    expect(every * up).toBeLessThan(pause);
  });

  test('systemd waits for as long as a stop may take', async () => {
    const limit = numberIn(await read('svc@.service'), /^TimeoutStopSec=(\d+)$/m);
    // Ten seconds for requests and five for mails.
    expect(limit).toBeGreaterThan(config.shutdownDelaySeconds + 10 + 5);
  });
});

const analyze = await fromPath('systemd-analyze');

describe.skipIf(!analyze)('the unit of examples/production (needs systemd-analyze)', () => {
  /** A copy whose command is there. */
  async function copied(): Promise<string> {
    const copy = join(await mkdtemp(join(inject('temporaryFolder'), 'unit-')), 'svc@8001.service');
    const text = await read('svc@.service');
    await writeFile(copy, text.replaceAll('/srv/gatehouse/node_modules/.bin/svc', process.execPath));
    return copy;
  }

  test('has no mistakes that systemd knows of', async () => {
    const { stdout, stderr } = await run(analyze!, ['verify', '--man=no', await copied()]);
    expect(stdout + stderr).toBe('');
  });

  test('leaves the service little to harm the machine with', async () => {
    // The threshold is ten times the score: 2.0 of 10, where 0 is none.
    const args = ['security', '--offline=true', '--no-pager', '--threshold=20', await copied()];
    expect((await run(analyze!, args)).stdout).toMatch(/Overall exposure level .*: [01]\.\d OK/);
  });
});
