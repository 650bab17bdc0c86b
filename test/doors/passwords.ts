import { expect } from 'vitest';
import type { Events } from '../../src/events.ts';
import { type App, type Member, startApp, tokenOf } from '../support/app.ts';
import type { Backend } from '../support/backends.ts';
import { signUpSuperuser } from '../support/people.ts';

/** An app whose administration is open, so that accounts can be disabled as they are in production. */
export const start = (backend?: Backend, settings: object = {}) =>
  startApp({ ...(backend && { backend }), settings: { enableAdminRouter: true, ...settings } });

const mailsTo = (app: App, address: string) => app.mails.filter(({ to }) => to === address);

export const subjectsTo = (app: App, address: string) => mailsTo(app, address).map(({ subject }) => subject);

export const logged = (app: App) =>
  JSON.stringify(app.logs, (_, value) => (value instanceof Error ? String(value.stack) : value));

export async function setActive(app: App, { id }: Member, is_active: boolean): Promise<void> {
  const { token } = await signUpSuperuser(app);
  const { status } = await app.rest('PATCH', `/admin/users/${id}`, { is_active }, { token });
  expect(status).toBe(200);
}

export const removePassword = (app: App, { id }: Member) =>
  app.gatehouse.repositories.users.change(id, { set: { hashedPassword: null } });

/** Asks for a reset and answers the token of the mail. */
export async function forgot(app: App, email: string): Promise<string> {
  const sent = mailsTo(app, email).length;
  await app.rest('POST', '/forgot-password', { email });
  for (;;) {
    const mail = await app.nextMail(email);
    if (mailsTo(app, email).indexOf(mail) >= sent) return tokenOf(mail);
  }
}

/** The next mail to somebody whose subject fits. */
export async function nextMail(app: App, to: string, subject: RegExp) {
  for (;;) {
    const mail = await app.nextMail(to);
    if (subject.test(mail.subject)) return mail;
  }
}

export function listen<E extends keyof Events>(app: App, event: E): Events[E][] {
  const heard: Events[E][] = [];
  app.gatehouse.on(event, payload => heard.push(payload));
  return heard;
}
