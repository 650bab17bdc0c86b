import { afterEach, describe, expect, test, vi } from 'vitest';
import { createUserViews } from '../../src/contract/views/account.ts';
import { createHooks } from '../../src/domain/hooks.ts';
import { createGatehouse, GatehouseError, type Hooks, Refusal } from '../../src/index.ts';
import { jwtSecret, password } from '../support/app.ts';
import { embed, endings, serveRouter, silent } from '../support/embedded.ts';
import { newAddress } from '../support/people.ts';

afterEach(async () => {
  vi.useRealTimers();
  for (const end of endings.splice(0).reverse()) await end();
});

describe('the hooks of a host', () => {
  const create = (hooks: unknown, more: object = {}) =>
    createGatehouse({ jwtSecret, logger: silent, hooks: hooks as Hooks, ...more });

  test('are asked', async () => {
    const { gatehouse } = await embed({
      hooks: {
        beforeRegister({ email }) {
          if (!email.endsWith('@acme.example')) throw new Refusal('Only for acme.example.');
        },
        beforeSignIn: undefined,
      },
    });
    const ask = await serveRouter(gatehouse);
    const register = (email: string) => ask('POST', '/api/auth/register', { body: { email, password } });
    expect(await register(newAddress())).toMatchObject({
      status: 403,
      body: { code: 'refused_by_host', detail: 'Only for acme.example.' },
    });
    expect(await register('ada@acme.example')).toMatchObject({ status: 201 });
  });

  test.each([
    [
      { beforeLogin() {} },
      'arguments: hooks.beforeLogin: There is no such hook. The hooks are: beforeRegister,',
    ],
    [{ constructor() {} }, 'arguments: hooks.constructor: There is no such hook.'],
    [{ beforeSignIn: true }, 'arguments: hooks.beforeSignIn: must be a function'],
    [{ beforeSignIn: null }, 'arguments: hooks.beforeSignIn: must be a function'],
    [null, 'arguments: hooks: must be an object of functions'],
    ['beforeSignIn', 'arguments: hooks: must be an object of functions'],
    [[], 'arguments: hooks: must be an object of functions'],
    // The methods of a class are not among what an instance has itself.
    [
      new (class Hooks {
        beforeSignin() {}
      })(),
      'arguments: hooks: must be an object of functions',
    ],
  ])('that are none are an error at start: %o', async (hooks, message) => {
    await expect(create(hooks)).rejects.toThrow(message);
    await expect(create(hooks)).rejects.toMatchObject({ name: 'ConfigError' });
  });

  test('are wrong together with the rest of the configuration', async () => {
    const made = create({ beforeLogin() {}, afterLogin() {} }, { jwtSecret: 'short' });
    await expect(made).rejects.toThrow(/jwtSecret[\s\S]*hooks\.beforeLogin[\s\S]*hooks\.afterLogin/);
  });
});

const views = createUserViews({ userFields: {}, roles: [] });

test('a hook has two seconds, which are those of the process', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const logged = vi.fn();
  const logger = { ...silent, error: logged };
  const hooks = createHooks({ hooks: { beforeRegister: () => new Promise(() => {}) }, logger, views });
  const asking = hooks
    .beforeRegister({ email: newAddress(), fullName: null, fields: {} })
    .catch(error => error);
  await vi.advanceTimersByTimeAsync(1999);
  expect(logged).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(await asking).toBeInstanceOf(GatehouseError);
  expect(await asking).toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
  expect(logged).toHaveBeenCalledTimes(1);
  expect(vi.getTimerCount()).toBe(0);
});

test('a hook that has answered leaves no timer behind', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const answers = [
    async () => {},
    () => Promise.reject(new Refusal('No.')),
    () => Promise.reject(new Error()),
  ];
  for (const beforeRegister of answers) {
    const hooks = createHooks({ hooks: { beforeRegister }, logger: silent, views });
    await hooks.beforeRegister({ email: newAddress(), fullName: null, fields: {} }).catch(() => {});
    expect(vi.getTimerCount()).toBe(0);
  }
});
