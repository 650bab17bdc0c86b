import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, serve, svc } from '../../cli/support.ts';
import { findRegstack } from './regstack.ts';

const regstack = await findRegstack();
const isContinuousIntegration = !['', '0', 'false'].includes(process.env.CI ?? '');
if ('reason' in regstack && isContinuousIntegration)
  throw new Error(`CI is set and RegStack's probe cannot be had: ${regstack.reason}`);

/** `svc serve` as `svc init` sets it up, limits included, with mails in its log. */
async function deployed(environment: Record<string, string> = {}) {
  const cwd = await emptyFolder();
  await svc(['init', '--yes'], { cwd });
  const log = join(cwd, 'svc.log');
  const env = {
    SVC_EMAIL__LOG_BODIES: 'true',
    SVC_SMS__LOG_BODIES: 'true',
    SVC_ENABLE_SMS_2FA: 'true',
    SVC_ENABLE_ADMIN_ROUTER: 'true',
    ...environment,
  };
  const { api, stop } = await serve([], { cwd, env, copyTo: createWriteStream(log) });
  return { args: ['--url', api, '--log-source', `file:${log}`, '--timeout', '30'], stop };
}

test('the probe passes against svc serve as svc init sets it up', async () => {
  const { args, stop } = await deployed();
  const { code, stdout } = await svc(['validate', ...args, '--phone', '+4915112345678', '--json']);
  expect(code, stdout).toBe(0);
  const { checks } = JSON.parse(stdout);
  expect(checks.filter(({ outcome }: { outcome: string }) => outcome !== 'ok')).toEqual([
    { name: 'browser-sessions', outcome: 'skip', detail: 'is off (enable_browser_sessions)' },
    { name: 'tokens', outcome: 'skip', detail: 'is off (enable_tokens)' },
    { name: 'api-keys', outcome: 'skip', detail: 'is off (enable_api_keys)' },
    { name: 'oauth', outcome: 'skip', detail: 'is off (enable_oauth)' },
  ]);
  expect((await stop()).code).toBe(0);
});

test('the probe passes against a server that writes in Japanese', async () => {
  const { args, stop } = await deployed({ SVC_LOCALES: 'ja,en', SVC_DEFAULT_LOCALE: 'ja' });
  const { code, stdout } = await svc(['validate', ...args, '--phone', '+4915112345678', '--json']);
  expect(code, stdout).toBe(0);
  const { checks } = JSON.parse(stdout);
  expect(checks.filter(({ outcome }: { outcome: string }) => outcome === 'fail')).toEqual([]);
  expect(await readFile(args[3]!.slice('file:'.length), 'utf8')).toContain('ログインコード: ');
  expect((await stop()).code).toBe(0);
});

// A client that others wrote, for the same REST interface: it finds what our own tests and our own probe take for
// granted.
test.skipIf('reason' in regstack)("RegStack's published probe passes against svc serve", async () => {
  if ('reason' in regstack) throw new Error(regstack.reason);
  // It confirms a new address by the link alone, as SPEC.md has it.
  const { args, stop } = await deployed({ SVC_EMAIL_CHANGE_NEEDS_ACCOUNT: 'false' });
  const { code, output } = await regstack([...args, '--json']);
  expect(code, output).toBe(0);
  const checks: { name: string }[] = JSON.parse(output);
  expect(checks.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['verify', 'blacklist', 'change-email', 'reset-password', 'cleanup']),
  );
  expect((await stop()).code).toBe(0);
});
