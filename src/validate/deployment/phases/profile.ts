import { expectAnswer, expectThat } from '../expect.ts';
import { emailOf } from '../visitor.ts';
import { asVisitor, type Phase } from '../walk.ts';

/** Reads and changes the visitor's own account. */
export const profile: Phase = {
  name: 'profile',
  absence: () => null,
  async run(walk) {
    const me = await asVisitor(walk, 'GET', '/me');
    expectAnswer(me, 200);
    expectThat(me.body?.email === emailOf(walk.visitor), 'GET /me returns another account');
    expectThat(!/hash|argon2/i.test(me.text), 'GET /me exposes the password hash');
    const body = { full_name: 'Gatehouse Probe, renamed' };
    const changed = await asVisitor(walk, 'PATCH', '/me', { body });
    expectAnswer(changed, 200);
    expectThat(changed.body?.full_name === body.full_name, 'PATCH /me did not change the name');
    const grab = await asVisitor(walk, 'PATCH', '/me', { body: { is_superuser: true } });
    expectAnswer(grab, 422, 'invalid_input');
    return 'read and changed; fields that are not the owner’s are refused';
  },
};
