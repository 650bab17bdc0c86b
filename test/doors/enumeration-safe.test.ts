import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type App, dataEncryptionKey, type Member, password, signUp, tokenOf } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { doorsOn, resultOf } from '../support/doors.ts';
import { type External, startExternal } from '../support/external.ts';
import { newAddress, newSubject } from '../support/people.ts';
import { failed } from './provider-site.ts';

// A stranger asks of addresses whether they have an account here: by registering them, by changing to them, by signing in
// with what they registered, and through a provider that vouches for nothing.

const already = /You have an account/;

describeEachDriver('enumeration_safe_registration', backend => {
  let external: External;
  let app: App;
  const asked: string[] = [];
  beforeAll(async () => {
    const hooks = { beforeRegister: ({ email }: { email: string }) => void asked.push(email) };
    const settings = { enumerationSafeRegistration: true, mailStore: 'database', dataEncryptionKey };
    external = await startExternal({ backend, settings, hooks });
    app = external.app;
  });
  afterAll(() => external?.close());

  /** The methods of repositories that a call uses until it has stored its mail or its task. */
  async function storageCallsOf(work: () => Promise<unknown>): Promise<string[]> {
    const calls: string[] = [];
    const spies = Object.entries(app.gatehouse.repositories).flatMap(([table, repository]) =>
      Object.entries(repository).flatMap(([name, method]) => {
        if (typeof method !== 'function') return [];
        const spy = vi.spyOn(repository, name as never) as unknown as ReturnType<typeof vi.fn>;
        spy.mockImplementation((...args: unknown[]) => {
          calls.push(`${table}.${name}`);
          return method(...args);
        });
        return [spy];
      }),
    );
    await work();
    for (const spy of spies) spy.mockRestore();
    // Beside it, earlier mails are delivered.
    const own = calls.filter(call => !/^outbox\.(?!add)/.test(call));
    return own.slice(0, own.indexOf('outbox.add') + 1);
  }

  const ways = doorsOn(backend);
  describe.each(ways)('through $name', door => {
    const call: ReturnType<typeof door.at> = (...args) => door.at(app)(...args);
    const changeTo = (member: Member, new_email: string) =>
      call('changeEmail', { current_password: member.password, new_email }, member);

    // Shows asvs/6.3.8.
    test('a taken address is registered as a new one is: same answer, same storage, and its owner is told', async () => {
      const [member, fresh] = [await signUp(app), newAddress()];
      const answers: unknown[] = [];
      const calls = [];
      const mails = [];
      for (const email of [fresh, member.email]) {
        const work = async () => answers.push(await resultOf(call('register', { email, password })));
        calls.push(await storageCallsOf(work));
        // Work after the response must not count as part of the next one.
        mails.push(await app.nextMail(email));
      }
      const expires_at = expect.stringMatching(/^2040-/);
      expect(answers).toEqual(
        [fresh, member.email].map(email => ({ status: 'pending_verification', email, expires_at })),
      );
      expect(calls[1]).toEqual(calls[0]);
      expect(asked).toEqual(expect.arrayContaining([fresh, member.email]));

      const user = await resultOf(call('verify', { token: tokenOf(mails[0]!) }));
      expect(user).toMatchObject({ email: fresh, is_verified: true });
      const mail = mails[1];
      expect(mail!.subject).toMatch(already);
      expect(mail!.text).not.toContain('token=');
      expect(await app.gatehouse.repositories.pending.find(member.email)).toBeNull();
      const { email } = member;
      await resultOf(call('login', { email, password: member.password }));
    });

    test('the password of a registration signs in as that of an unknown address does, until it is verified', async () => {
      const email = newAddress();
      await resultOf(call('register', { email, password }));
      const token = tokenOf(await app.nextMail(email));
      for (const address of [email, newAddress(), (await signUp(app)).email]) {
        const answer = await call('login', { email: address, password: 'another password' });
        expect(answer).toMatchObject({ code: 'invalid_credentials', status: 401 });
      }
      expect(await call('login', { email, password })).toMatchObject({ code: 'invalid_credentials' });
      await resultOf(call('verify', { token }));
      await resultOf(call('login', { email, password }));
    });

    // Shows asvs/6.3.8.
    test('an address is changed to a taken one as to a new one, and confirming a taken one is no valid token', async () => {
      const [member, other, fresh] = [await signUp(app), await signUp(app), newAddress()];
      const heard: string[] = [];
      app.gatehouse.on('email_change_requested', ({ newEmail }) => void heard.push(newEmail));
      const answers: unknown[] = [];
      const calls = [];
      for (const email of [fresh, other.email])
        calls.push(await storageCallsOf(async () => answers.push(await changeTo(member, email))));
      expect(answers[1]).toEqual(answers[0]);
      expect(answers[1]).toMatchObject({ ok: true });
      expect(calls[1]).toEqual(calls[0]);
      expect(heard).toEqual([fresh, other.email]);
      expect((await app.nextMail(other.email)).subject).toMatch(already);
      for (let asked = 0; asked < 2; asked++)
        expect((await app.nextMail(member.email)).subject).toMatch(/new email address/);

      const token = tokenOf(await app.nextMail(fresh));
      await resultOf(call('register', { email: fresh, password }));
      await resultOf(call('verify', { token: tokenOf(await app.nextMail(fresh)) }));
      expect(await call('confirmEmailChange', { token })).toMatchObject({
        code: 'invalid_token',
        status: 400,
      });
    });

    test('invalid input is still refused', async () => {
      const member = await signUp(app);
      const refused = { code: 'invalid_input', status: 422 };
      expect(await call('register', { email: member.email, password: 'short' })).toMatchObject(refused);
      expect(await changeTo(member, member.email)).toMatchObject({ code: 'email_unchanged' });
    });
  });

  test('a process that stops between storing a registration and its mail does not make it contested', async () => {
    const email = newAddress();
    vi.spyOn(app.gatehouse.repositories.outbox, 'rewrite').mockRejectedValueOnce(new Error('stopped'));
    expect((await app.rest('POST', '/register', { email, password })).status).toBe(201);
    const { status } = await app.rest('POST', '/verify', { token: tokenOf(await app.nextMail(email)) });
    expect(status).toBe(200);
  });

  test('a taken address gets so many mails an hour as any other, and the answer stays the same', async () => {
    const member = await signUp(app);
    const { mailsPerAddressPerHour: most } = app.gatehouse.config;
    for (let asked = 0; asked < most + 3; asked++) {
      const { status } = await app.rest('POST', '/register', { email: member.email, password });
      expect(status).toBe(201);
    }
    const other = newAddress();
    await app.rest('POST', '/register', { email: other, password });
    await app.nextMail(other);
    await app.gatehouse.close();
    const told = app.mails.filter(({ to, subject }) => to === member.email && already.test(subject));
    expect(told).toHaveLength(most);
  });
});

describe('enumeration_safe_registration and a provider', () => {
  test('an address for which the provider does not vouch is refused before any account is looked for', async () => {
    const settings = { enumerationSafeRegistration: true, mailStore: 'database', dataEncryptionKey };
    const external = await startExternal({ settings });
    const { app } = external;
    const { email } = await signUp(app);
    const look = vi.spyOn(app.gatehouse.repositories.users, 'findByEmail');
    for (const address of [email, newAddress()]) {
      const ended = await external.signIn({ sub: newSubject(), email: address, email_verified: false });
      expect(ended.href).toBe(failed('login', 'email_not_verified').href);
    }
    expect(look).not.toHaveBeenCalled();
    await external.close();
  });
});
