import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSignInFlow } from '../../src/react/sign-in-flow.ts';
import { type App, signUp, startApp } from '../support/app.ts';
import { codeIn } from '../support/people.ts';
import { setUpPhone, setUpTotp, strongSettings } from '../support/strong.ts';
import { heldRequests } from './held-requests.ts';
import { clientOf, interfaces } from './support.ts';

// A sign-in as `useSignIn` has it, without React: what each act does to its state.

const held = heldRequests();
let app: App;
let smsOnly: App;
beforeAll(async () => {
  app = await startApp({ before: [held.handler], settings: { ...strongSettings, enableSms2fa: true } });
  smsOnly = await startApp({ settings: { enableSms2fa: true } });
});
afterAll(() => Promise.all([app?.close(), smsOnly?.close()]));

function flowOf(at: App, door: (typeof interfaces)[number]) {
  const { client } = clientOf(at, door);
  const { get, subscribe, acts } = createSignInFlow(client);
  const seen: boolean[] = [];
  subscribe(() => void seen.push(get().pending));
  return { client, state: get, seen, ...acts };
}

const begun = { step: 'credentials', methods: [], error: null, pending: false };

describe.each(interfaces)('through %s', door => {
  test('a right password is all that an account without a second step needs', async () => {
    const { email, password } = await signUp(app);
    const { client, state, seen, withPassword } = flowOf(app, door);
    expect(state()).toEqual(begun);
    await withPassword(email, 'not the password');
    expect(state()).toMatchObject({ ...begun, error: { code: 'invalid_credentials' } });
    await withPassword(email, password);
    expect(state()).toEqual({ ...begun, step: 'done' });
    expect(seen).toEqual([true, false, true, false]);
    expect(client.token).not.toBeNull();
  });

  test('where text messages are the only method, their code is all that is sent', async () => {
    const member = await signUp(smsOnly);
    const phone = await setUpPhone(smsOnly, member);
    const { state, withPassword, withCode } = flowOf(smsOnly, door);
    await withPassword(member.email, member.password);
    expect(state()).toEqual({ ...begun, step: 'second-step', methods: ['sms'] });
    await withCode('sms', codeIn(await smsOnly.nextText(phone)));
    expect(state()).toMatchObject({ step: 'done', error: null });
  });

  test('a code by text message is sent when it is asked for', async () => {
    const member = await signUp(app);
    const { token } = await setUpTotp(app, member);
    const phone = await setUpPhone(app, { ...member, token });
    const { state, withPassword, sendCode, withCode } = flowOf(app, door);
    await withPassword(member.email, member.password);
    expect(state().methods).toEqual(['totp', 'sms', 'recovery_code']);
    await sendCode();
    expect(state()).toMatchObject({ step: 'second-step', error: null });
    await withCode('sms', codeIn(await app.nextText(phone)));
    expect(state().step).toBe('done');
  });

  test('somebody who has signed out begins anew, with a passkey, too', async () => {
    const member = await signUp(app);
    const { recoveryCodes } = await setUpTotp(app, member);
    const { client, state, withPassword, withCode, withPasskey } = flowOf(app, door);
    await withPassword(member.email, member.password);
    await withCode('recovery_code', recoveryCodes[0]!);
    expect(state()).toEqual({ ...begun, step: 'done' });
    await client.logout();
    // Node has no passkeys: it fails there, and not at the step that is over.
    await withPasskey();
    expect(state()).toMatchObject({ step: 'done', error: { code: 'passkey_unsupported' } });
  });

  test('a recovery code takes the second step once', async () => {
    const member = await signUp(app);
    const { recoveryCodes } = await setUpTotp(app, member);
    const codes: unknown[] = [];
    for (let time = 0; time < 2; time += 1) {
      const { state, withPassword, withCode } = flowOf(app, door);
      await withPassword(member.email, member.password);
      await withCode('recovery_code', recoveryCodes[0]!);
      codes.push(state().error?.code ?? state().step);
    }
    expect(codes).toEqual(['done', 'mfa_code_wrong']);
  });
});

test('an act that comes while another one is under way is ignored', async () => {
  const { email, password } = await signUp(app);
  const { state, withPassword } = flowOf(app, 'rest');
  const first = held.request('/api/auth/login');
  const signingIn = withPassword(email, password);
  await first.here;
  await withPassword(email, 'not the password');
  expect(state()).toMatchObject({ pending: true, error: null });
  first.release();
  await signingIn;
  expect(state()).toMatchObject({ step: 'done', pending: false, error: null });
});

test('a flow that begins anew gets no session from the former one', async () => {
  const { email, password } = await signUp(app);
  const { client, state, withPassword, restart } = flowOf(app, 'rest');
  const answer = held.response('/api/auth/login');
  const signingIn = withPassword(email, password);
  await answer.here;
  restart();
  expect(state()).toEqual(begun);
  answer.release();
  await signingIn;
  expect(state()).toEqual(begun);
  expect(client.token).toBeNull();
  await withPassword(email, password);
  expect(state().step).toBe('done');
});

test('a code without a second step is a mistake of the application', async () => {
  const { state, withCode, sendCode } = flowOf(app, 'rest');
  await expect(withCode('totp', '000000')).rejects.toThrow('There is no second step yet.');
  await expect(sendCode()).rejects.toThrow(TypeError);
  expect(state()).toEqual(begun);
});
