import { expectAnswer } from '../expect.ts';
import { emailOf, newPassword, passwordOf } from '../visitor.ts';
import { asVisitor, expectDead, type Phase } from '../walk.ts';

/** Deletes the visitor, who then can't come back. */
export const deletion: Phase = {
  name: 'delete',
  absence: ({ features }) => (features.accountDeletion ? null : 'is off (enable_account_deletion)'),
  async run(walk) {
    const { client, visitor } = walk;
    const [token, current_password] = [visitor.token, passwordOf(visitor)];
    const remove = (password: string) =>
      asVisitor(walk, 'DELETE', '/account', { body: { current_password: password } });
    expectAnswer(
      await client.call('DELETE', '/account', { body: { current_password } }),
      401,
      'unauthenticated',
    );
    expectAnswer(await remove(newPassword()), 400, 'wrong_password');
    expectAnswer(await remove(current_password), 200);
    visitor.state = 'deleted';
    await expectDead(walk, token, 'the deletion of its user');
    const body = { email: emailOf(visitor), password: current_password };
    expectAnswer(await client.call('POST', '/login', { body }), 401, 'invalid_credentials');
    return `${emailOf(visitor)} is gone, and so is its session`;
  },
};
