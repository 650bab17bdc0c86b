import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newUser } from '../../src/domain/new-user.ts';
import { describeEachDriver } from '../support/backends.ts';
import { type Answer, type Call, doors, doorsOn } from '../support/doors.ts';
import { type External, startExternal } from '../support/external.ts';
import { type InstantProvider, startInstantProvider } from '../support/instant-provider.ts';
import { atEachMoment, interleave, Killed } from '../support/interleave.ts';
import { newAddress, newSubject } from '../support/people.ts';

describeEachDriver('unlinking', backend => {
  let site: External;
  let provider: InstantProvider;
  beforeAll(async () => {
    provider = await startInstantProvider();
    // The same issuer under two names.
    const oauth = { providers: { other: provider.table } };
    site = await startExternal({ backend, settings: { oauth } }, provider);
  });
  afterAll(async () => {
    await site?.close();
    await provider?.close();
  });

  /** An account without a password and with two identities that can be used, one of each provider. */
  async function withTwo(second = { provider: 'other', issuer: provider.issuer }) {
    const { app } = site;
    const { users, oauth_identities } = app.gatehouse.repositories;
    const now = app.clock.now();
    const email = newAddress();
    const user = newUser(now, { email, fullName: null, hashedPassword: null, isVerified: true });
    await users.add(user);
    const subject = newSubject();
    const both = [
      { provider: 'google', issuer: provider.issuer, subjectId: subject },
      { ...second, subjectId: newSubject() },
    ];
    for (const fields of both) {
      const times = { linkedAt: now, lastUsedAt: null };
      await oauth_identities.add({ id: randomUUID(), userId: user.id, email: null, ...fields, ...times });
    }
    return { user, subject, token: (await site.sessionOf(subject))! };
  }

  const unlinkOver = (call: Call, token: string) => (provider: string) =>
    call('unlinkOAuth', { provider }, { token });
  const outcome = (answer: Answer) => (answer.ok ? 'unlinked' : answer.code);
  const namesOf = async (user: { id: string }) =>
    (await site.identitiesOf(user)).map(({ provider }) => provider).sort();

  describe.each(doorsOn(backend))('through $name', door => {
    let call: Call;
    beforeAll(() => {
      call = door.at(site.app);
    });

    test('the last two ways in at once leaves one of them', async () => {
      for (let i = 0; i < 10; i++) {
        const { user, token } = await withTwo();
        const unlink = unlinkOver(call, token);
        const answers = (await Promise.all(['google', 'other'].map(unlink))).map(outcome);
        const left = await namesOf(user);
        expect(left.length).toBeGreaterThan(0);
        expect(answers.filter(answer => answer === 'unlinked')).toHaveLength(2 - left.length);
        for (const answer of answers) expect(['unlinked', 'last_sign_in_method']).toContain(answer);
        // Whatever was refused left nothing behind that would refuse the next one.
        if (left.length === 2) expect(outcome(await unlink('google'))).toBe('unlinked');
      }
    });

    test('one identity twice at once takes it off once', async () => {
      const { user, token } = await withTwo();
      const unlink = unlinkOver(call, token);
      const answers = await Promise.all(['google', 'google', 'google', 'google'].map(unlink));
      expect(await namesOf(user)).toEqual(['other']);
      const kinds = answers.map(outcome);
      expect(kinds.filter(kind => kind === 'unlinked')).toHaveLength(1);
      for (const kind of kinds) expect(['unlinked', 'not_found', 'last_sign_in_method']).toContain(kind);
    });

    test('does not count an identity that cannot sign in', async () => {
      // A provider that was taken out of the configuration, and another issuer under the same name.
      for (const second of [
        { provider: 'gone', issuer: 'https://gone.example' },
        { provider: 'gone', issuer: '' },
      ]) {
        const { user, token } = await withTwo(second);
        const unlink = unlinkOver(call, token);
        expect(await unlink('google')).toMatchObject({ code: 'last_sign_in_method', status: 400 });
        expect(await namesOf(user)).toEqual(['gone', 'google']);
        expect(outcome(await unlink('gone'))).toBe('unlinked');
        expect(outcome(await unlink('google'))).toBe('last_sign_in_method');
        expect(await namesOf(user)).toEqual(['google']);
      }
    });
  });

  test('the last two ways in, at whatever moment the one request meets the other, leaves one of them', async () => {
    const call = doors[0]!.at(site.app);
    await atEachMoment(backend, async at => {
      const { user, subject, token } = await withTwo();
      const unlink = unlinkOver(call, token);
      const calls = await interleave(site.app, () => unlink('google'), { [at]: () => unlink('other') });
      const left = await namesOf(user);
      expect(left).toHaveLength(1);
      if (left[0] === 'google') expect(await site.sessionOf(subject)).not.toBeNull();
      return calls;
    });
  });

  test('does not count an identity whose link is taken back, because its session has ended', async () => {
    const { oauth_identities } = site.app.gatehouse.repositories;
    const { user, subject, token } = await withTwo();
    const other = { token: (await site.sessionOf(subject))! };
    const call = doors[0]!.at(site.app);
    const unlink = unlinkOver(call, other.token);
    expect(outcome(await unlink('google'))).toBe('unlinked');
    const back = await site.startLink({ token });
    const { add } = oauth_identities;
    const answers: string[] = [];
    const adding = vi.spyOn(oauth_identities, 'add').mockImplementationOnce(async identity => {
      const isAdded = await add(identity);
      answers.push(outcome(await unlink('other')));
      await call('logout', {}, { token });
      return isAdded;
    });
    const ended = await site.comeBack(back, newSubject());
    adding.mockRestore();
    expect([ended.searchParams.get('error'), answers]).toEqual(['bad_state', ['last_sign_in_method']]);
    expect(await namesOf(user)).toEqual(['other']);
  });

  test('counts an identity once it is linked', async () => {
    const { user, subject, token } = await withTwo();
    const unlink = unlinkOver(doors[0]!.at(site.app), token);
    expect(outcome(await unlink('google'))).toBe('unlinked');
    await site.comeBack(await site.startLink({ token }), subject);
    expect(outcome(await unlink('other'))).toBe('unlinked');
    expect(await namesOf(user)).toEqual(['google']);
  });

  test('that is killed in the middle loses no way in', async () => {
    const call = doors[0]!.at(site.app);
    await atEachMoment(backend, async at => {
      const { user, subject, token } = await withTwo();
      const unlink = unlinkOver(call, token);
      const calls = await interleave(site.app, () => unlink('google'), {
        [at]: () => Promise.reject(new Killed()),
      });
      const isThere = (await namesOf(user)).includes('google');
      if (isThere) {
        // The identity signs in as before, and by that counts again for the other one.
        expect((await site.me((await site.sessionOf(subject))!)).id).toBe(user.id);
        expect(outcome(await unlink('other'))).toBe('unlinked');
      }
      expect(await namesOf(user)).toHaveLength(1);
      return calls;
    });
  });

  test('goes on when a sign-in by the same identity comes in the middle', async () => {
    const call = doors[0]!.at(site.app);
    await atEachMoment(backend, async at => {
      const { user, subject, token } = await withTwo();
      const unlink = unlinkOver(call, token);
      const calls = await interleave(site.app, () => unlink('google'), {
        [at]: () => site.sessionOf(subject),
      });
      expect(await namesOf(user)).toEqual(['other']);
      return calls;
    });
  });
});
