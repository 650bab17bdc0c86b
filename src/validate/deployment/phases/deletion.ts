import { expectAnswer } from '../expect.ts';
import { emailOf, newPassword, passwordOf } from '../visitor.ts';
import { asVisitor, expectDead, type Phase } from '../walk.ts';

/**
 * Deletes the visitor. A sign-in afterwards is not tried: a failed sign-in is stored, and the probe must leave nothing
 * behind.
 */
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
    await expectDead(walk, token, 'the deletion of its account');
    expectAnswer(await remove(current_password), 401, 'unauthenticated');
    return `${emailOf(visitor)} was deleted, and its session no longer works`;
  },
};
