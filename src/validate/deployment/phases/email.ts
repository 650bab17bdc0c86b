import { expectAnswer, expectThat } from '../expect.ts';
import { emailOf, passwordOf } from '../visitor.ts';
import { asVisitor, expectDead, logIn, type Phase, withoutMails } from '../walk.ts';

/** Changes the address, which the link in the email confirms. */
export const email: Phase = {
  name: 'email',
  absence: withoutMails,
  async run(walk) {
    const { visitor, mails } = walk;
    const [token, former, fresh] = [visitor.token, emailOf(visitor), visitor.newAddress()];
    mails!.watch(fresh);
    const since = mails!.mark();
    const body = { current_password: passwordOf(visitor), new_email: fresh };
    expectAnswer(await asVisitor(walk, 'POST', '/change-email', { body }), 202);
    const before = await asVisitor(walk, 'GET', '/me');
    expectThat(before.body?.email === former, 'the address changed before its link was used');

    const link = await mails!.secretTo(fresh, since);
    visitor.addresses.push(fresh);
    // With the session, which `email_change_needs_account` may require.
    const confirm = () => asVisitor(walk, 'POST', '/confirm-email-change', { body: { token: link } });
    const confirmed = await confirm();
    expectAnswer(confirmed, 200);
    expectThat(confirmed.body?.email === fresh, 'POST /confirm-email-change returned another address');
    expectAnswer(await confirm(), 400, 'invalid_token');
    await expectDead(walk, token, 'the change of its address');
    await logIn(walk);
    return `changed to ${fresh} by the emailed link, which worked once`;
  },
};
