import { expect, test } from 'vitest';
import { dataEncryptionKey, signUp } from '../support/app.ts';
import { newAddress } from '../support/people.ts';
import { look } from './look.ts';
import { useSite } from './support.ts';

const site = useSite({ enumerationSafeRegistration: true, mailStore: 'database', dataEncryptionKey });

test('the page says the same of an address that is new and of one that is taken, and the mail leads on', async () => {
  const { email: taken } = await signUp(site.app);
  const texts = [];
  for (const email of [newAddress(), taken]) {
    const page = await site.open('register');
    await page.getByLabel('Email address').fill(email);
    await page.locator('#password').fill('correct horse battery');
    await page.getByRole('button', { name: 'Create my account' }).click();
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();
    const sent = page.locator('[data-step="sent"]').first();
    texts.push((await sent.textContent())!.replace(email, 'ADDRESS'));
    await look(page, `registered ${email === taken ? 'a taken' : 'a new'} address`);
  }
  expect(texts[1]).toBe(texts[0]);
  const { text } = await site.app.nextMail(taken);
  const page = await site.open(/https?:\S+login/.exec(text)![0]);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});
