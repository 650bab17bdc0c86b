import { expect, test } from 'vitest';
import { describeEachBackend } from '../../support/backends.ts';
import { baseUrl, startOidc } from '../../support/oidc.ts';
import { rowsIn } from '../../support/rows.ts';
import { strongSettings } from '../../support/strong.ts';
import { newPhone, probed, startDeployment } from './deployment.ts';

describeEachBackend(
  'what the probe leaves in the database',
  backend => {
    test('is nothing but the caps of its own address and phone, and the token that it logged out', async () => {
      const oidc = await startOidc();
      const database = await backend.createDatabase();
      const settings = {
        ...{ databaseUrl: database.url, baseUrl, enableOauth: true, oauth: oidc.settings },
        ...{ ...strongSettings, enableBrowserSessions: true, enableTokens: true, enableApiKeys: true },
      };
      const deployment = await startDeployment(settings);
      const checks = await probed(deployment, { phone: newPhone() });
      expect(checks.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);

      const {
        login_attempts = [],
        token_blacklist = [],
        signing_keys,
        ...others
      } = await rowsIn(database.url);
      // The ring that the start made.
      expect(signing_keys).toHaveLength(1);
      expect(others).toEqual({});
      // How many mails and messages went out must outlast the account, or deleting it would lift the caps.
      const subjects = login_attempts.map(({ email }) => String(email).replace(/[^\s:]+@\S+/, 'address'));
      for (const subject of subjects)
        expect(subject).toMatch(/^(mail:(verification|reset|email_change):address|sms:\S+)$/);
      // A token that was logged out, or that a sign-in has used up, is refused for as long as it would live; the row holds
      // its `jti` and `exp` alone.
      expect(token_blacklist).not.toEqual([]);
      for (const row of token_blacklist) expect(Object.keys(row)).toHaveLength(2);

      await deployment.close();
      await database.drop();
      await oidc.close();
    });

    test('is nothing at all where it must not begin', async () => {
      const database = await backend.createDatabase();
      const deployment = await startDeployment({ databaseUrl: database.url, enableAccountDeletion: false });
      const checks = await probed(deployment);
      expect(checks.map(({ outcome }) => outcome)).toContain('fail');
      expect(await rowsIn(database.url)).toEqual({});
      await deployment.close();
      await database.drop();
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);
