import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useBrowser } from '../browser/use-browser.ts';
import { Program } from '../support/program.ts';
import { freePort } from '../support/server-process.ts';

// The site of the documents, as `npm run site` makes it with packages from a registry, in a browser.

const root = join(import.meta.dirname, '../..');
const browser = useBrowser();

/** The first time, packages are installed; a build takes half a minute of a core. */
const makingMs = 600_000;

let program: Program;
let origin: string;
let context: BrowserContext;
/** Requests of any page to other origins. */
const foreign: string[] = [];

beforeAll(async () => {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  // The first run installs, for which npm needs what the environment says of proxies and certificates.
  const env = process.env as Record<string, string>;
  program = new Program(['scripts/site.ts', '--port', String(port)], { cwd: root, env });
  await program.waitFor(new RegExp(`127\\.0\\.0\\.1:${port}`), 0, makingMs);
  context = await browser.current!.newContext({ viewport: { width: 320, height: 640 } });
  context.on('request', request => {
    if (new URL(request.url()).origin !== origin && !request.url().startsWith('data:'))
      foreign.push(`${request.url()} of ${request.frame().url()}`);
  });
}, makingMs);

afterAll(() => program?.stop());

/** What a page has, once its scripts have run. */
interface Seen {
  links: string[];
  ids: string[];
  brokenImages: string[];
  overflow: number;
}

const seenOn = (page: Page) =>
  page.evaluate(`(async () => {
    for (const image of document.images) image.loading = 'eager';
    const broken = await Promise.all([...document.images].map(image =>
      image.decode().then(() => undefined, () => image.src)));
    return {
      links: [...document.querySelectorAll('a[href]')].map(link => link.href),
      ids: [...document.querySelectorAll('[id]')].map(element => element.id),
      brokenImages: broken.filter(Boolean),
      overflow: document.documentElement.scrollWidth - innerWidth,
    };
  })()`) as Promise<Seen>;

test('every link leads somewhere, and no page is wider than 320 px or asks another origin', async () => {
  const page = await context.newPage();
  const waiting = ['/'];
  const ids = new Map<string, string[]>();
  const anchors = new Map<string, string>();
  const found: string[] = [];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (ids.has(path)) continue;
    const response = await page.goto(origin + path);
    if (response?.status() !== 200) found.push(`${path}: ${response?.status()}`);
    const seen = await seenOn(page);
    ids.set(path, seen.ids);
    for (const image of seen.brokenImages) found.push(`${path}: the picture ${image}`);
    if (seen.overflow > 0) found.push(`${path}: ${seen.overflow} px too wide`);
    for (const link of seen.links) {
      const url = new URL(link);
      if (url.origin !== origin) continue;
      waiting.push(url.pathname);
      if (url.hash) anchors.set(`${url.pathname}${url.hash}`, path);
    }
  }
  for (const [link, from] of anchors) {
    const [path, id] = link.split('#') as [string, string];
    if (!ids.get(path)?.includes(decodeURIComponent(id))) found.push(`${from}: no ${link}`);
  }
  expect({ found, foreign }).toEqual({ found: [], foreign: [] });
  expect(ids.size).toBeGreaterThan(50);
}, 600_000);

test('the search finds "recovery code" without asking another origin', async () => {
  const page = await context.newPage();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${origin}/quick-start.html`);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.locator('.rp-search-panel__input').fill('recovery code');
  await page
    .locator('.rp-search-panel__modal')
    .getByRole('link', { name: /recovery code/i })
    .first()
    .waitFor();
  expect(foreign).toEqual([]);
});

/** The Markdown of each page, as `llms.txt` of the site names it. */
async function markdownPages(): Promise<string[]> {
  const index = await (await fetch(`${origin}/llms.txt`)).text();
  return [...index.matchAll(/\]\((\/[^)]+\.md)\)/g)].map(([, path]) => path!);
}

/** In the dark, colours alone differ. Rspress scrolls wide tables in an element to which Chromium gives a tab stop. */
const axeOptions = {
  light: { rules: { 'scrollable-region-focusable': { enabled: false } } },
  dark: { runOnly: ['color-contrast'] },
};

test('axe finds nothing serious on any page for readers, in the light and in the dark', async () => {
  const paths = (await markdownPages()).filter(path => /^\/[^/]+\.md$/.test(path));
  expect(paths.length).toBeGreaterThan(45);
  const found: string[] = [];
  const page = await context.newPage();
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const path of paths) {
      await page.goto(origin + path.replace(/\.md$/, '.html'));
      await page.evaluate(axe.source);
      const violations = (await page.evaluate(
        `axe.run(${JSON.stringify(axeOptions[colorScheme])}).then(({ violations }) => violations)`,
      )) as {
        id: string;
        impact: string;
        nodes: { html: string }[];
      }[];
      for (const { id, impact, nodes } of violations)
        if (impact === 'serious' || impact === 'critical')
          found.push(
            `${colorScheme} ${path} ${id}: ${nodes.map(({ html }) => html.slice(0, 150)).join(' ')}`,
          );
    }
  }
  expect(found).toEqual([]);
}, 600_000);

test('programs find an index and the Markdown of each page', async () => {
  const paths = await markdownPages();
  expect(paths).toContain('/quick-start.md');
  for (const path of paths) {
    const response = await fetch(origin + path);
    expect([path, response.status]).toEqual([path, 200]);
    expect(await response.text()).toMatch(/^# /m);
  }
});

test('its configuration fits the types of Rspress', () => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  expect(execFileSync(process.execPath, [tsc, '-p', 'site'], { cwd: root, encoding: 'utf8' })).toBe('');
});

test('the package holds nothing of it', () => {
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(files.filter((path: string) => path.startsWith('site'))).toEqual([]);
});
