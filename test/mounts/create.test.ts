import { execFile } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { backends, type TestDatabase } from '../support/backends.ts';
import { packCreate } from '../support/created.ts';
import { packOnce } from '../support/packed.ts';
import { Program } from '../support/program.ts';
import { freePort } from '../support/server-process.ts';

// Each project of `npm create gatehouse-auth`, from both tarballs, as its reader makes and starts it.

const run = promisify(execFile);
// An installation and a first compilation take as long as the machine and the registry take; no rule here is about that.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

/** The templates, each on a database: all of both. */
const templates = [
  ...[['express', 'sqlite'] as const, ['fastify', 'postgresql'] as const, ['hono', 'mongodb'] as const],
  ...[['nextjs', 'sqlite'] as const, ['nestjs', 'sqlite'] as const, ['none', 'sqlite'] as const],
];
const ada = { email: 'ada@example.org', password: 'correct horse battery' };

describe.each(templates)('npm create gatehouse-auth -- --template %s --database %s', (template, name) => {
  const backend = backends.find(each => each.name === name)!;

  describe.skipIf(!backend.available)(backend.available ? 'makes' : `skipped: ${backend.reason}`, () => {
    let folder: string;
    let origin: string;
    let database: TestDatabase;
    let program: Program;
    let scripts: Record<string, string>;
    let env: Record<string, string>;

    beforeAll(async () => {
      const parent = await mkdtemp(join(inject('temporaryFolder'), 'create-host-'));
      const quiet = ['--no-audit', '--no-fund', '--fetch-retries=0', '--fetch-timeout=30000'];
      const made = ['app', '--template', template, '--database', name, '--yes'];
      const { path } = await packCreate();
      await run(
        'npm',
        ['exec', '--yes', ...quiet, `--package=${path}`, '--', 'create-gatehouse-auth', ...made],
        {
          cwd: parent,
        },
      );
      folder = join(parent, 'app');
      await run('npm', ['install', ...quiet, (await packOnce()).path], { cwd: folder });
      ({ scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')));
      database = await backend.createDatabase();
      const port = await freePort();
      origin = `http://localhost:${port}`;
      env = {
        ...{ PORT: String(port), SVC_BASE_URL: origin, NEXT_TELEMETRY_DISABLED: '1' },
        ...(name !== 'sqlite' && { SVC_DATABASE_URL: database.url.replace('+asyncpg', '') }),
      };
    });
    afterAll(async () => {
      await program?.kill();
      await database?.drop();
    });

    test('a test that passes', async () => {
      const { stdout } = await run('npm', ['test'], { cwd: folder });
      expect(stdout).toMatch(/pass 2\b[\s\S]*fail 0\b/);
    });

    test('an application whose route needs a session', async () => {
      // The script of the project, without the processes of npm between it and a signal.
      const commands = scripts.dev!.split(' && ');
      const PATH = `${join(folder, 'node_modules/.bin')}:${process.env.PATH}`;
      for (const command of commands.slice(0, -1))
        await run('sh', ['-c', command], { cwd: folder, env: { PATH } });
      program = new Program(['-c', `exec ${commands.at(-1)}`], {
        ...{ command: 'sh', cwd: folder, env: { ...env, PATH } },
      });
      await program.waitFor(/listening on|Ready in/i);
      await tellStory();
      // Next.js has a child in development, which ends only when it is asked to.
      expect([0, null, 143]).toContain(await program.stop());
    });

    // Once the application has installed the schema.
    test('a configuration that can be used', async () => {
      const checked = run('npx', ['gatehouse-auth', 'validate'], {
        cwd: folder,
        env: { ...process.env, ...env },
      });
      await expect(checked).resolves.toBeDefined();
    });

    async function tellStory(): Promise<void> {
      const orders = (headers: Record<string, string> = {}) =>
        fetch(`${origin}/orders`, { headers, redirect: 'manual' });
      const post = (path: string, body: object) =>
        fetch(`${origin}/api/auth${path}`, {
          ...{ method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } },
        });
      expect((await orders()).status).toBe(401);
      expect((await fetch(`${origin}/account/register`)).status).toBe(200);

      expect((await post('/register', ada)).status).toBe(201);
      const [link] = await program.waitFor(/http\S+token=[\w.-]+/);
      expect(link).toContain(`${origin}/account/verify?`);
      expect((await post('/login', ada)).status).toBe(403);
      const token = new URL(link).searchParams.get('token');
      expect((await post('/verify', { token })).status).toBe(200);

      const { access_token } = (await (await post('/login', ada)).json()) as { access_token: string };
      expect((await orders({ Authorization: `Bearer ${access_token}` })).status).toBe(200);
      expect((await orders({ Authorization: 'Bearer made.up.token' })).status).toBe(401);

      // A person in a browser.
      const guarded = template === 'nextjs' ? '/shop' : '/orders';
      const open = (headers: Record<string, string> = {}) =>
        fetch(origin + guarded, { headers: { Accept: 'text/html', ...headers }, redirect: 'manual' });
      const stranger = await open();
      expect(stranger.status).toBeGreaterThanOrEqual(302);
      const { pathname, searchParams } = new URL(stranger.headers.get('Location')!, origin);
      expect([pathname, searchParams.get('next')]).toEqual(['/account/login', guarded]);
      const kept = await fetch(`${origin}/api/auth/browser-session`, {
        ...{ method: 'POST', headers: { Authorization: `Bearer ${access_token}` } },
      });
      const [cookie = ''] = kept.headers.getSetCookie();
      expect((await open({ Cookie: cookie.split(';')[0]! })).status).toBe(200);
    }
  });
});
