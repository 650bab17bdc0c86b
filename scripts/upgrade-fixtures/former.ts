import type { FormerPeople } from '../../test/support/former.ts';
import { address, type Load, openSite, password } from './site.ts';

/** Fills a database of the first version with one account of each kind. Returns what only their owners know. */
export async function populateFormer(load: Load, databaseUrl: string): Promise<FormerPeople> {
  const site = await openSite(load, databaseUrl, {});
  const { app, clock, call, logIn, signUp, external } = site;
  const open = await site.beside({ requireVerification: false });

  await app.gatehouse.operator.createAdmin({ email: address('superuser'), password });
  const superuser = (await logIn('superuser')).access_token;
  const ordinary = await signUp('ordinary', 'Grace Hopper');
  const loggedOut = (await logIn('ordinary')).access_token;
  await call('POST', '/logout', {}, { token: loggedOut });

  const revoked = await signUp('revoked');
  const changed = { current_password: password, new_password: 'another horse battery' };
  await call('POST', '/change-password', changed, revoked);

  await open.rest('POST', '/register', { email: address('unverified'), password });
  await call('POST', '/resend-verification', { email: address('unverified') }, { status: 202 });
  const verification = await site.mailed('unverified');

  const phone = '+4915112345678';
  const mfa = await signUp('mfa');
  await site.addPhone(phone, mfa.token);
  const { mfa_pending_token } = await logIn('mfa');
  const login = { mfa_pending_token, code: await site.codeTo(phone) };

  const linked = await signUp('linked');
  const { authorization_url } = await call('POST', '/oauth/google/link/start', {}, linked);
  await external(authorization_url, 'linked-subject');
  await external(await site.startSignIn(), 'external-subject');
  const { id: externalId } = await app.gatehouse.repositories.users.findByEmail(
    'external-subject@people.example',
  );
  // A flow in progress, one that has ended at the application, and a phone set-up that waits for its code.
  await site.startSignIn();
  await external(await site.startSignIn(), 'linked-subject');
  const other = { phone_number: '+4915187654321', current_password: password };
  await call('POST', '/phone/start', other, { token: ordinary.token, status: 202 });

  const disabled = await signUp('disabled');
  await call('PATCH', `/admin/users/${disabled.id}`, { is_active: false }, { token: superuser });
  await signUp('locked');
  for (let i = 0; i < 5; i++) {
    await call('POST', '/login', { email: address('locked'), password: 'a wrong one' }, { status: 401 });
  }
  await call('POST', '/register', { email: address('waiting'), password }, { status: 201 });
  const registration = await site.mailed('waiting');
  await call('POST', '/forgot-password', { email: address('ordinary') }, { status: 202 });
  const reset = await site.mailed('ordinary');

  const now = clock.now().toISOString();
  await open.close();
  await site.close();
  return {
    now,
    password,
    ids: { ordinary: ordinary.id, linked: linked.id, external: externalId },
    sessions: { ordinary: ordinary.token, loggedOut, revoked: revoked.token },
    phone,
    ...{ login, registration, verification, reset },
  };
}
