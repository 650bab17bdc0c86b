import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { built } from '../support/built.ts';
import { type Deployment, startDeployment } from '../validate/deployment/deployment.ts';
import { emptyFolder, svc } from './support.ts';

let deployment: Deployment;
beforeAll(async () => {
  deployment = await startDeployment();
});
afterAll(() => deployment.close());

/** The probe as an operator calls it; a part that is undefined is left out. */
const walk = (...args: string[]) =>
  svc(['validate', '--url', `${deployment.url}/`, '--log-source', `file:${deployment.log}`, ...args]);

test('a line a check, a sum, and the exit code 0 when nothing failed', async () => {
  const { code, stdout, stderr } = await walk('--skip', 'sms,lockout', '--timeout', '10');
  expect([code, stderr], stdout).toEqual([0, '']);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.at(-1)).toMatch(/^\d+ ok, 0 with a warning, 0 failed, \d+ skipped$/);
  for (const line of lines.slice(0, -1)) expect(line).toMatch(/^(ok|skip) +\S+ +\S/);
  expect(stdout).toMatch(/^skip {2}sms +as you asked$/m);
});

test('one JSON document with --json, and the exit code 1 when anything failed', async () => {
  deployment.fault = (req, res, next) => (req.path.endsWith('/logout') ? void res.json({}) : next());
  const { code, stdout } = await walk('--json', '--skip', 'lockout');
  deployment.fault = null;
  expect(code).toBe(1);
  const { ok, checks } = JSON.parse(stdout);
  expect(ok).toBe(false);
  expect(checks).toContainEqual({
    name: 'logout',
    outcome: 'fail',
    detail: expect.stringContaining('still works'),
  });
});

/** The probe in a process of its own. */
async function spawned() {
  const args = ['validate', '--url', deployment.url, '--log-source', `file:${deployment.log}`];
  return spawn(process.execPath, [await built('svc'), ...args], {
    cwd: await emptyFolder(),
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

const everybody = () => deployment.gatehouse.repositories.users.list({});

test('Ctrl-C in the middle takes the user away first, and ends with 1', async () => {
  const child = await spawned();
  deployment.fault = (req, _res, next) => {
    if (req.method === 'PATCH') {
      // Once: a second one means to leave the user there.
      deployment.fault = null;
      child.kill('SIGINT');
    }
    next();
  };
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', text => (output += text));
  const [code] = await once(child, 'close');
  expect(code).toBe(1);
  expect(output).toContain('SIGINT: deleting the throwaway user first');
  expect(output).toMatch(/^fail {2}walk +was interrupted$/m);
  expect(output).toMatch(/^ok {4}cleanup +\S+ was deleted$/m);
  expect(await everybody()).toEqual([]);
});

test('the user is removed, too, when the reader of the report goes away', async () => {
  const child = await spawned();
  deployment.fault = (req, _res, next) => {
    if (req.method === 'PATCH') for (const stream of [child.stdout, child.stderr]) stream.destroy();
    next();
  };
  await once(child, 'exit');
  deployment.fault = null;
  expect(await everybody()).toEqual([]);
});

const url = 'http://127.0.0.1:1/api/auth';
test.each([
  [['--url', 'accounts.example.org'], /It must be the API's address/],
  [['--url', 'ftp://accounts.example.org/api'], /It must be the API's address/],
  [['--url', 'https://ann:secret@accounts.example.org/api'], /^--url can't contain credentials\.$/],
  [['--url', url, '--phone', '0151 123'], /It must be a number such as/],
  [['--url', url, '--timeout', 'soon'], /It must be a number of seconds/],
  [['--url', url, '--skip', 'logn'], /There is no phase logn\./],
  [['--url', url, '--skip', 'delete'], /There is no phase delete\./],
  [['--url', url, '--log-source', 'ftp:host'], /There is no log source ftp/],
  [['--url', url, '--log-source', 'file:/absent/svc.log'], /can't be read/],
  [
    ['--url', url, '--mailbox', 'imap:host'],
    /There is no mailbox imap: it must be maildir:PATH or cmd:COMMAND/,
  ],
  [['--url', url, '--mailbox', 'maildir:/absent'], /The mailbox \/absent is not a Maildir/],
  [['--url', url, '--address', 'probe@example.org'], /--address requires --mailbox/],
  [['--url', url, '--mailbox', 'cmd:true', '--address', 'probe'], /--address: It must be an email address/],
  [
    ['--url', url, '--mailbox', 'cmd:true', '--address', `${'x'.repeat(50)}@example.org`],
    /--address: It must be .* at most 30 characters/,
  ],
  [['--mailbox', 'cmd:true'], /--mailbox requires --url\./],
  [['--url', url, '--check-dns'], /--check-dns checks the configuration/],
  [['--phone', '+15551234567'], /--phone requires --url\./],
  [['--log-source', 'docker:web'], /--log-source requires --url\./],
  [['--keep-user'], /--keep-user requires --url\./],
  [['--send-test-email', 'nobody'], /It must be an email address/],
])('%j is refused with one clear line', async (args, line) => {
  const { code, stdout, stderr } = await svc(['validate', ...args]);
  expect([code, stdout]).toEqual([1, '']);
  // Commander adds where to look for help.
  expect(stderr.trimEnd().replace(/\n+\(svc --help[^\n]*\)[\s\S]*$/, '')).toMatch(line);
  expect(stderr).not.toMatch(/secret|^ +at /m);
});
