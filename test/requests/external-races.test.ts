import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { GatehouseError } from '../../src/errors.ts';
import type { EventName } from '../../src/event-names.ts';
import type { Assembled } from '../../src/gatehouse.ts';
import { LateAnswer } from '../../src/storage/errors.ts';
import { type App, type Member, signUp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { eventually } from '../support/eventually.ts';
import { type External, startExternal } from '../support/external.ts';
import { atEachMoment, interleave } from '../support/interleave.ts';
import { codeIn, newAddress, newPhone, newSubject } from '../support/people.ts';

/** How often this was announced for a user since. */
function announcements(
  app: App,
  event: Extract<EventName, 'oauth_account_linked' | 'mfa_enabled'>,
  { id }: Member,
): { count: number } {
  const seen = { count: 0 };
  app.gatehouse.on(event, ({ user }) => {
    if (user.id === id) seen.count++;
  });
  return seen;
}

/** Returns whether a link is certain: its owner is told of it then. */
function whetherTold({ gatehouse }: App): () => boolean {
  const notify = vi.spyOn((gatehouse as Assembled).dependencies.mails.notices, 'notify');
  return () => notify.mock.calls.some(([notice]) => notice === 'identityLinked');
}

const changeOf = (app: App) => app.gatehouse.repositories.users.change;

/** How a session ends while a request of it is under way. */
const endings: { how: string; end(app: App, member: Member): Promise<unknown> }[] = [
  { how: 'is logged out', end: (app, { token }) => app.rest('POST', '/logout', {}, { token }) },
  { how: 'is cut off', end: (app, { id }) => changeOf(app)(id, { cutOffAt: app.clock.now() }) },
  { how: 'is disabled', end: (app, { id }) => changeOf(app)(id, { set: { isActive: false } }) },
  { how: 'is of a deleted account', end: (app, { id }) => app.gatehouse.repositories.users.remove(id) },
];

describeEachDriver('what finishes while its session ends', backend => {
  let site: External;
  beforeAll(async () => {
    const oauth = { existingEmailPolicy: 'auto_link_verified' };
    site = await startExternal({ backend, settings: { enableSms2fa: true, oauth } });
  });
  afterAll(() => site?.close());

  describe.each(endings)('when it $how', ({ end }) => {
    test('a link that finishes is not there', async () => {
      // A thief with a stolen session links an identity of their own at the moment at which the owner ends it.
      await atEachMoment(backend, async at => {
        const member = await signUp(site.app);
        const linked = announcements(site.app, 'oauth_account_linked', member);
        const url = await site.startLink(member);
        const ended: URL[] = [];
        const finish = async () => void ended.push(await site.comeBack(url, newSubject()));
        const isTold = whetherTold(site.app);
        let isCertain = false;
        const calls = await interleave(site.app, finish, {
          [at]: async () => {
            isCertain = isTold();
            await end(site.app, member);
          },
        });
        vi.restoreAllMocks();
        if (calls <= at) return calls;
        if (isCertain) {
          // One that was certain before is announced: the end of a session removes nothing.
          expect([linked.count, ended[0]!.searchParams.get('error')]).toEqual([1, null]);
          return calls;
        }
        expect(linked.count).toBe(0);
        expect(await site.identitiesOf(member)).toEqual([]);
        expect(ended[0]!.searchParams.get('error')).toBe('bad_state');
        return calls;
      });
    });

    test('a phone that is confirmed is not there, and the one before it is back', async () => {
      const { users } = site.app.gatehouse.repositories;
      await atEachMoment(backend, async at => {
        const member = await signUp(site.app);
        const { id, token, password } = member;
        const [phoneNumber, phone_number] = [newPhone(), newPhone()];
        await users.change(id, { set: { phoneNumber, isMfaEnabled: true } });
        const start = { phone_number, current_password: password };
        const { body } = await site.app.rest('POST', '/phone/start', start, { token });
        const code = codeIn(await site.app.nextText(phone_number));
        const enabled = announcements(site.app, 'mfa_enabled', member);
        const confirm = { pending_token: body.pending_token, code };
        const answers: number[] = [];
        const finish = async () => {
          answers.push((await site.app.rest('POST', '/phone/confirm', confirm, { token })).status);
        };
        const calls = await interleave(site.app, finish, { [at]: () => end(site.app, member) });
        if (calls <= at) return calls;
        expect([answers, enabled.count]).toEqual([[401], 0]);
        const user = await users.find(id);
        if (user) expect(user).toMatchObject({ phoneNumber, isMfaEnabled: true });
        return calls;
      });
    });
  });

  test.each([
    ['its insert is answered too late', 'add'],
    ['the email about it cannot be stored', 'notify'],
  ])('a link that fails because %s is not there', async (_, failing) => {
    const { dependencies, repositories } = site.app.gatehouse as Assembled;
    const { oauth_identities } = repositories;
    const member = await signUp(site.app);
    const url = await site.startLink(member);
    const { add } = oauth_identities;
    const down = () => Promise.reject(new GatehouseError('unavailable'));
    if (failing === 'notify') vi.spyOn(dependencies.mails.notices, 'notify').mockImplementationOnce(down);
    else
      vi.spyOn(oauth_identities, 'add').mockImplementationOnce(async identity => {
        await add(identity);
        return down();
      });
    const ended = await site.comeBack(url, newSubject());
    vi.restoreAllMocks();
    expect(ended.searchParams.get('error')).toBe('unavailable');
    await eventually(async () => expect(await site.identitiesOf(member)).toEqual([]));
  });

  test('a link that has failed stays once its owner has signed in with it, while the database could not take it back', async () => {
    const { dependencies, repositories } = site.app.gatehouse as Assembled;
    const { oauth_identities } = repositories;
    const member = await signUp(site.app);
    const url = await site.startLink(member);
    const subject = newSubject();
    const down = () => Promise.reject(new GatehouseError('unavailable', { cause: new LateAnswer() }));
    vi.spyOn(dependencies.mails.notices, 'notify').mockImplementationOnce(down);
    const { removeMarked } = oauth_identities;
    const late = Promise.withResolvers<void>();
    const tried = Promise.withResolvers<boolean>();
    vi.spyOn(oauth_identities, 'removeMarked').mockImplementationOnce(async (...mark) => {
      await late.promise;
      const isRemoved = await removeMarked(...mark);
      tried.resolve(isRemoved);
      return isRemoved;
    });
    expect((await site.comeBack(url, subject)).searchParams.get('error')).toBe('unavailable');
    expect(await site.sessionOf(subject)).not.toBeNull();
    late.resolve();
    expect(await tried.promise).toBe(false);
    vi.restoreAllMocks();
    expect(await site.identitiesOf(member)).toHaveLength(1);
  });

  test('an identity that is linked by its address goes when the account moves to another one', async () => {
    // A stranger gets the old address of somebody, and signs in with it while its former owner moves the account.
    const { users } = site.app.gatehouse.repositories;
    await atEachMoment(backend, async at => {
      const member = await signUp(site.app);
      const linked = announcements(site.app, 'oauth_account_linked', member);
      const isTold = whetherTold(site.app);
      let before = 0;
      const person = { sub: newSubject(), email: member.email };
      const url = await site.start();
      const calls = await interleave(site.app, () => site.comeBack(url, person), {
        [at]: async () => {
          before = isTold() ? 1 : 0;
          const cutOffAt = site.app.clock.now();
          await users.changeEmail(member.id, newAddress(), { cutOffAt });
        },
      });
      vi.restoreAllMocks();
      if (calls <= at) return calls;
      // An identity that was certain before the move is left to the owner, who is told of it.
      expect(await site.identitiesOf(member)).toHaveLength(before);
      expect(linked.count).toBe(before);
      return calls;
    });
  });
});
