import { expect, test } from 'vitest';
import type { Assembled } from '../../src/gatehouse.ts';
import { signUp, startApp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';

describeEachDriver('roles that an operator gives and takes', backend => {
  test('of ten changes at once none is lost', async () => {
    const roles = Array.from({ length: 10 }, (_, number) => `role${number}`);
    const app = await startApp({ backend, settings: { roles } });
    try {
      const { email } = await signUp(app);
      const { operator } = app.gatehouse as Assembled;
      await operator.changeRoles({ email }, { add: roles.slice(5), remove: [] });
      await Promise.all(
        roles.map((role, number) =>
          operator.changeRoles(
            { email },
            number < 5 ? { add: [role], remove: [] } : { add: [], remove: [role] },
          ),
        ),
      );
      expect((await operator.find({ email })).roles).toEqual(roles.slice(0, 5));
    } finally {
      await app.close();
    }
  });
});
