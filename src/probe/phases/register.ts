import { expectAnswer, expectThat } from '../expect.ts';
import { emailOf, passwordOf } from '../visitor.ts';
import type { Phase } from '../walk.ts';

/** Makes the visitor, and confirms its address by the mailed link. */
export const register: Phase = {
  name: 'register',
  absence: () => null,
  async run({ client, visitor, letters }) {
    const [email, password] = [emailOf(visitor), passwordOf(visitor)];
    letters?.watch(email);
    const since = letters?.mark() ?? 0;

    const weak = await client.call('POST', '/register', { body: { email, password: '1234567' } });
    expectAnswer(weak, 422, 'invalid_input');

    visitor.state = 'unknown';
    const body = { email, password, full_name: 'Gatehouse Probe' };
    const answer = await client.call('POST', '/register', { body });
    if (answer.status >= 400 && answer.status < 500) visitor.state = 'none';
    expectAnswer(answer, 201);
    const isPending = answer.body?.status === 'pending_verification';
    visitor.state = isPending ? 'pending' : 'there';
    expectThat(answer.body?.email === email, 'the answer to a registration does not hold its address');
    if (!isPending) return `${email}, without verification`;

    const early = await client.call('POST', '/login', { body: { email, password } });
    expectAnswer(early, 403, 'email_not_verified');
    expectThat(
      letters !== null,
      'the address must be verified, and without --log-source nobody reads the mail',
    );
    const token = await letters.secretTo(email, since);
    expectAnswer(
      await client.call('POST', '/verify', { body: { token: `${token}x` } }),
      400,
      'invalid_token',
    );
    const verified = await client.call('POST', '/verify', { body: { token } });
    expectAnswer(verified, 200);
    visitor.state = 'there';
    expectThat(verified.body?.is_verified === true, 'POST /verify answered a user that is not verified');
    expectAnswer(await client.call('POST', '/verify', { body: { token } }), 400, 'invalid_token');
    return `${email}, verified by the mailed link, which worked once`;
  },
};
