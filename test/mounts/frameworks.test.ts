import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useBrowser } from '../browser/use-browser.ts';
import { examples, installExamples, whySkipped } from '../support/installed-examples.ts';
import { Program } from '../support/program.ts';
import { freePort } from '../support/server-process.ts';
import { tellAccount, tellErrors, tellHooks, tellPages, tellShop } from './story.ts';

// Every example of a mount tells the same story, with the packed package. The frameworks are no dependencies of the project:
// what the examples name is installed here, by `npm run test:hosts`.

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

interface Mount {
  /** The folder of the example. */
  example: string;
  /** Returns the arguments of Node that start it. */
  start: string[];
  /** Builds it, where that is needed. */
  build?: string[];
  /** Whether it renders a page for a person. */
  rendersShop?: boolean;
  /** Changes its source, for what people try first. */
  change?: (source: string) => string;
}

const repeated = 'A route ran twice.';
/** Has Fastify notice a hook that goes on twice; the route waits, as one with a database does. */
const noticesRepeats = (source: string) =>
  source.replace(
    'const app = Fastify();',
    `$&
  app.addHook('preHandler', async ({ raw }) => {
    if (raw.hasRun) console.log('${repeated}');
    raw.hasRun = true;
    await new Promise(done => setTimeout(done, 5));
  });`,
  );

const next = '../node_modules/next/dist/bin/next';
const mounts: Record<string, Mount> = {
  'node:http': { example: 'node-http', start: ['server.js'] },
  'Fastify 5 with @fastify/middie': { example: 'fastify', start: ['server.js'], change: noticesRepeats },
  'Fastify 5 with @fastify/express': {
    ...{ example: 'fastify', start: ['server.js'] },
    change: source => source.replace("from '@fastify/middie'", "from '@fastify/express'"),
  },
  'Fastify 5 through fetch': { example: 'fastify-fetch', start: ['server.js'] },
  Hono: { example: 'hono', start: ['server.js'] },
  Koa: { example: 'koa', start: ['server.js'] },
  NestJS: {
    ...{ example: 'nestjs', start: ['dist/main.js'] },
    build: [join(root, 'node_modules/typescript/bin/tsc')],
  },
  'Next.js': { example: 'nextjs', rendersShop: true, build: [next, 'build'], start: [next, 'start'] },
  SvelteKit: {
    ...{ example: 'sveltekit', rendersShop: true },
    ...{ build: ['../node_modules/vite/bin/vite.js', 'build'], start: ['build'] },
  },
  Astro: {
    ...{ example: 'astro', rendersShop: true },
    ...{ build: ['../node_modules/astro/bin/astro.mjs', 'build'], start: ['dist/server/entry.mjs'] },
  },
};

const environmentOf = (port: number) => ({
  PORT: String(port),
  SVC_BASE_URL: `http://localhost:${port}`,
  SVC_JWT_SECRET: 'a secret for this test and no other',
  SVC_DATABASE_URL: 'sqlite+aiosqlite:///:memory:',
  SVC_EMAIL__LOG_BODIES: 'true',
  SVC_LOGIN_RATE_LIMIT: '10/minute',
  NEXT_TELEMETRY_DISABLED: '1',
  ASTRO_TELEMETRY_DISABLED: '1',
  // SvelteKit takes its own address from here.
  ORIGIN: `http://localhost:${port}`,
});

/** How long a development server may take that compiles each page when it is first asked for. */
const firstRequestsMs = 240_000;

const names = Object.values(mounts).map(({ example }) => example);
const installed = await installExamples(
  names,
  { '@fastify/express': '4.0.7' },
  [],
  // It needs no TypeScript, and names another one than the examples that do.
  { '@sveltejs/kit': { typescript: '$typescript' } },
);
const browser = useBrowser();

describe.skipIf('reason' in installed)(`a mount in another framework${whySkipped(installed)}`, () => {
  const { folder } = installed as { folder: string };

  describe.each(Object.keys(mounts))('%s', name => {
    const { example, start, build, change, rendersShop = false } = mounts[name]!;
    let program: Program;
    let origin: string;
    beforeAll(async () => {
      const cwd = join(folder, name.replace(/\W+/g, '-'));
      await mkdir(cwd);
      await cp(join(examples, example), cwd, { recursive: true });
      if (change) {
        const source = await readFile(join(cwd, 'app.js'), 'utf8');
        await writeFile(join(cwd, 'app.js'), change(source));
      }
      const port = await freePort();
      origin = `http://localhost:${port}`;
      const env = environmentOf(port);
      if (build) await run(process.execPath, build, { cwd, env: { PATH: process.env.PATH, ...env } });
      program = new Program(start, { cwd, env });
      await program.waitFor(/listening on|Ready in/i);
    });
    afterAll(() => program?.kill());

    test('serves an account from its registration to its deletion', () => tellAccount({ origin, program }));
    test('serves pages and their files', () => tellPages({ origin, program }));
    if (rendersShop) test('renders a page for a person', () => tellShop({ origin, program }));
    if (example === 'nextjs') {
      test('has hooks for the browser', () => tellHooks({ origin, program }, browser.current!));
    }
    test('refuses as every other mount does', () => tellErrors({ origin, program }));
    test('ends by itself', async () => {
      const code = await program.stop();
      // NestJS ends by the signal itself, Next.js with the code of a shell.
      expect([0, null, 143]).toContain(code);
      expect(program.output).not.toContain(repeated);
    });
  });

  test(
    'Next.js has its hooks in development, too',
    async () => {
      const cwd = join(folder, 'nextjs-dev');
      await cp(join(examples, 'nextjs'), cwd, { recursive: true });
      const port = await freePort();
      const dev = new Program([next, 'dev', '--port', String(port)], { cwd, env: environmentOf(port) });
      try {
        await dev.waitFor(/Ready in/);
        await tellHooks({ origin: `http://localhost:${port}`, program: dev }, browser.current!);
      } finally {
        // Its own child ends only when it is asked to.
        await dev.stop();
      }
    },
    firstRequestsMs,
  );

  test.each(['node-http', 'fastify', 'fastify-fetch', 'hono', 'koa'])(
    'takes at most thirty lines: %s',
    async example => {
      const source = await readFile(join(examples, example, 'server.js'), 'utf8');
      expect(source.trim().split('\n').length).toBeLessThanOrEqual(30);
    },
  );
});
