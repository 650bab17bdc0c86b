import { WebAuthnEmulator } from 'nid-webauthn-emulator';
import { type App, type Member, signUp } from '../support/app.ts';
import { baseUrl, type Oidc } from '../support/oidc.ts';
import { codeIn } from '../support/people.ts';

export const owner = 'owner@example.org';

export const phone = '+4915112345678';

/** An app with everything switched on, one ordinary account in it, and what its limiter was asked. */
export interface Site {
  app: App;
  member: Member;
  limited: string[];
  oidc: Oidc;
}

/** What a call is given. */
export interface Given {
  input?: unknown;
  token?: string;
}

export type Prepare = (site: Site) => Promise<Given> | Given;

/** For each of these operations a call that succeeds, and one that its work refuses (null where nothing can be wrong). */
export type Calls<Operations> = Record<keyof Operations, { good: Prepare; bad: Prepare | null }>;

export const signedIn =
  (input?: unknown): Prepare =>
  ({ member }) => ({ input, token: member.token });

/** A call of a superuser, about the ordinary account. */
export const asAdmin =
  (input: (site: Site) => Promise<unknown> | unknown): Prepare =>
  async site => {
    const admin = await signUp(site.app, 'admin@example.org');
    await site.app.gatehouse.repositories.users.change(admin.id, { set: { isSuperuser: true } });
    return { input: await input(site), token: admin.token };
  };

export const post = async ({ app }: Site, path: string, body?: object, token?: string) =>
  (await app.rest('POST', path, body, { token })).body;

export async function startPhone({ app, member: { token, password } }: Site) {
  const input = { phone_number: phone, current_password: password };
  const { body } = await app.rest('POST', '/phone/start', input, { token });
  const code = codeIn(await app.nextText(phone));
  return { pending_token: body.pending_token as string, code };
}

export async function withPhone(site: Site): Promise<void> {
  const { app, member } = site;
  await app.rest('POST', '/phone/confirm', await startPhone(site), { token: member.token });
}

export async function challenged(site: Site) {
  await withPhone(site);
  const { email, password } = site.member;
  const { body } = await site.app.rest('POST', '/login', { email, password });
  const code = codeIn(await site.app.nextText(phone));
  return { mfa_pending_token: body.mfa_pending_token as string, code };
}

/** A browser with an authenticator of its own, and what it has made for a set-up that was started. */
export async function startPasskey(site: Site) {
  const browser = new WebAuthnEmulator();
  const { id, options } = await post(site, '/passkeys/start', {}, site.member.token);
  return { browser, setup: { id: id as string, credential: browser.createJSON(baseUrl, options) } };
}

/** Adds a passkey to the account, and answers its id and the browser that has it. */
export async function withPasskey(site: Site) {
  const { browser, setup } = await startPasskey(site);
  const { authenticator } = await post(site, '/passkeys/confirm', setup, site.member.token);
  return { browser, id: authenticator.id as string };
}

export const unverified: Prepare = async ({ app, member }) => {
  await app.gatehouse.repositories.users.change(member.id, { set: { isVerified: false } });
  return { token: member.token };
};
