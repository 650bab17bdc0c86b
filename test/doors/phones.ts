import { expect } from 'vitest';
import { type App, type Member, signUp } from '../support/app.ts';
import { newPhone } from '../support/people.ts';

/** How many guesses a code allows. */
export const max = 5;

/** A code of six digits that is not this one. */
export const wrong = (code: string) => (code === '111111' ? '222222' : '111111');

export async function nextCode(app: App, phone: string): Promise<string> {
  const { text } = await app.nextText(phone);
  return /^Your Gatehouse (?:sign-in|verification) code: (\d{6})$/.exec(text)![1]!;
}

/** What the tests do with an app through REST, in their own words. */
export function phonesOf(app: App) {
  const post = (path: string, body: object, member?: { token: string }) =>
    app.rest('POST', path, body, member && { token: member.token });
  const phones = {
    start: (member: Member, phone_number: string) =>
      post('/phone/start', { phone_number, current_password: member.password }, member),
    confirm: (member: Member, pending_token: string, code: string) =>
      post('/phone/confirm', { pending_token, code }, member),
    login: ({ email, password }: Member) => post('/login', { email, password }),
    second: (mfa_pending_token: string, code: string) =>
      post('/login/mfa-confirm', { mfa_pending_token, code }),
    async setUp(member: Member, phone = newPhone()): Promise<string> {
      const { body } = await phones.start(member, phone);
      const { status } = await phones.confirm(member, body.pending_token, await nextCode(app, phone));
      expect(status).toBe(200);
      return phone;
    },
    /** Somebody with a phone, and the pending token and code of a login. */
    async atSecondStep() {
      const member = await signUp(app);
      const phone = await phones.setUp(member);
      const { body } = await phones.login(member);
      return { member, phone, pending: body.mfa_pending_token as string, code: await nextCode(app, phone) };
    },
  };
  return phones;
}

export const settings = { enableSms2fa: true, enableAdminRouter: true };

export const refusal = (status: number, code: string, more = {}) => ({ status, body: { code, ...more } });
