import { expect, test } from 'vitest';
import { signUp, startApp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { doors, resultOf } from '../support/doors.ts';
import { codeOf, setUpTotp, strong } from '../support/strong.ts';

// Somebody sees the code of an app over a shoulder and types it a moment later: by the tolerance it is right for up to a
// minute and a half.

describeEachDriver('totp_tolerance_steps = 0', backend => {
  // Shows asvs/6.5.5.
  test('accepts the present code alone, at every door', async () => {
    const app = await startApp({ backend, settings: { ...strong, totpToleranceSteps: 0 } });
    for (const door of doors) {
      const call = door.at(app);
      const member = await signUp(app);
      const { secret } = await setUpTotp(app, member);
      app.clock.advance(60_000);
      const { mfa_pending_token } = await resultOf(
        call('login', { email: member.email, password: member.password }),
      );
      const confirm = (code: string) => call('confirmLoginMfa', { mfa_pending_token, method: 'totp', code });
      const seen = codeOf(app, secret);
      app.clock.advance(30_000);
      expect(await confirm(seen)).toMatchObject({ code: 'mfa_code_wrong', status: 400 });
      expect(await confirm(codeOf(app, secret))).toMatchObject({ ok: true });
    }
    await app.close();
  });
});
