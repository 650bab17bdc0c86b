import type { ConfigInput } from '../../src/config/schema.ts';
import { type App, type Member, signUp, tokenOf } from './app.ts';
import { strong } from './strong.ts';

/** A configuration with links "this was not me", and everything that somebody may plant. */
export const disowning: ConfigInput = {
  ...strong,
  notifyNewSignIn: true,
  supportContact: 'help@example.org',
};

export const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
export const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';

/** Signs up a member whose new sign-ins are told: within a day of signing up they are not. */
export async function signUpBefore(app: App, email?: string): Promise<Member> {
  const member = await signUp(app, email);
  const signedUpAt = new Date(app.clock.now().getTime() - 86_400_000);
  await app.gatehouse.repositories.users.change(member.id, { set: { signedUpAt } });
  return member;
}

/** Signs in with a browser. Returns the session token. */
export async function enterWith(app: App, userAgent: string, who: Pick<Member, 'email' | 'password'>) {
  const { email, password } = who;
  const options = { headers: { 'User-Agent': userAgent } };
  const { status, body } = await app.rest('POST', '/login', { email, password }, options);
  if (status !== 200 || !body.access_token) throw new Error(`The login failed: ${JSON.stringify(body)}`);
  return body.access_token as string;
}

/** Returns the token of the next link "this was not me" in an email with this subject; others are passed over. */
export async function nextNotMe(app: App, to: string, subject: RegExp): Promise<string> {
  for (;;) {
    const mail = await app.nextMail(to);
    if (subject.test(mail.subject)) return tokenOf(mail);
  }
}

/** Returns whether a password signs in, a second step apart. */
export const signsIn = async (app: App, who: Pick<Member, 'email' | 'password'>): Promise<boolean> =>
  (await app.rest('POST', '/login', { email: who.email, password: who.password })).status === 200;
