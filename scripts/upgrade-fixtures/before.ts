import { fromBase32, hotp, stepAt } from '../../src/features/authenticator-apps/codes.ts';
import type { BeforePeople } from '../../test/support/former.ts';
import { Passkey } from '../../test/support/passkeys.ts';
import { address, type Load, openSite, password } from './site.ts';

const newPassword = 'another horse battery';

/** A browser that no account has used. */
const elsewhere = {
  'User-Agent':
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
};

/**
 * Fills a database of the version before this one, with strong sign-in, stored mail and audit on, with one account of each
 * kind. Returns what only their owners know.
 */
export async function populateBefore(load: Load, databaseUrl: string): Promise<BeforePeople> {
  const site = await openSite(load, databaseUrl, {
    ...{ enableTotp: true, enablePasskeys: true, enableSessionList: true, notifyNewSignIn: true },
    ...{ mailStore: 'database', auditStore: 'database', dataEncryptionKey: 'A'.repeat(43) },
    supportContact: 'help@example.org',
  });
  const { app, clock, call, logIn, signUp, addPhone } = site;
  const { users } = app.gatehouse.repositories;

  async function addApp({ token }: { token: string }) {
    const { id, secret } = await call('POST', '/totp/start', {}, { token });
    const code = hotp(fromBase32(secret), stepAt(clock.now()));
    const { recovery_codes } = await call('POST', '/totp/confirm', { id, code }, { token });
    return { secret: secret as string, recoveryCodes: (recovery_codes ?? []) as string[] };
  }
  async function pending(name: string): Promise<string> {
    return (await logIn(name)).mfa_pending_token;
  }

  await app.gatehouse.operator.createAdmin({ email: address('superuser'), password });
  const names = ['ordinary', 'phone', 'app', 'both', 'passkey', 'linked', 'open', 'reported', 'putback'];
  const members: Record<string, { id: string; token: string }> = {};
  for (const name of [...names, 'moved', 'changing']) {
    members[name] = await signUp(name, name === 'ordinary' ? 'Grace Hopper' : undefined);
  }
  const { hashedPassword } = await users.findByEmail(address('ordinary'));
  const imported = {
    email: address('imported'),
    is_verified: true,
    hashed_password: hashedPassword,
    phone_number: '+4915100000003',
  };
  async function* lines() {
    yield { number: 1, text: JSON.stringify(imported) };
  }
  const { created } = await app.gatehouse.features.importExport!.operator.importUsers({
    lines: lines(),
    onRefused: () => {},
  });
  if (created !== 1) throw new Error('The import failed.');

  // A day after one's own registration, a sign-in from elsewhere is told.
  clock.advance(2 * 86_400_000);
  for (const name of Object.keys(members)) members[name]!.token = (await logIn(name)).access_token;
  const superuser: string = (await logIn('superuser')).access_token;

  const phones = { phone: '+4915100000001', both: '+4915100000002', imported: imported.phone_number };
  await addPhone(phones.phone, members.phone!.token);
  await addPhone(phones.both, members.both!.token);
  // From now on an app is added in a session that had the second step.
  const second = { mfa_pending_token: await pending('both'), code: await site.codeTo(phones.both) };
  members.both!.token = (await call('POST', '/login/mfa-confirm', second)).access_token;
  const secrets: Record<string, string> = {};
  const codes: Record<string, string[]> = {};
  const importedToken: string = (await logIn('imported')).access_token;
  for (const [name, { token }] of Object.entries({ ...members, imported: { token: importedToken } })) {
    if (!['app', 'both', 'imported'].includes(name)) continue;
    const { secret, recoveryCodes } = await addApp({ token });
    secrets[name] = secret;
    codes[name] = recoveryCodes;
  }

  const passkey = new Passkey('https://app.example');
  const setup = await call('POST', '/passkeys/start', {}, members.passkey);
  const credential = passkey.create(setup.options);
  await call('POST', '/passkeys/confirm', { id: setup.id, credential }, members.passkey);

  const { authorization_url } = await call('POST', '/oauth/google/link/start', {}, members.linked);
  await site.external(authorization_url, 'linked-subject');

  async function reportable(name: string): Promise<string> {
    await logIn(name, elsewhere);
    return site.mailed(name, /^A new sign-in/);
  }
  const notMe = {
    open: await reportable('open'),
    reported: await reportable('reported'),
    putback: await reportable('putback'),
  };
  await call('POST', '/not-me', { token: notMe.reported });
  await call('POST', '/not-me', { token: notMe.putback });
  const returned = { token: notMe.putback, password, new_password: newPassword };
  await call('POST', '/not-me', returned);

  const move = (name: string, to: string) =>
    call(
      'POST',
      '/change-email',
      { current_password: password, new_email: address(to) },
      { ...members[name], status: 202 },
    );
  await move('moved', 'moved-away');
  await call('POST', '/confirm-email-change', { token: await site.mailed('moved-away') });
  const formerAddress = await site.mailed('moved', /was changed/);
  await move('changing', 'changed');
  const emailChange = await site.mailed('changed');

  await call('POST', '/register', { email: address('waiting'), password }, { status: 201 });
  const registration = await site.mailed('waiting');

  const phoneLogin = { mfa_pending_token: await pending('phone'), code: await site.codeTo(phones.phone) };
  const appLogin = { mfa_pending_token: await pending('app') };

  const now = clock.now().toISOString();
  await site.close();
  const ids = Object.fromEntries(Object.entries(members).map(([name, { id }]) => [name, id]));
  const sessions = Object.fromEntries(Object.entries(members).map(([name, { token }]) => [name, token]));
  return {
    ...{ now, password, newPassword, ids },
    sessions: { ...sessions, superuser, imported: importedToken },
    ...{ issuer: site.issuer, phones, secrets, recoveryCodes: codes, passkey: passkey.toJSON() },
    notMe: { ...notMe, moved: formerAddress },
    ...{ registration, emailChange, phoneLogin, appLogin },
  };
}
