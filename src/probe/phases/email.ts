import { expectAnswer, expectThat } from '../expect.ts';
import { emailOf, newAddress, passwordOf } from '../visitor.ts';
import { asVisitor, expectDead, logIn, type Phase, withoutLetters } from '../walk.ts';

/** Moves to another address, which the mailed link confirms. */
export const email: Phase = {
  name: 'email',
  absence: withoutLetters,
  async run(walk) {
    const { client, visitor, letters } = walk;
    const [token, former, fresh] = [visitor.token, emailOf(visitor), newAddress()];
    letters!.watch(fresh);
    const since = letters!.mark();
    const body = { current_password: passwordOf(visitor), new_email: fresh };
    expectAnswer(await asVisitor(walk, 'POST', '/change-email', { body }), 202);
    const before = await asVisitor(walk, 'GET', '/me');
    expectThat(before.body?.email === former, 'the address changed before its link was used');

    const link = await letters!.secretTo(fresh, since);
    visitor.addresses.push(fresh);
    const confirm = () => client.call('POST', '/confirm-email-change', { body: { token: link } });
    const confirmed = await confirm();
    expectAnswer(confirmed, 200);
    expectThat(confirmed.body?.email === fresh, 'POST /confirm-email-change answered another address');
    expectAnswer(await confirm(), 400, 'invalid_token');
    await expectDead(walk, token, 'the change of its address');
    await logIn(walk);
    return `changed to ${fresh} by the mailed link, which worked once`;
  },
};
