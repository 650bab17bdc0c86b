import { randomInt, randomUUID } from 'node:crypto';
import type { ConfigInput } from '../../src/config/schema.ts';
import { type App, type Member, signUp, startApp, tokenOf } from './app.ts';
import type { Backend } from './backends.ts';

/** Returns a new address. */
export const newAddress = () => `${randomUUID()}@example.org`;

let phones = randomInt(10_000_000, 90_000_000);

/** Returns a mobile number that is new in this process. */
export const newPhone = () => `+49151${++phones}`;

/** Returns a subject that no identity provider knows; one can also sign in under that name at the provider of the tests. */
export const newSubject = () => `s${randomUUID()}`;

/** Returns somebody who is signed in and was made a superuser in the database. */
export async function signUpSuperuser(app: App): Promise<Member> {
  const member = await signUp(app);
  await app.gatehouse.repositories.users.change(member.id, { set: { isSuperuser: true } });
  return member;
}

/** Starts an app whose administration is open, with a superuser who is signed in. */
export async function startAdministration(backend: Backend, settings: ConfigInput = {}) {
  const app = await startApp({ backend, settings: { enableAdminRouter: true, ...settings } });
  return { app, root: await signUpSuperuser(app) };
}

/** Returns whether a session token is accepted. */
export const isAlive = async (app: App, token: string) =>
  (await app.rest('GET', '/me', undefined, { token })).status === 200;

/** Returns the token of the oldest link to this address that was not asked for yet; notices are passed over. */
export async function nextToken(app: App, to: string): Promise<string> {
  for (;;) {
    const mail = await app.nextMail(to);
    if (/[?&]token=/.test(mail.text)) return tokenOf(mail);
  }
}

/** Returns the code at the end of a text message. */
export function codeIn({ text }: { text: string }): string {
  const code = /\b(\d{6})$/.exec(text)?.[1];
  if (!code) throw new Error(`There is no code in:\n${text}`);
  return code;
}

/** Returns the whole numbers from 0 on, so many of them. */
export const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);
