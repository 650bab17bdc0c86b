import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** In its short form, because each page that is looked at gets it anew. */
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string }[];
}

/**
 * Looks at a page as it stands now, under the name of its state: axe-core finds nothing serious, in the light and in
 * the dark, and nothing has to be scrolled sideways at 320 px, even with text of twice the size (WCAG 2.2, 1.4.3,
 * 1.4.4, 1.4.10).
 */
export async function look(page: Page, state: string): Promise<void> {
  const found: string[] = [];
  // A page compiles it once.
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(axe);
  found.push(...(await seriousIn(page, "{ resultTypes: ['violations'] }")));
  // Nothing but the colours differs.
  await page.emulateMedia({ colorScheme: 'dark' });
  found.push(
    ...(await seriousIn(page, "{ runOnly: ['color-contrast'] }")).map(violation => `dark ${violation}`),
  );
  await page.emulateMedia({ colorScheme: 'light' });
  found.push(...(await tooWide(page)));
  expect({ state, found }).toEqual({ state, found: [] });
}

/** As `look`, for words alone: which colours and roles a page has does not depend on its language. */
export async function lookAtWords(page: Page, state: string): Promise<void> {
  expect({ state, found: await tooWide(page) }).toEqual({ state, found: [] });
}

async function tooWide(page: Page): Promise<string[]> {
  const found: string[] = [];
  const usual = page.viewportSize()!;
  for (const width of new Set([usual.width, 320])) {
    await page.setViewportSize({ ...usual, width });
    for (const size of ['100%', '200%']) {
      await page.evaluate(`document.documentElement.style.fontSize = '${size}'`);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      if (Number(overflow) > 0) found.push(`${overflow} px too wide for ${width} px with text of ${size}`);
    }
  }
  await page.evaluate("document.documentElement.style.fontSize = ''");
  await page.setViewportSize(usual);
  return found;
}

async function seriousIn(page: Page, options: string): Promise<string[]> {
  const violations = (await page.evaluate(
    `axe.run(${options}).then(result => result.violations)`,
  )) as Violation[];
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join(' ')}`);
}
