import { createHash } from 'node:crypto';
import { vi } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { type App, type Reply, TestClock } from '../support/app.ts';
import { readCommonList } from '../support/common-passwords.ts';
import { type External, startExternal } from '../support/external.ts';
import type { InstantProvider } from '../support/instant-provider.ts';
import { codeIn, newAddress, newSubject } from '../support/people.ts';
import { codeOf, nextCodeOf, setUpPasskey, setUpPhone, setUpTotp } from '../support/strong.ts';
import { inputOf, type Settings } from './profiles.ts';

// A probe observes from outside whether the service has a property: once with the settings that a requirement needs, and once
// with each of them broken.

/** Where the apps say that they are. */
const baseUrl = 'http://localhost:8000';
const password = 'a horse battery of 2040';
/** One character too short to stand alone. */
const shortPassword = 'ahorsebattery1';

/** What probes share. */
export interface Surroundings {
  provider: InstantProvider;
  /** Where a stand-in answers for the range service of known passwords. */
  breachUrl: string;
  /** The file of a database that two apps can share. */
  newDatabase(): string;
}

/** Settings with which a probe runs beside those that are tried. */
type More = ConfigInput;

interface Probed extends External {
  input: ConfigInput;
  surroundings: Surroundings;
}

type Look = (probed: Probed) => Promise<boolean>;

export interface Probe {
  /** Returns whether the service has the property. */
  has(settings: Settings, surroundings: Surroundings): Promise<boolean>;
}

/** Starts an app with these settings, looks, and looks at the emails once all of them have left. */
function probe(look: Look, more: More = {}, after?: (app: App) => boolean, clockOf?: () => TestClock): Probe {
  return {
    async has(settings, surroundings) {
      const input = inputFor(settings, surroundings, more);
      const external = await startExternal({ settings: input, clock: clockOf?.() }, surroundings.provider);
      let isClosed = false;
      try {
        if (!(await look({ ...external, input, surroundings }))) return false;
        await external.close();
        isClosed = true;
        return after?.(external.app) ?? true;
      } finally {
        if (!isClosed) await external.close();
      }
    },
  };
}

function inputFor(settings: Settings, { provider, breachUrl }: Surroundings, more: More): ConfigInput {
  const { email, oauth, mailStore, ...input } = inputOf(settings);
  // The app takes emails itself, as a mailer of the host, unless they are printed.
  const { backend, ...others } = email ?? {};
  const { example, ...tables } = oauth?.providers ?? {};
  return {
    ...input,
    ...{ baseUrl, passwordBreachUrl: breachUrl },
    ...(input.enumerationSafeRegistration && { mailStore }),
    email: { ...others, ...(backend === 'console' && { backend }) },
    ...more,
    oauth: {
      ...oauth,
      ...provider.settings,
      providers: { ...tables, ...(example && { example: { ...example, ...provider.table } }) },
      ...more.oauth,
    },
  };
}

const ok = ({ status }: Reply) => status < 300;

/** Makes an account and returns its owner. */
async function newOwner({ app }: Probed, more: object = {}) {
  const email = newAddress();
  const { id } = await app.gatehouse.users.create({ email, password, isVerified: true, ...more });
  return { id, email, password };
}

const login = (app: App, { email, password }: { email: string; password: string }, token?: string) =>
  app.rest('POST', '/login', { email, password }, token === undefined ? {} : { token });

async function sessionOf(app: App, owner: { email: string; password: string }): Promise<string> {
  return (await login(app, owner)).body.access_token ?? '';
}

/** An account with a session. */
async function signedIn(probed: Probed, more: object = {}) {
  const owner = await newOwner(probed, more);
  return { ...owner, token: await sessionOf(probed.app, owner) };
}

/** An account with an authenticator app, and a session of both factors. */
async function withApp(probed: Probed, more: object = {}) {
  const owner = await signedIn(probed, more);
  return { ...owner, ...(await setUpTotp(probed.app, owner)) };
}

/** Signs in with the code of the app as well. */
async function withCode(app: App, owner: { email: string; password: string; secret: string }) {
  const { body } = await login(app, owner);
  const code = nextCodeOf(app, owner.secret);
  return app.rest('POST', '/login/mfa-confirm', {
    ...{ mfa_pending_token: body.mfa_pending_token ?? '', code },
    method: 'totp',
  });
}

const me = (app: App, token: string) => app.rest('GET', '/me', undefined, { token });
const isAlive = async (app: App, token: string) => ok(await me(app, token));
/** An act that a session of too few factors may not do. */
const act = (app: App, token: string) => app.rest('PATCH', '/me', { full_name: 'Ada' }, { token });

/** Lets time pass, in seconds. */
const wait = ({ app }: Probed, seconds: number) => app.clock.advance(seconds * 1000);

/** Waits for what follows an answer, a second at most: a configuration may keep it away. */
const soon = (hasCome: () => boolean): Promise<unknown> =>
  vi.waitUntil(hasCome, { timeout: 1000, interval: 10 }).catch(() => {});

/** The token in the link that an event names, whether its email leaves or is printed. */
async function linked<E extends 'verification_requested' | 'password_reset_requested'>(
  { app }: Probed,
  event: E,
  request: () => Promise<Reply>,
): Promise<string | null> {
  let url = '';
  const stop = app.gatehouse.on(event, (argument: { url: string }) => {
    url = argument.url;
  });
  const reply = await request();
  if (ok(reply)) await soon(() => url !== '');
  stop();
  return new URL(url || 'http://none.example').searchParams.get('token');
}

const resetLink = (probed: Probed, email: string) =>
  linked(probed, 'password_reset_requested', () => probed.app.rest('POST', '/forgot-password', { email }));

/** Whether a sign-in by a provider with the address of an account makes one without a mailbox. */
async function givesNoMailbox(probed: Probed): Promise<boolean> {
  const { email } = await newOwner(probed);
  const token = await externalSession(probed, { sub: newSubject(), email });
  return token !== null && /@oauth\.invalid$/.test((await me(probed.app, token)).body.email);
}

/** Signs in by a provider, with the code challenge where it is asked for; null where the sign-in is refused. */
async function externalSession(
  probed: Probed,
  person: Parameters<External['comeBack']>[1],
  provider = 'google',
): Promise<string | null> {
  const verifier = 'v'.repeat(43);
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const query = probed.input.oauth?.requireCodeChallenge ? `?code_challenge=${challenge}` : '';
  const { headers } = await probed.app.rest('GET', `/oauth/${provider}/start${query}`);
  const answer = probed.provider.answerTo(
    headers.get('Location')!,
    typeof person === 'string' ? { sub: person } : person,
  );
  const back = await probed.app.rest('GET', `/oauth/${provider}/callback${answer}`);
  const id = new URL(back.headers.get('Location')!).searchParams.get('id');
  if (id === null) return null;
  const more = query === '' ? {} : { code_verifier: verifier };
  const { body } = await probed.app.rest('POST', '/oauth/exchange', { id, ...more });
  return body.access_token ?? null;
}

const mailsTo = ({ mails }: App, to: string) => mails.filter(mail => mail.to === to);
const register = ({ app }: Probed, password: string) =>
  app.rest('POST', '/register', { email: newAddress(), password });

/** Common passwords that the policy lets through by their length, with made ones where the list has too few. */
async function commonOnes({ app }: Probed, count: number): Promise<string[]> {
  const least = (await app.rest('GET', '/features')).body.password_min_length;
  const fitting = (await readCommonList()).filter(each => each.length >= least);
  const made = Array.from({ length: count }, (_, i) => `well known from a breach ${i}`);
  return [...fitting, ...made].slice(0, count);
}

const refusesCommon =
  (count: number): Look =>
  async probed => {
    const all = await commonOnes(probed, count);
    for (const at of [0, Math.floor(count / 2), count - 1])
      if (ok(await register(probed, all[at]!))) return false;
    return true;
  };

// --- The properties ---

const lockout = probe(async probed => {
  const owner = await newOwner(probed);
  for (let i = 0; i < 20; i++) await login(probed.app, { ...owner, password: 'wrong horse' });
  wait(probed, 5);
  return (await login(probed.app, owner)).status === 429;
});

const twoFactors = probe(async probed => {
  const { app } = probed;
  const none = await signedIn(probed);
  if (ok(await act(app, none.token))) return false;
  const owner = await withApp(probed);
  if (!ok(await act(app, owner.token)) || ok(await act(app, await sessionOf(app, owner)))) return false;
  const subject = await linkedSubject(probed, owner);
  const outside = await externalSession(probed, subject);
  return outside === null || !ok(await act(app, outside));
});

/** Links an identity and returns its subject. */
async function linkedSubject(probed: Probed, { token }: { token: string }): Promise<string> {
  const sub = newSubject();
  const { body } = await probed.app.rest('POST', '/oauth/google/link/start', {}, { token });
  await probed.comeBack(body.authorization_url, { sub });
  return sub;
}

const sameFromOutside = probe(
  async probed => {
    const owner = await withApp(probed);
    const outside = await externalSession(probed, await linkedSubject(probed, owner));
    return outside === null || !ok(await act(probed.app, outside));
  },
  { mfaRequired: 'everyone' },
);

/** Whether a sign-in by a provider asks for the second step, too. */
const stepFromOutside = probe(async probed => {
  const owner = await withApp(probed);
  return (await externalSession(probed, await linkedSubject(probed, owner))) === null;
});

/** Signs somebody in from a second place. */
const newPlaceTold: Probe = {
  async has(settings, surroundings) {
    let address = '';
    return probe(
      async probed => {
        if (await givesNoMailbox(probed)) return false;
        const owner = await newOwner(probed);
        address = owner.email;
        await login(probed.app, owner);
        const elsewhere = { headers: { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' } };
        await probed.app.rest('POST', '/login', { email: owner.email, password }, elsewhere);
        return true;
      },
      {},
      app => mailsTo(app, address).length > 0,
    ).has(settings, surroundings);
  },
};

/** Looks whether an owner is mailed after an act. */
const told = (
  doIt: (probed: Probed, owner: Awaited<ReturnType<typeof signedIn>>) => Promise<unknown>,
  subject: RegExp,
  text = /./,
): Probe => ({
  async has(settings, surroundings) {
    let address = '';
    return probe(
      async probed => {
        if (await givesNoMailbox(probed)) return false;
        const owner = await signedIn(probed);
        address = owner.email;
        await doIt(probed, owner);
        return true;
      },
      {},
      app => mailsTo(app, address).some(mail => subject.test(mail.subject) && text.test(mail.text)),
    ).has(settings, surroundings);
  },
});

const changePassword = ({ app }: Probed, { token }: { token: string }) =>
  app.rest(
    'POST',
    '/change-password',
    { current_password: password, new_password: 'another horse of 2040' },
    { token },
  );

const nobodyIsTold = probe(async probed => {
  const { app } = probed;
  const owner = await signedIn(probed);
  const taken = await newOwner(probed);
  const shape = ({ status, body }: Reply) => JSON.stringify([status, Object.keys(body), body.code]);
  const register = (email: string) => app.rest('POST', '/register', { email, password });
  const change = (new_email: string) =>
    app.rest('POST', '/change-email', { new_email, current_password: password }, owner);
  return (
    shape(await register(taken.email)) === shape(await register(newAddress())) &&
    shape(await change(taken.email)) === shape(await change(newAddress()))
  );
});

const verificationEnds = probe(async probed => {
  const email = newAddress();
  const token = await linked(probed, 'verification_requested', () =>
    probed.app.rest('POST', '/register', { email, password }),
  );
  wait(probed, 8 * 86_400);
  return token !== null && !ok(await probed.app.rest('POST', '/verify', { token }));
});

const resetKeepsFactor = probe(async probed => {
  const { app } = probed;
  const owner = await withApp(probed);
  const token = await resetLink(probed, owner.email);
  const new_password = 'another horse of 2040';
  if (!token || !ok(await app.rest('POST', '/reset-password', { token, new_password }))) return false;
  const { body } = await login(app, { ...owner, password: new_password });
  const late = await resetLink(probed, owner.email);
  wait(probed, 86_401);
  const isDead = !ok(await app.rest('POST', '/reset-password', { token: late, new_password: password }));
  return body.status === 'mfa_required' && isDead;
});

const resetWorks = probe(async probed => {
  const owner = await newOwner(probed);
  const token = await resetLink(probed, owner.email);
  const new_password = 'another horse of 2040';
  await probed.app.rest('POST', '/reset-password', { token: token ?? '', new_password });
  return ok(await login(probed.app, { ...owner, password: new_password }));
});

const resetLinkEnds = probe(async probed => {
  const { email } = await newOwner(probed);
  const token = await resetLink(probed, email);
  wait(probed, 86_401);
  const input = { token, new_password: 'another horse of 2040' };
  return token !== null && !ok(await probed.app.rest('POST', '/reset-password', input));
});

type Act = readonly [method: string, path: string, body?: object];

/** Whether all of this is refused to an administrator whose sign-in is an hour old. */
const administration = (acts: (id: string) => readonly Act[]) =>
  probe(async probed => {
    const root = await signedIn(probed, { isSuperuser: true });
    const { id } = await newOwner(probed);
    wait(probed, 3601);
    return allRefused(probed, acts(id), root);
  });

async function allRefused({ app }: Probed, acts: readonly Act[], by: { token: string }): Promise<boolean> {
  for (const [method, path, body] of acts)
    if ((await app.rest(method, path, body, by)).status !== 401) return false;
  return true;
}

const shortLivedCodes = probe(async probed => {
  const { app } = probed;
  const owner = await withApp(probed);
  const phone = await signedIn(probed);
  await setUpPhone(app, phone);
  app.clock.advance(60_000);
  const former = codeOf(app, owner.secret);
  app.clock.advance(30_000);
  const { body } = await login(app, owner);
  const step = { mfa_pending_token: body.mfa_pending_token, method: 'totp', code: former };
  return !ok(await app.rest('POST', '/login/mfa-confirm', step)) && (await pendingEnds(probed, phone));
});

/** Whether a sign-in by text message can't be finished after ten minutes. */
async function pendingEnds(probed: Probed, owner: { email: string; password: string }): Promise<boolean> {
  const { body } = await login(probed.app, owner);
  wait(probed, 601);
  const { mfa_pending_token } = body;
  return !ok(await probed.app.rest('POST', '/login/mfa-send', { mfa_pending_token }));
}

const pendingTexts = probe(async probed => {
  const owner = await signedIn(probed);
  await setUpPhone(probed.app, owner);
  return pendingEnds(probed, owner);
});

const anotherFactor = probe(async probed => {
  const owner = await signedIn(probed);
  for (const path of ['/totp/start', '/passkeys/start'])
    if (ok(await probed.app.rest('POST', path, {}, owner))) return true;
  return false;
});

const strongerWayIsNamed = probe(async ({ app }) => {
  const page = await (await fetch(`${app.origin}/account/me`)).text();
  return page.includes('Text messages can be intercepted') && page.includes('protects you better');
});

const noTexts = probe(async probed => {
  const owner = await signedIn(probed);
  const body = { phone_number: '+4915112345678', current_password: password };
  return (await probed.app.rest('POST', '/phone/start', body, owner)).status === 404;
});

/** Whether the right code is refused after many wrong ones, over several sign-ins. */
const codeGuesses = probe(
  async probed => {
    const { app } = probed;
    const owner = await signedIn(probed);
    await setUpPhone(app, owner);
    let code: string | null = null;
    let pending = '';
    for (let i = 0; i < 6; i++) {
      const sent = app.texts.length;
      const { body } = await login(app, owner);
      if (!body.mfa_pending_token) return true;
      pending = body.mfa_pending_token;
      await soon(() => app.texts.length > sent);
      code = codeIn(app.texts.at(-1)!);
      if (i === 5) break;
      for (let guess = 0; guess < 5; guess++) {
        const wrong = String((Number(code) + 1 + guess) % 1_000_000).padStart(6, '0');
        await app.rest('POST', '/login/mfa-confirm', { mfa_pending_token: pending, code: wrong });
      }
    }
    return !ok(await app.rest('POST', '/login/mfa-confirm', { mfa_pending_token: pending, code }));
  },
  { textMessagesPerPhonePerHour: 1000 },
);

/** As `codeGuesses`, with one pending token. */
const guessesOfOneCode = probe(async probed => {
  const { app } = probed;
  const owner = await signedIn(probed);
  await setUpPhone(app, owner);
  const sent = app.texts.length;
  const { body } = await login(app, owner);
  await soon(() => app.texts.length > sent);
  const code = codeIn(app.texts.at(-1)!);
  const confirm = (code: string) =>
    app.rest('POST', '/login/mfa-confirm', { mfa_pending_token: body.mfa_pending_token, code });
  for (let guess = 1; guess <= 20; guess++)
    await confirm(String((Number(code) + guess) % 1_000_000).padStart(6, '0'));
  return !ok(await confirm(code));
});

const bothGuesses: Probe = {
  has: async (settings, surroundings) =>
    (await codeGuesses.has(settings, surroundings)) && guessesOfOneCode.has(settings, surroundings),
};

const unknownIsWeakest = probe(async probed => {
  const { app } = probed;
  const weak = await externalSession(probed, newSubject());
  if (weak && ok(await app.rest('POST', '/totp/start', {}, { token: weak }))) return false;
  const owner = await withApp(probed);
  return (await externalSession(probed, await linkedSubject(probed, owner))) === null;
});

const replacesSession = probe(async probed => {
  const owner = await signedIn(probed);
  await login(probed.app, owner, owner.token);
  return !(await isAlive(probed.app, owner.token));
});

/** Whether a session has ended after so many seconds. */
const endsAfter = (seconds: number) =>
  probe(async probed => {
    const { token } = await signedIn(probed);
    const wasAlive = await isAlive(probed.app, token);
    wait(probed, seconds);
    return wasAlive && !(await isAlive(probed.app, token));
  });

const othersCanBeEnded = probe(async probed => {
  const { app } = probed;
  const owner = await withApp(probed);
  const other = (await withCode(app, owner)).body.access_token;
  await app.rest('DELETE', `/authenticators/${owner.id}`, undefined, owner);
  const ended = await app.rest('DELETE', '/sessions', undefined, owner);
  return ok(ended) && !(await isAlive(app, other)) && (await isAlive(app, owner.token));
});

/** Whether nothing that signs people in, or gets them back in, can be changed an hour after the sign-in. */
const recentForAccount = probe(async probed => {
  const owner = await signedIn(probed);
  wait(probed, 3601);
  const current_password = password;
  const acts: Act[] = [
    ['POST', '/change-password', { current_password, new_password: 'another horse of 2040' }],
    ['POST', '/change-email', { current_password, new_email: newAddress() }],
    ['POST', '/phone/start', { current_password, phone_number: '+4915112345678' }],
    ['DELETE', '/phone', { current_password }],
    ['POST', '/totp/start', {}],
    ['POST', '/passkeys/start', {}],
    ['POST', '/recovery-codes'],
    ['POST', '/oauth/google/link/start', {}],
    ['DELETE', '/oauth/google/link'],
    ['DELETE', '/account', { current_password }],
  ];
  return allRefused(probed, acts, owner);
});

const recentForSessions = probe(async probed => {
  const owner = await signedIn(probed);
  wait(probed, 3601);
  const listed = await probed.app.rest('GET', '/sessions', undefined, owner);
  return ok(listed) && (await probed.app.rest('DELETE', '/sessions', undefined, owner)).status === 401;
});

const agesAtProviders = probe(async probed => {
  const now = Math.floor(Date.now() / 1000);
  for (const provider of ['google', 'example']) {
    const old = { sub: newSubject(), auth_time: now - 90_000 };
    if ((await externalSession(probed, old, provider)) !== null) return false;
    if ((await externalSession(probed, newSubject(), provider)) !== null) return false;
    const fresh = { sub: newSubject(), auth_time: now - 60 };
    if ((await externalSession(probed, fresh, provider)) === null) return false;
  }
  return true;
});

/** Whether a token that names no audience, of a service with the same secret and database, is refused. */
const audience: Probe = {
  async has(settings, surroundings) {
    const databaseUrl = surroundings.newDatabase();
    return probe(
      async probed => {
        const owner = await signedIn(probed);
        const { jwtAudience: _, ...input } = probed.input;
        const other = await startExternal({ settings: input }, surroundings.provider);
        const token = await sessionOf(other.app, owner);
        await other.close();
        return (
          token !== '' && (await isAlive(probed.app, owner.token)) && !(await isAlive(probed.app, token))
        );
      },
      { databaseUrl },
    ).has(settings, surroundings);
  },
};

const codeChallenge = probe(async ({ app }) => (await app.rest('GET', '/oauth/google/start')).status === 422);

const fewScopes = probe(async ({ app }) => {
  const { headers } = await app.rest('GET', '/oauth/example/start');
  const scopes = new URL(headers.get('Location')!).searchParams.get('scope')!.split(' ');
  return scopes.every(scope => ['openid', 'email'].includes(scope));
});

const shortIsNotAlone = probe(async probed => {
  const { app } = probed;
  const email = newAddress();
  const owner = { email, password: shortPassword };
  try {
    await app.gatehouse.users.create({ ...owner, isVerified: true });
  } catch {
    return true;
  }
  return !ok(await act(app, await sessionOf(app, owner)));
});

const canRequireNew = probe(async probed => {
  const root = await signedIn(probed, { isSuperuser: true });
  const owner = await newOwner(probed);
  const required = await probed.app.rest(
    'POST',
    `/admin/users/${owner.id}/require-new-password`,
    undefined,
    root,
  );
  return ok(required) && !ok(await login(probed.app, owner));
});

const hundredPasswords = probe(async probed => {
  const owner = await newOwner(probed);
  for (let i = 0; i < 100; i++) {
    await login(probed.app, { ...owner, password: 'wrong horse' });
    wait(probed, 200);
  }
  wait(probed, 1000);
  return !ok(await login(probed.app, owner));
});

const hundredCodes = probe(async probed => {
  const { app } = probed;
  const owner = await withApp(probed);
  for (let i = 0; i < 100; i++) {
    const { body } = await login(app, owner);
    const step = { mfa_pending_token: body.mfa_pending_token ?? '', method: 'totp' };
    const right = codeOf(app, owner.secret);
    const code = String((Number(right) + 500_000) % 1_000_000).padStart(6, '0');
    await app.rest('POST', '/login/mfa-confirm', { ...step, code });
    wait(probed, 120);
  }
  wait(probed, 1000);
  return !ok(await withCode(app, owner));
});

const bindsAtHighest = probe(async probed => {
  const { app } = probed;
  const owner = await signedIn(probed);
  // A session of one factor from before the passkey, one by the password alone, and one of the provider.
  const before = await sessionOf(app, owner);
  const { token } = await setUpPasskey(app, owner);
  const outside = await externalSession(probed, await linkedSubject(probed, { token }));
  const weak = [before, await sessionOf(app, owner), outside ?? ''];
  for (const each of weak) {
    if (ok(await app.rest('POST', '/totp/start', {}, { token: each }))) return false;
    if (ok(await app.rest('POST', '/recovery-codes', {}, { token: each }))) return false;
  }
  return ok(await app.rest('POST', '/totp/start', {}, { token }));
});

const days = 86_400_000;

/** Whether the record of a set-up is there after 400 days, and after a purge at the present of clock and database. */
const datesAreKept = probe(
  async probed => {
    const { app } = probed;
    await withApp(probed);
    app.clock.advance(400 * days);
    await app.gatehouse.purgeExpired();
    const root = await signedIn(probed, { isSuperuser: true });
    const { body } = await app.rest('GET', '/admin/audit?operation=confirmTotpSetup', undefined, root);
    return (body.items ?? []).length > 0;
  },
  {},
  undefined,
  () => new TestClock(new Date(Date.now() - 400 * days).toISOString()),
);

const passkeysAreThere = probe(async probed =>
  ok(await probed.app.rest('POST', '/passkeys/start', {}, await signedIn(probed))),
);

const unverifiedStaysOut = probe(async probed => {
  const email = newAddress();
  await probed.app.rest('POST', '/register', { email, password });
  return !ok(await login(probed.app, { email, password }));
});

const resetTold: Probe = told(async (probed, { email }) => {
  const token = await resetLink(probed, email);
  await probed.app.rest('POST', '/reset-password', { token, new_password: 'another horse of 2040' });
}, /password/i);

const resetIsMailed: Probe = told(
  (probed, { email }) => probed.app.rest('POST', '/forgot-password', { email }),
  /./,
  /token=/,
);

/** The probe of each requirement that needs settings, from outside. */
export const probes: Record<string, Probe> = {
  'asvs/6.2.4': probe(refusesCommon(3000)),
  'asvs/6.2.11': probe(
    async ({ app }) =>
      !ok(
        await app.rest('POST', '/register', {
          ...{ email: 'ada.lovelace.of.london@example.org', password: 'ada.lovelace.of.london' },
          full_name: 'Ada Lovelace',
        }),
      ),
  ),
  'asvs/6.2.12': probe(async probed => !ok(await register(probed, 'well known from a breach 1'))),
  'asvs/6.3.1': lockout,
  'asvs/6.3.3': twoFactors,
  'asvs/6.3.4': stepFromOutside,
  'asvs/6.3.5': newPlaceTold,
  'asvs/6.3.7': told(changePassword, /password/i),
  'asvs/6.3.8': nobodyIsTold,
  'asvs/6.4.1': verificationEnds,
  'asvs/6.4.3': resetKeepsFactor,
  'asvs/6.4.4': administration(id => [
    ['DELETE', `/admin/users/${id}/authenticators`],
    ['DELETE', `/admin/users/${id}/phone`],
  ]),
  'asvs/6.5.5': shortLivedCodes,
  'asvs/6.6.1': strongerWayIsNamed,
  'asvs/6.6.1#none': noTexts,
  'asvs/6.6.3': bothGuesses,
  'asvs/6.8.4': unknownIsWeakest,
  'asvs/7.2.4': replacesSession,
  'asvs/7.3.1': endsAfter(3601),
  'asvs/7.3.2': endsAfter(86_401),
  'asvs/7.4.3': othersCanBeEnded,
  'asvs/7.5.1': recentForAccount,
  'asvs/7.5.2': recentForSessions,
  'asvs/7.5.3': administration(id => [
    ['PATCH', `/admin/users/${id}`, { full_name: 'Ada' }],
    ['POST', `/admin/users/${id}/change-email`, { email: newAddress() }],
    ['POST', `/admin/users/${id}/require-new-password`],
    ['POST', '/admin/users', { email: newAddress() }],
    ['DELETE', `/admin/users/${id}`],
  ]),
  'asvs/7.6.1': agesAtProviders,
  'asvs/9.2.3': audience,
  'asvs/10.1.2': codeChallenge,
  'asvs/10.2.3': fewScopes,
  'asvs/10.3.1': audience,
  'asvs/10.3.4': sameFromOutside,
  '63b/2.1.3#overall-timeout': endsAfter(2_592_001),
  '63b/2.2.1#two-factors': twoFactors,
  '63b/2.2.2#phishing-resistant-option': passkeysAreThere,
  '63b/2.2.3#overall-timeout': endsAfter(86_401),
  '63b/3.1.1.2#length': shortIsNotAlone,
  '63b/3.1.1.2#compromise': canRequireNew,
  '63b/3.1.1.2#blocklist': probe(refusesCommon(1)),
  '63b/3.1.1.2#rate-limit': hundredPasswords,
  '63b/3.1.2.1#delivery': bindsAtHighest,
  '63b/3.1.3.2#ten-minutes': pendingTexts,
  '63b/3.1.3.2#count-stays': codeGuesses,
  '63b/3.1.3.3#alternatives': anotherFactor,
  '63b/3.2.2#password': hundredPasswords,
  '63b/3.2.2#codes': hundredCodes,
  '63b/3.2.9#alternative': anotherFactor,
  '63b/4.1#dates': datesAreKept,
  '63b/4.1.2.1#bind-at-highest': bindsAtHighest,
  '63b/4.1.2.1#notice': told((probed, owner) => setUpTotp(probed.app, owner), /./, /app/i),
  '63b/4.2.1#method': resetIsMailed,
  '63b/4.2.1.2#code': resetLinkEnds,
  '63b/4.2.1.2#verified': unverifiedStaysOut,
  '63b/4.2.2.1#aal1': resetWorks,
  '63b/4.2.3#notice': resetTold,
  '63b/4.6#contact': told(changePassword, /password/i, /help@example\.org/),
  '63b/5.1#aal-not-above': sameFromOutside,
  '63b/5.2#provider-session': agesAtProviders,
};
