import type { Page } from 'playwright-core';
import { codeAt } from '../support/strong.ts';

// Steps on the account page that the tests of signing in share.

/** The panel of the account page with this label. */
export const panelOf = (page: Page, label: string) =>
  page.locator('details.panel', { has: page.locator(`.panel-label:text-is("${label}")`) });

/** Opens the panel of the app and begins its set-up with that. Returns its secret, as the page shows it. */
export async function beginAppSetup(page: Page): Promise<string> {
  const panel = panelOf(page, 'Authenticator app');
  await panel.locator('summary').click();
  await panel.locator('[data-qr]:focus').waitFor();
  return (await panel.locator('[data-fill="totp_secret"]').textContent())!;
}

/** Sets an app up, up to the recovery codes, which are then on the screen. Returns its secret. */
export async function setUpApp(page: Page, now: () => Date): Promise<string> {
  const secret = await beginAppSetup(page);
  await page.locator('#totp-code').fill(codeAt(secret, now()));
  await page.getByRole('button', { name: 'Turn it on' }).click();
  await page.getByRole('dialog', { name: 'Your recovery codes' }).waitFor();
  return secret;
}
