import { describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { doors, resultOf } from '../support/doors.ts';
import { startOidc } from '../support/oidc.ts';
import { newAddress } from '../support/people.ts';

// Facts that an application may know without a session, through both doors (CONTRACT §14).

describe.each(doors)('features, through $name', door => {
  test('says what is on, to anybody', async () => {
    const app = await startApp({ settings: { appName: 'Lanterns', enablePasskeys: true } });
    expect(await resultOf(door.at(app)('features'))).toEqual({
      app_name: 'Lanterns',
      ...{ registration: true, verification_required: true, password_reset: true, account_deletion: true },
      ...{ sms_2fa: false, totp: false, passkeys: true, mfa_required: 'off', session_list: false },
      ...{
        activity: false,
        not_me: false,
        browser_sessions: false,
        tokens: false,
        api_keys: false,
        user_fields: [],
        locales: [{ tag: 'en', name: 'English', direction: 'ltr' }],
        default_locale: 'en',
      },
      ...{ oauth: false, oauth_providers: [], password_min_length: 8, admin: false },
    });
    await app.close();
  });

  test('tells the providers as their buttons show them, and nothing secret', async () => {
    const oidc = await startOidc();
    const oauth = { ...oidc.settings, googleLabel: 'Lantern ID' };
    const app = await startApp({ settings: { baseUrl: 'https://app.example', enableOauth: true, oauth } });
    const features = await resultOf(door.at(app)('features'));
    expect(features.oauth).toBe(true);
    expect(features.oauth_providers).toEqual([{ name: 'google', label: 'Lantern ID', kind: 'oidc' }]);
    expect(JSON.stringify(features)).not.toContain(oauth.googleClientId);
    await app.close();
    await oidc.close();
  });

  test('tells no provider while external sign-in is off', async () => {
    const oauth = { googleClientId: 'client', googleClientSecret: 'secret' };
    const app = await startApp({ settings: { enableOauth: false, oauth } });
    expect(await resultOf(door.at(app)('features'))).toMatchObject({ oauth: false, oauth_providers: [] });
    await app.close();
  });

  test('the least length of a password is the one that is enforced', async () => {
    const app = await startApp();
    const call = door.at(app);
    const { password_min_length: least } = await resultOf(call('features'));
    const register = (length: number) =>
      call('register', { email: newAddress(), password: 'x'.repeat(length) });
    expect(await register(least - 1)).toMatchObject({ ok: false, code: 'invalid_input' });
    expect(await register(least)).toMatchObject({ ok: true });
    await app.close();
  });
});
