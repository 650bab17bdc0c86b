import { expectAnswer, expectThat } from '../expect.ts';
import { requiredFields } from '../own-fields.ts';
import { emailOf, newPassword, passwordOf } from '../visitor.ts';
import type { Phase } from '../walk.ts';

/** Registers the visitor, and confirms its address with the link in the email. */
export const register: Phase = {
  name: 'register',
  absence: () => null,
  async run(walk) {
    const { client, visitor, mails } = walk;
    const [email, password] = [emailOf(visitor), passwordOf(visitor)];
    mails?.watch(email);
    const since = mails?.mark() ?? 0;

    const weak = await client.call('POST', '/register', { body: { email, password: '1234567' } });
    expectAnswer(weak, 422, 'invalid_input');

    // Its own address, while there is no account: what is stored of a failure is deleted with the account.
    walk.refusal = await client.call('POST', '/login', { body: { email, password: newPassword() } });
    expectAnswer(walk.refusal, 401, 'invalid_credentials');

    visitor.state = 'unknown';
    const body = { email, password, full_name: 'Gatehouse Probe', ...(await requiredFields(client)) };
    const answer = await client.call('POST', '/register', { body });
    if (answer.status >= 400 && answer.status < 500) visitor.state = 'none';
    expectAnswer(answer, 201);
    const isPending = answer.body?.status === 'pending_verification';
    visitor.state = isPending ? 'pending' : 'there';
    expectThat(answer.body?.email === email, 'the response to a registration does not contain its address');
    visitor.isUnverified = !isPending;
    if (!isPending) return `${email}, without verification`;

    const early = await client.call('POST', '/login', { body: { email, password } });
    // With `enumeration_safe_registration` a sign-in to a pending registration is refused as one to an unknown address.
    if (early.status !== 401) expectAnswer(early, 403, 'email_not_verified');
    else expectAnswer(early, 401, 'invalid_credentials');
    expectThat(
      mails !== null,
      'the address must be verified, and without --log-source or --mailbox the email cannot be read',
    );
    const token = await mails.secretTo(email, since);
    expectAnswer(
      await client.call('POST', '/verify', { body: { token: `${token}x` } }),
      400,
      'invalid_token',
    );
    const verified = await client.call('POST', '/verify', { body: { token } });
    expectAnswer(verified, 200);
    visitor.state = 'there';
    expectThat(verified.body?.is_verified === true, 'POST /verify returned a user that is not verified');
    expectAnswer(await client.call('POST', '/verify', { body: { token } }), 400, 'invalid_token');
    return `${email}, verified by the emailed link, which worked once`;
  },
};
