import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { newUser } from '../../src/domain/new-user.ts';
import { type Member, signUp } from '../support/app.ts';
import { useSite } from './support.ts';

interface Someone {
  email?: string;
  fullName?: string | null;
  isVerified?: boolean;
}

/** The console of administration on a site of its own, with a superuser. */
export function useConsole(settings: ConfigInput = {}) {
  const site = useSite(settings);
  const repositories = () => site.app.gatehouse.repositories;
  const newAddress = (name = 'someone') => `${name}-${randomUUID().slice(0, 8)}@example.org`;

  let root: Member;
  beforeAll(async () => {
    root = await addSuperuser(newAddress('root'));
  });

  async function addSuperuser(email: string): Promise<Member> {
    const member = await signUp(site.app, email);
    await repositories().users.change(member.id, { set: { isSuperuser: true } });
    return member;
  }

  /** Stores a user without the price of a password; each is a little newer than the one before. */
  async function addUser({ email = newAddress(), fullName = null, isVerified = true }: Someone = {}) {
    site.app.clock.advance(1000);
    const user = newUser(site.app.clock.now(), { email, fullName, hashedPassword: null, isVerified });
    await repositories().users.add(user);
    return user;
  }

  /** So many users of one name, which a search finds; oldest first. */
  async function addUsers(count: number): Promise<{ tag: string; emails: string[] }> {
    const tag = randomUUID().slice(0, 8);
    const emails = Array.from(
      { length: count },
      (_, i) => `${String(i + 1).padStart(2, '0')}-${tag}@example.org`,
    );
    for (const email of emails) await addUser({ email });
    return { tag, emails };
  }

  /** The console at a place, for a superuser. */
  async function openConsole(place = '', { token } = root): Promise<Page> {
    const page = await site.openSignedIn(`admin${place}`, token);
    await page.locator('#console').waitFor();
    return page;
  }

  /** Opens the account of a user and waits for its facts. */
  async function openUser(id: string, member = root): Promise<Page> {
    const page = await openConsole(`#user?id=${id}`, member);
    await page.getByRole('heading', { name: 'Facts' }).waitFor();
    return page;
  }
  return {
    site,
    repositories,
    newAddress,
    addSuperuser,
    addUser,
    addUsers,
    openConsole,
    openUser,
    get root() {
      return root;
    },
  };
}

export const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name }).and(page.locator(':visible'));
export const dialogOf = (page: Page) => page.getByRole('dialog');
export const said = (page: Page, text: string | RegExp) =>
  page.locator('#said').filter({ hasText: text }).waitFor();
export const count = (page: Page, text: string | RegExp) =>
  page.locator('[data-part="count"]:visible').filter({ hasText: text }).waitFor();
export const addresses = (page: Page) => page.locator('#users tbody tr a').allTextContents();
export const fact = (page: Page, name: string) =>
  page
    .locator('.facts dt')
    .filter({ hasText: new RegExp(`^${name}$`) })
    .locator('xpath=following-sibling::dd[1]');
export const focused = (page: Page) => page.locator(':focus');
const figure = async (page: Page, name: string) => {
  const text = await page.locator('#figures li').filter({ hasText: name }).first().textContent();
  return Number(/\d+/.exec(text ?? '')?.[0]);
};

/** The figure of that name, which stands above the lists, read anew. */
export async function openFigure(page: Page, name: string): Promise<number> {
  await page.getByRole('link', { name: 'Back to the list' }).click();
  await page.reload();
  await count(page, /user/);
  await page.locator('#figures li').filter({ hasText: name }).filter({ hasText: /\d/ }).first().waitFor();
  const value = await figure(page, name);
  await page.goBack();
  await page.getByRole('heading', { name: 'Facts' }).waitFor();
  return value;
}
