// Measures what comes over the wire until a page is complete, in each shipped language, with nothing in the browser's cache, and
// writes the table of docs/internals/performance.md: `node scripts/write-page-weights.ts`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { alignedTable } from '../src/config/describe.ts';
import type { ConfigInput } from '../src/config/schema.ts';
import { shippedTags } from '../src/words/tags.ts';
import { launchBrowser } from '../test/browser/browser.ts';
import { weightOf } from '../test/browser/weight.ts';
import { startApp } from '../test/support/app.ts';
import { signUpSuperuser } from '../test/support/people.ts';
import { strongSettings } from '../test/support/strong.ts';

import { readDoc, withGenerated } from './write-docs.ts';

/** Settings, each with what is said of them. */
const configurations: [about: string, ConfigInput][] = [
  ['defaults', {}],
  [
    'everything',
    { ...strongSettings, enableSms2fa: true, enableAccountDeletion: true, auditStore: 'database' },
  ],
];
const locales = shippedTags();
const rows = [['', 'settings', 'login', 'register', 'me', 'admin']];
const browser = await launchBrowser();
for (const [about, settings] of configurations) {
  const app = await startApp({
    databaseUrl: 'sqlite:///:memory:',
    settings: async address => ({
      ...{
        baseUrl: address.replace('127.0.0.1', 'localhost'),
        enableUiRouter: true,
        enableAdminRouter: true,
      },
      ...{ locales, ...settings },
    }),
  });
  const { token } = await signUpSuperuser(app);
  const stranger = await browser.newPage();
  const administrator = await browser.newPage();
  await administrator.addInitScript(`localStorage.setItem('svc.access_token', ${JSON.stringify(token)})`);
  for (const locale of locales) {
    const weigh = async (page: Page, name: string) => {
      const bytes = await weightOf(page, `${app.gatehouse.config.baseUrl}/account/${name}?lang=${locale}`);
      return (bytes / 1000).toFixed(1);
    };
    const first = [await weigh(stranger, 'login'), await weigh(stranger, 'register')];
    const second = [await weigh(administrator, 'me'), await weigh(administrator, 'admin')];
    rows.push([locale, about, ...first, ...second]);
  }
  await app.close();
}
await browser.close();

const file = 'docs/internals/performance.md';
const part = { file, name: 'page weights', content: () => alignedTable(rows) };
writeFileSync(join(import.meta.dirname, '..', file), await withGenerated(readDoc(file), part));
