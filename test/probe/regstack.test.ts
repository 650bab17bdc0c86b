import { createWriteStream } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { serve } from '../cli/support.ts';
import { findRegstack } from './regstack.ts';

const regstack = await findRegstack();
const isContinuousIntegration = !['', '0', 'false'].includes(process.env.CI ?? '');
if ('reason' in regstack && isContinuousIntegration)
  throw new Error(`CI is set and RegStack's probe cannot be had: ${regstack.reason}`);

// A client that others wrote, for the same REST interface: it finds what our own tests and our own probe take for
// granted.
describe.skipIf('reason' in regstack)("RegStack's published probe", () => {
  test('passes against svc serve with console mail and bodies in the log', async () => {
    const log = join(await mkdtemp(join(inject('temporaryFolder'), 'regstack-')), 'svc.log');
    const env = {
      SVC_EMAIL__LOG_BODIES: 'true',
      SVC_ENABLE_SMS_2FA: 'true',
      SVC_ENABLE_ADMIN_ROUTER: 'true',
    };
    const { api, stop } = await serve([], { env, copyTo: createWriteStream(log) });
    if ('reason' in regstack) throw new Error(regstack.reason);
    const args = ['--url', api, '--log-source', `file:${log}`, '--timeout', '30', '--json'];
    const { code, output } = await regstack(args);
    expect(code, output).toBe(0);
    const checks: { name: string; ok: boolean; detail: string }[] = JSON.parse(output);
    const names = checks.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['verify', 'blacklist', 'change-email', 'reset-password', 'cleanup']),
    );
    expect((await stop()).code).toBe(0);
  });
});
