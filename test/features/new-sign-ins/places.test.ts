import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { networkOf } from '../../../src/features/new-sign-ins/networks.ts';
import { type App, logIn, type Member, signUp, startApp, tokenOf } from '../../support/app.ts';
import { describeStory } from '../../support/backends.ts';
import { eventually } from '../../support/eventually.ts';
import { atEachMoment, interleave, Killed } from '../../support/interleave.ts';
import { disowning, enterWith, firefox, safari, signUpBefore } from '../../support/not-me.ts';
import { newAddress } from '../../support/people.ts';

const dayMs = 86_400_000;
const isAnnouncement = ({ subject }: { subject: string }) => /^A new sign-in/.test(subject);

test('a network is the /16 of IPv4 and the /32 of IPv6', () => {
  const networks = [
    ...['192.0.2.1', '192.0.255.255', '::ffff:192.0.2.1', '::FFFF:c000:201'],
    ...['2001:db8:1::1', '2001:0db8:ffff::', '2001:db9::1', '::1', 'fe80::1%eth0', 'nonsense'],
  ].map(networkOf);
  expect(networks).toEqual([
    ...['192.0', '192.0', '192.0', '192.0'],
    ...['2001:db8', '2001:db8', '2001:db9', '0:0', 'fe80:0', null],
  ]);
  expect(networkOf(null)).toBeNull();
});

describeStory('a sign-in from a new place', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend, settings: disowning });
  });
  afterAll(() => app?.close());

  /** The announcements of new sign-ins to an address so far. */
  function announced({ email }: Pick<Member, 'email'>) {
    return app.mails.filter(mail => mail.to === email).filter(isAnnouncement);
  }

  /** A member with a first session, which used no known browser. */
  const member = () => signUpBefore(app);
  /** Somebody who was invited a while ago, and has chosen a password now. */
  async function acceptInvitation() {
    const [email, password] = [newAddress(), 'a password of my own'];
    const { id } = await app.gatehouse.users.create({ email, invite: true });
    const token = tokenOf(await app.nextMail(email));
    app.clock.advance(2 * dayMs);
    expect(await app.rest('POST', '/accept-invitation', { token, password })).toMatchObject({ status: 200 });
    return { id, email, password };
  }
  const from = (place: { ip?: string; userAgent?: string }, { id }: Pick<Member, 'id'>) =>
    app.gatehouse.sessions.issue(id, { method: 'host', ...place });

  // Shows asvs/6.3.5.
  test('is mailed to the owner with browser, time and link, once', async () => {
    const owner = await member();
    await logIn(app, owner);
    const heard: unknown[] = [];
    app.gatehouse.on('new_sign_in', event => void heard.push(event));
    await enterWith(app, firefox, owner);
    await enterWith(app, firefox, owner);
    await eventually(() => expect(announced(owner)).toHaveLength(1));
    const [mail] = announced(owner);
    expect(mail!.text).toContain('Firefox on Linux');
    expect(mail!.text).toContain('When: 2 January 2040, 03:04 UTC');
    expect(mail!.text).toContain('From: the network address 127.0.0.1');
    expect(mail!.text).toMatch(/^http:\/\/localhost:8000\/account\/not-me\?token=[\w-]{43}$/m);
    expect(mail!.html).toContain('/account/not-me?token=');
    expect(heard).toEqual([
      { user: expect.objectContaining({ email: owner.email }), device: 'Firefox on Linux', ip: '127.0.0.1' },
    ]);
  });

  test.each([
    ['a registration', () => signUp(app)],
    ['an invitation', () => acceptInvitation()],
  ])('within a day of %s is told to nobody, and its place is known afterwards', async (_, enter) => {
    const owner = await enter();
    await enterWith(app, firefox, owner);
    app.clock.advance(dayMs - 1);
    await enterWith(app, safari, owner);
    app.clock.advance(1);
    for (const browser of [firefox, safari]) await enterWith(app, browser, owner);
    await from({ ip: '192.0.2.1', userAgent: firefox }, owner);
    await eventually(() => expect(announced(owner)).toHaveLength(1));
    expect(announced(owner)[0]!.text).toContain('192.0.2.1');
  });

  test('is the first one to an account that was imported or made with a password', async () => {
    const email = newAddress();
    const password = 'a password that they had elsewhere';
    const owner = await app.gatehouse.users.create({ email, password, isVerified: true });
    await enterWith(app, firefox, { email, password });
    await eventually(() => expect(announced(owner)).toHaveLength(1));
  });

  test('is one from another network, too; addresses of one network are one place', async () => {
    const owner = await member();
    for (const ip of ['192.0.2.1', '192.0.200.7', '2001:db8:1::1', '2001:db8:2::2', '198.51.100.1']) {
      await from({ ip, userAgent: firefox }, owner);
    }
    await eventually(() => expect(announced(owner)).toHaveLength(3));
  });

  test('is one again after thirty days without a use, and not before', async () => {
    const owner = await member();
    await enterWith(app, safari, owner);
    for (let i = 0; i < 3; i++) {
      app.clock.advance(29 * dayMs);
      await enterWith(app, safari, owner);
    }
    app.clock.advance(30 * dayMs);
    await enterWith(app, safari, owner);
    await eventually(() => expect(announced(owner)).toHaveLength(2));
  });

  test('is one again after a change of the password', async () => {
    const owner = await member();
    await enterWith(app, firefox, owner);
    const token = await enterWith(app, firefox, owner);
    await eventually(() => expect(announced(owner)).toHaveLength(1));
    const changed = { current_password: owner.password, new_password: 'another battery staple' };
    expect(await app.rest('POST', '/change-password', changed, { token })).toMatchObject({ status: 200 });
    await enterWith(app, firefox, { ...owner, password: changed.new_password });
    await eventually(() => expect(announced(owner)).toHaveLength(2));
  });

  test('of one that meets a change of the password is not known afterwards, and its session has ended', async () => {
    const owner = await member();
    const { sign_in_places: places } = app.gatehouse.repositories;
    const { find } = places;
    const change = { current_password: owner.password, new_password: 'another horse battery' };
    const intruding = vi.spyOn(places, 'find').mockImplementationOnce(async id => {
      const row = await find(id);
      expect((await app.rest('POST', '/change-password', change, owner)).status).toBe(200);
      return row;
    });
    const { email, password } = owner;
    const { body } = await app.rest(
      'POST',
      '/login',
      { email, password },
      { headers: { 'user-agent': safari } },
    );
    expect((await app.rest('GET', '/me', undefined, { token: body.access_token })).status).toBe(401);
    const [id] = intruding.mock.calls[0]!;
    intruding.mockRestore();
    expect(await places.find(id)).toBeNull();
  });

  test('of many at the same moment is mailed once', async () => {
    const owner = await member();
    await Promise.all(Array.from({ length: 8 }, () => enterWith(app, firefox, owner)));
    await enterWith(app, firefox, owner);
    await enterWith(app, safari, owner);
    await eventually(() => expect(announced(owner)).toHaveLength(2));
  });

  test('is mailed whenever the process that notices it is killed, by the next sign-in from there', async () => {
    const kill = () => Promise.reject(new Killed());
    await atEachMoment(backend, async at => {
      const owner = await member();
      const calls = await interleave(app, () => enterWith(app, firefox, owner).catch(() => {}), {
        [at]: kill,
      });
      if (calls <= at) return calls;
      app.clock.advance(10_000);
      await enterWith(app, firefox, owner);
      await eventually(() => expect(announced(owner)).not.toEqual([]));
      return calls;
    });
  });

  test('is none where a listed session from before was used from there', async () => {
    const owner = await member();
    await enterWith(app, firefox, owner);
    const { sign_in_places } = app.gatehouse.repositories;
    await eventually(() => expect(announced(owner)).toHaveLength(1));
    await sign_in_places.removeAll(owner.id);
    await enterWith(app, firefox, owner);
    await enterWith(app, safari, owner);
    await eventually(() => expect(announced(owner)).toHaveLength(2));
  });

  test('is not mailed where the account has no mailbox, and leaves no link', async () => {
    const email = 'google-1@oauth.invalid';
    const owner = await member();
    await app.gatehouse.repositories.users.changeEmail(owner.id, email);
    await from({ ip: '192.0.2.1', userAgent: firefox }, owner);
    expect(await app.gatehouse.repositories.not_me_links.listByUser(owner.id)).toEqual([]);
  });
});

describe('while notify_new_sign_in is off', () => {
  test('a sign-in reads and stores nothing of it, and no notice has a link', async () => {
    const app = await startApp({ settings: { ...disowning, notifyNewSignIn: false } });
    const owner = await signUp(app, newAddress());
    const { sign_in_places, not_me_links } = app.gatehouse.repositories as never as Record<
      string,
      Record<string, unknown>
    >;
    for (const table of [sign_in_places, not_me_links]) {
      for (const name of Object.keys(table!)) {
        if (name !== 'removeAll') table![name] = () => Promise.reject(new Error(`${name} was called`));
      }
    }
    await enterWith(app, firefox, owner);
    expect(app.mails.filter(isAnnouncement)).toEqual([]);
    await app.close();
  });
});
