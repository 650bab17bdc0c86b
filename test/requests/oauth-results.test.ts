import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { OAuthState } from '../../src/tables/oauth-state.ts';
import { signUp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { type Call, doorsOn } from '../support/doors.ts';
import { type External, startExternal } from '../support/external.ts';
import { codeIn, newPhone, newSubject } from '../support/people.ts';

const day = 86_400_000;
const completionMs = 60_000;

describeEachDriver('what an external sign-in leaves in the database', backend => {
  let site: External;
  beforeAll(async () => {
    site = await startExternal({ backend, settings: { enableSms2fa: true } });
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => site?.close());

  /** Signs in up to the exchange; with the row that waits for it. */
  async function finish(subject: string): Promise<{ ended: URL; id: string; row: OAuthState }> {
    const { oauth_states } = site.app.gatehouse.repositories;
    const add = vi.spyOn(oauth_states, 'add');
    const ended = await site.signIn(subject);
    const rows = await Promise.all(add.mock.calls.map(([{ id }]) => oauth_states.find(id)));
    add.mockRestore();
    const row = rows.find(candidate => candidate?.resultToken);
    return { ended, id: ended.searchParams.get('id')!, row: row! };
  }

  describe.each(doorsOn(backend))('through $name', door => {
    let call: Call;
    beforeAll(() => {
      call = door.at(site.app);
    });

    // Shows asvs/10.1.1.
    test('is worth nothing to somebody who reads it, and everything to the browser', async () => {
      // An attacker reads the table all the time, by a hole in another application on the same database.
      const { id, row } = await finish(newSubject());
      const values = Object.values(row).filter(value => typeof value === 'string');
      expect(values).not.toContain(id);
      for (const value of values) {
        expect(await call('exchangeOAuth', { id: value || 'x' })).toMatchObject({ ok: false });
        expect(await site.me(value)).toBeNull();
      }
      const session = await call('exchangeOAuth', { id });
      if (!session.ok) throw new Error(session.code);
      expect(session.value.expires_in).toBe(7200);
      expect(JSON.stringify(row)).not.toContain(session.value.access_token);
      expect(await site.me(session.value.access_token)).not.toBeNull();
    });

    test('is worth nothing either where a second step is due', async () => {
      const subject = newSubject();
      const user = await site.me((await site.sessionOf(subject))!);
      const phoneNumber = newPhone();
      await site.app.gatehouse.repositories.users.change(user.id, {
        set: { phoneNumber, isMfaEnabled: true },
      });
      const { id, row } = await finish(subject);
      const code = codeIn(await site.app.nextText(phoneNumber));
      for (const value of Object.values(row).filter(value => typeof value === 'string')) {
        const confirmed = await call('confirmLoginMfa', { mfa_pending_token: value || 'x', code });
        expect(confirmed).toMatchObject({ ok: false, code: 'invalid_token' });
      }
      const challenge = await call('exchangeOAuth', { id });
      if (!challenge.ok) throw new Error(challenge.code);
      const { mfa_pending_token, expires_in } = challenge.value;
      expect(expires_in).toBe(600);
      expect(JSON.stringify(row)).not.toContain(mfa_pending_token);
      expect((await call('confirmLoginMfa', { mfa_pending_token, code })).ok).toBe(true);
    });

    test('of a version that stored the token itself cannot be exchanged', async () => {
      const { row } = await finish(newSubject());
      const { oauth_states } = site.app.gatehouse.repositories;
      const member = await signUp(site.app);
      const former = { ...row, id: randomUUID(), resultToken: member.token };
      await oauth_states.add(former);
      expect(await call('exchangeOAuth', { id: former.id })).toMatchObject({
        code: 'not_found',
        status: 404,
      });
    });
  });

  test('ends with everything else of the account when it is cut off before the exchange', async () => {
    const subject = newSubject();
    const user = await site.me((await site.sessionOf(subject))!);
    const { ended } = await finish(subject);
    await site.app.gatehouse.repositories.users.change(user.id, { cutOffAt: site.app.clock.now() });
    const { status, body } = await site.exchange(ended);
    expect(status).toBe(200);
    expect(await site.me(body.access_token)).toBeNull();
  });

  test('is gone at its end, when somebody asks for it', async () => {
    const { ended, row } = await finish(newSubject());
    site.app.clock.advance(completionMs);
    expect((await site.exchange(ended)).status).toBe(404);
    expect(await site.app.gatehouse.repositories.oauth_states.find(row.id)).toBeNull();
  });

  test('goes with the first purge after its end; a flow under way stays a day longer', async () => {
    const { gatehouse, clock } = site.app;
    const { oauth_states } = gatehouse.repositories;
    // As the purge of the server calls it, where the clock of the database agrees with ours.
    const purge = () => oauth_states.purge(new Date(clock.now().getTime() - day), clock.now());
    clock.advance(2 * day);
    await purge();
    const { row } = await finish(newSubject());
    const under = new URL(await site.start()).searchParams.get('state')!;
    clock.advance(completionMs - 1);
    expect(await purge()).toBe(0);
    clock.advance(1);
    expect(await purge()).toBe(1);
    expect(await oauth_states.find(row.id)).toBeNull();
    clock.advance(300_000);
    expect(await purge()).toBe(0);
    clock.advance(day);
    expect(await purge()).toBe(1);
    expect(await oauth_states.find(under)).toBeNull();
  });

  test('a row that somebody has changed is not found', async () => {
    // Somebody who may write to this table alone puts the token of one sign-in into the row of another.
    const [mine, theirs] = [await finish(newSubject()), await finish(newSubject())];
    const { oauth_states } = site.app.gatehouse.repositories;
    await oauth_states.consume(mine.row.id);
    await oauth_states.add({ ...mine.row, resultToken: theirs.row.resultToken });
    expect((await site.exchange(mine.ended)).status).toBe(404);
    expect((await site.exchange(theirs.ended)).status).toBe(200);
  });
});
