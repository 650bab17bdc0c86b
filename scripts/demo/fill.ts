// `npm start -- --demo`: fills a fresh database with people in every state and a month of their acts, through the operations of
// the service, whose clock is moved.
import { createSoftwarePasskey, totpCode } from '../../src/validate/deployment/authenticators.ts';
import { addressOf, browsers, people } from './people.ts';
import { type Answer, bouncing, openSite, type Site } from './site.ts';

/** The password of everybody, so that a developer can sign in as each of them. */
const password = 'a lantern by the gate';

/** The settings under which every state can be seen. */
export const demoVariables = { SVC_ENABLE_SMS_2FA: 'true', SVC_MFA_REQUIRED: 'superusers' };

interface Person {
  index: number;
  name: string;
  email: string;
  ip: string;
  userAgent: string;
}

const everybody: Person[] = people.map(([name, local], index) => ({
  ...{ index, name, email: addressOf(local) },
  ip: index % 3 === 0 ? `2001:db8:${index}::1` : `203.0.${index}.7`,
  userAgent: browsers[index % browsers.length]!,
}));

/** A day in minutes. */
const day = 1440;
const days = 30;

/** Fills the configured database, and returns what to print. Where there are accounts already, nothing is added. */
export async function fillDemo(): Promise<string[]> {
  const site = await openSite();
  try {
    if ((await site.gatehouse.repositories.users.list({ limit: 1 })).length > 0)
      return ['The database has accounts already, so the demonstration was not added.'];
    return await act(site);
  } finally {
    await site.close();
  }
}

async function act(site: Site): Promise<string[]> {
  const { call, moveTo, tokenOf } = site;
  const from = ({ ip, userAgent }: Person) => ({ ip, userAgent });
  /** Where somebody is who has never been there. */
  const elsewhere = { ip: '192.0.2.77', userAgent: browsers[3] };

  async function register(person: Person): Promise<void> {
    const { email, name } = person;
    await call('POST /register', { email, password, full_name: name }, from(person));
    await call('POST /verify', { token: await tokenOf(email, /^Confirm your email/) }, from(person));
  }
  async function signIn(
    person: Person,
    place: { ip: string; userAgent: string } = from(person),
  ): Promise<string> {
    const answer: Answer = await call('POST /login', { email: person.email, password }, place);
    return answer.access_token;
  }
  /** Signs in, and returns how the session calls. */
  async function as(person: Person) {
    const token = await signIn(person);
    return (at: string, body?: object) => call(at, body, { ...from(person), token });
  }
  const idOf = async ({ email }: Person) => (await site.gatehouse.users.findByEmail(email))!.id;
  const codeNow = (secret: string, ahead = 0) =>
    totpCode(secret, Math.floor(site.now().getTime() / 30_000) - Math.floor(Date.now() / 30_000) + ahead);

  async function addApp(person: Person) {
    const ask = await as(person);
    const { id, secret } = await ask('POST /totp/start', {});
    const { recovery_codes } = await ask('POST /totp/confirm', { id, code: codeNow(secret) });
    return { secret: secret as string, codes: recovery_codes as string[] };
  }
  async function addPasskey(ask: Awaited<ReturnType<typeof as>>): Promise<void> {
    const { id, options } = await ask('POST /passkeys/start', {});
    const origin = new URL(site.gatehouse.config.baseUrl).origin;
    await ask('POST /passkeys/confirm', { id, credential: createSoftwarePasskey().create(options, origin) });
  }

  const [ada, grace, every, keyed, locked, reported, distrusted, disabled, forced, moving] = everybody;
  const [invited, unverified, waiting, contested, leaving] = everybody.slice(-5);
  const special = new Set([ada, invited, unverified, waiting, contested]);
  const timeline: [minutesAgo: number, work: () => Promise<unknown>][] = [];
  const at = (daysAgo: number, work: () => Promise<unknown>) =>
    void timeline.push([Math.round(daysAgo * day), work]);

  // The administrator, who is there first. A session of hers begins where it is needed.
  const admin = { secret: '', codes: [] as string[] };
  at(days, async () => {
    await site.gatehouse.operator.createAdmin({ email: ada!.email, password });
    Object.assign(admin, await addApp(ada!));
  });
  at(days - 0.5, async () => administrate('PATCH /me', { full_name: ada!.name }));
  async function administrate(at: string, body?: object) {
    const { mfa_pending_token }: Answer = await call(
      'POST /login',
      { email: ada!.email, password },
      from(ada!),
    );
    // Of the next step, because a code works once.
    const code = codeNow(admin.secret);
    const { access_token: token } = await call(
      'POST /login/mfa-confirm',
      { mfa_pending_token, method: 'totp', code },
      from(ada!),
    );
    return call(at, body, { ...from(ada!), token });
  }

  // People come, and come back.
  for (const person of everybody) {
    if (special.has(person)) continue;
    const came = days - 1 - person.index * 0.6;
    at(came, () => register(person));
    at(came - 0.02, () => signIn(person));
    // Their mails about new sign-ins would be taken for later ones.
    const isQuiet = person === reported || person === distrusted;
    if (person.index % 4 === 1 && came > 5 && !isQuiet)
      at(came - 3, () => signIn(person, { ...elsewhere, ip: `192.0.2.${person.index}` }));
    if (person.index % 5 === 2)
      at(came - 1, async () => (await as(person))('PATCH /me', { full_name: person.name }));
    if (person.index % 7 === 3) at(came - 1.5, async () => (await as(person))('POST /logout'));
    if (person.index % 6 === 4 && came > 3)
      at(came - 2, () =>
        call('POST /login', { email: person.email, password: 'not this one' }, from(person), 401),
      );
  }

  // A second administrator without a second factor, whom the policy restricts.
  at(20, async () => administrate(`PATCH /admin/users/${await idOf(grace!)}`, { is_superuser: true }));
  // Every factor: an app, a passkey, a phone, recovery codes.
  at(15, async () => {
    const ask = await as(every!);
    const { pending_token } = await ask('POST /phone/start', {
      phone_number: '+15550100123',
      current_password: password,
    });
    await ask('POST /phone/confirm', { pending_token, code: await site.codeTo('+15550100123') });
    const again = await call('POST /login', { email: every!.email, password }, from(every!));
    const { access_token: token } = await call(
      'POST /login/mfa-confirm',
      { mfa_pending_token: again.mfa_pending_token, code: await site.codeTo('+15550100123') },
      from(every!),
    );
    const strong = (at: string, body?: object) => call(at, body, { ...from(every!), token });
    const { id, secret } = await strong('POST /totp/start', {});
    await strong('POST /totp/confirm', { id, code: codeNow(secret) });
    await addPasskey(strong);
  });
  at(12, async () => addPasskey(await as(keyed!)));
  // Somebody else signed in; the owner has closed the account by the link of the mail.
  at(2, () => signIn(reported!, elsewhere));
  at(1.9, async () =>
    call('POST /not-me', { token: await tokenOf(reported!.email, /sign-in/i) }, from(reported!)),
  );
  // The same, and that person has left a passkey; the owner is back, and has not looked at it yet.
  at(6, async () => {
    const token = await signIn(distrusted!, elsewhere);
    await addPasskey((at, body) => call(at, body, { ...elsewhere, token }));
  });
  at(5.9, async () => {
    const { email } = distrusted!;
    await call('POST /not-me', { token: await tokenOf(email, /sign-in/i) }, from(distrusted!));
    await call('POST /forgot-password', { email }, from(distrusted!));
    await call(
      'POST /reset-password',
      { token: await tokenOf(email, /reset|new password/i), new_password: `${password} again` },
      from(distrusted!),
    );
  });
  at(9, async () => administrate(`PATCH /admin/users/${await idOf(disabled!)}`, { is_active: false }));
  at(4, async () => administrate(`POST /admin/users/${await idOf(forced!)}/require-new-password`, {}));
  at(3, async () => {
    const ask = await as(moving!);
    await ask('POST /change-email', { new_email: `new.${moving!.email}`, current_password: password });
  });
  at(7, () =>
    administrate('POST /admin/users', { email: invited!.email, full_name: invited!.name, invite: true }),
  );
  at(6.5, () =>
    administrate('POST /admin/users', {
      email: unverified!.email,
      full_name: unverified!.name,
      is_verified: false,
    }),
  );
  at(1, async () => (await as(leaving!))('POST /logout'));
  // The last hours leave pending registrations, one of them contested, and mails that bounced.
  at(0.2, () =>
    call('POST /register', { email: waiting!.email, password, full_name: waiting!.name }, from(waiting!)),
  );
  at(0.15, () => call('POST /register', { email: contested!.email, password }, from(contested!)));
  at(0.14, () =>
    call('POST /register', { email: contested!.email, password: 'another lantern by it' }, elsewhere),
  );
  for (const [index, local] of ['postmaster', 'old', 'typo'].entries())
    at(0.1, () =>
      call('POST /register', { email: `${local}@${bouncing}`, password }, { ip: `192.0.2.${index}` }),
    );
  // Somebody guesses a password until the account is locked.
  at(0, async () => {
    for (let guess = 0; guess < 20; guess++) {
      const { code } = await call(
        'POST /login',
        { email: locked!.email, password: `guess ${guess}` },
        elsewhere,
      ).catch((error: Error) => ({ code: /account_locked|rate_limited/.exec(error.message)?.[0] }));
      if (code !== undefined) return;
    }
  });

  for (const [minutesAgo, work] of timeline.toSorted(([a], [b]) => b - a)) {
    moveTo(minutesAgo);
    await work();
  }
  return [
    `The demonstration has ${everybody.length} people and a month of their acts. The password of each is "${password}".`,
    `Administrator: ${ada!.email}. The second step is a recovery code, each good once: ${admin.codes.slice(0, 4).join(', ')}`,
    `The commands below register somebody: write another address in place of ${ada!.email}, which is taken.`,
  ];
}
