import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, logIn, type Member, signUp, startApp, tokenOf } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { disowning, enterWith, firefox, nextNotMe, safari } from '../support/not-me.ts';
import { newAddress, nextToken } from '../support/people.ts';
import { setUpTotp } from '../support/strong.ts';

// An intruder who moves the account to an own mailbox gets resets and links there; those must keep nothing from the owner.

const newPassword = 'another horse battery';
const chosenByThief = 'what the thief has chosen';

describeEachDriver('a link "this was not me" of an account that was moved to another address', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend, settings: disowning });
  });
  afterAll(() => app?.close());

  async function ok(path: string, body: object, token?: string): Promise<void> {
    const reply = await app.rest('POST', path, body, token === undefined ? {} : { token });
    expect(reply).toMatchObject({ status: expect.toSatisfy(status => status < 400) });
  }
  const putBack = (token: string, password: string, new_password: string) =>
    ok('/not-me', { token, password, new_password });

  async function reset({ email }: Pick<Member, 'email'>, new_password: string): Promise<void> {
    await ok('/forgot-password', { email });
    for (;;) {
      const mail = await app.nextMail(email);
      if (!mail.text.includes('/reset-password?token=')) continue;
      await ok('/reset-password', { token: tokenOf(mail), new_password });
      return;
    }
  }

  /** Moves an account to a new address. Returns it. */
  async function move({ token, password }: Pick<Member, 'token' | 'password'>): Promise<string> {
    const email = newAddress();
    await ok('/change-email', { current_password: password, new_email: email }, token);
    await ok('/confirm-email-change', { token: await nextToken(app, email) });
    return email;
  }

  /** Somebody with the password signs in. Returns the session, and the link that the mailbox gets. */
  async function enter(who: Pick<Member, 'email' | 'password'>, browser = safari) {
    const token = await enterWith(app, browser, who);
    return { token, link: await nextNotMe(app, who.email, /^A new sign-in/) };
  }

  const stateOf = async ({ id }: Pick<Member, 'id'>) => {
    const { users, authenticators } = app.gatehouse.repositories;
    const { email, isMfaEnabled } = (await users.find(id))!;
    return { email, isMfaEnabled, factors: (await authenticators.listByUser(id)).length };
  };

  test.each([false, true])(
    'undoes what an intruder added after a link of the own mailbox (the first sign-in told: %s)',
    async isEarlier => {
      const owner = await signUp(app);
      const { token, link: early } = await enter(owner);
      const elsewhere = await move({ ...owner, token });
      const moved = await nextNotMe(app, owner.email, /^Your email address at .* was changed/);
      const { link: own } = await enter({ ...owner, email: elsewhere }, firefox);
      await putBack(own, owner.password, chosenByThief);
      const thief = { email: elsewhere, password: chosenByThief };
      const { token: session } = await setUpTotp(app, { token: await logIn(app, thief) });
      await move({ ...thief, token: session });
      await putBack(isEarlier ? early : moved, owner.password, newPassword);
      expect(await stateOf(owner)).toEqual({ email: owner.email, isMfaEnabled: false, factors: 0 });
    },
  );

  test('undoes what an intruder added after a reset by the own mailbox, though the owner had once reset, too', async () => {
    const owner = { ...(await signUp(app)), password: 'chosen by the owner by mail' };
    await reset(owner, owner.password);
    const { token, link } = await enter(owner);
    const elsewhere = await move({ ...owner, token });
    const thief = { email: elsewhere, password: chosenByThief };
    await reset(thief, thief.password);
    const { token: session } = await setUpTotp(app, { token: await logIn(app, thief) });
    await move({ ...thief, token: session });
    await putBack(link, owner.password, newPassword);
    expect(await stateOf(owner)).toEqual({ email: owner.email, isMfaEnabled: false, factors: 0 });
  });

  test('keeps what the owner added, and the address to which the owner moved, after a reset by the former mailbox', async () => {
    const owner = { ...(await signUp(app)), password: newPassword };
    await reset(owner, chosenByThief);
    const { link } = await enter({ ...owner, password: chosenByThief });
    await reset(owner, owner.password);
    const { token } = await setUpTotp(app, { token: await logIn(app, owner) });
    const email = await move({ ...owner, token });
    await putBack(link, chosenByThief, 'yet another password');
    expect(await stateOf(owner)).toEqual({ email, isMfaEnabled: true, factors: 1 });
    // Both mailboxes hear of it: the account's, and the one that the link was sent to.
    for (const to of [email, owner.email]) {
      const subjects = app.mails.filter(mail => mail.to === to).map(({ subject }) => subject);
      expect(subjects.filter(subject => /was put back/.test(subject))).toHaveLength(1);
    }
  });
});
