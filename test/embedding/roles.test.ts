import express from 'express';
import { afterAll, describe, expect, expectTypeOf, test } from 'vitest';
import type { Gatehouse } from '../../src/index.ts';
import { embed, endings, serve, signIn } from '../support/embedded.ts';

// Own fields and roles in the application of a host.

afterAll(async () => {
  for (const end of endings.splice(0)) await end();
});

const roles = ['editor', 'billing'];

async function host(gatehouse: Gatehouse) {
  const app = express();
  app.get('/articles', gatehouse.requireRole('editor'), (req, res) => void res.json(req.auth.user));
  app.get('/any', gatehouse.requireSession(), (req, res) => void res.json(req.auth.user));
  app.use(gatehouse.config.apiPrefix, gatehouse.router);
  return serve(app);
}

describe('requireRole', () => {
  test('lets in users who have the role at that moment, and no other users', async () => {
    const { gatehouse } = await embed({ roles });
    const ask = await host(gatehouse);
    const { users } = gatehouse.repositories;
    const { id, token } = await signIn(ask);
    const give = (...given: string[]) => users.change(id, { roles: { known: roles, given } });
    const refused = {
      status: 403,
      body: { code: 'forbidden', detail: 'Only somebody with the role editor may do this.' },
    };
    expect(await ask('GET', '/articles')).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect(await ask('GET', '/articles', { token })).toMatchObject(refused);
    await give('billing');
    expect(await ask('GET', '/articles', { token })).toMatchObject(refused);
    // The same token: roles are read from the user at each request.
    await give('editor');
    expect(await ask('GET', '/articles', { token })).toMatchObject({
      status: 200,
      body: { id, roles: ['editor'] },
    });
    await give();
    expect(await ask('GET', '/articles', { token })).toMatchObject(refused);
    // A superuser needs the role, too.
    await users.change(id, { set: { isSuperuser: true } });
    expect(await ask('GET', '/articles', { token })).toMatchObject(refused);
  });

  test('is refused when it is made without a role that there is', async () => {
    const { gatehouse } = await embed({ roles });
    expect(() => gatehouse.requireRole('root')).toThrow(
      new TypeError('requireRole knows no role root: there are editor, billing.'),
    );
    const without = gatehouse.requireRole as unknown as () => unknown;
    expect(() => without()).toThrow(
      new TypeError('requireRole knows no role undefined: there are editor, billing.'),
    );
    const none = (await embed()).gatehouse;
    expect(() => none.requireRole('editor')).toThrow(
      new TypeError('requireRole knows no role editor: the configuration names no roles.'),
    );
    expectTypeOf(gatehouse.requireRole).parameter(0).toEqualTypeOf<string>();
  });

  test('is no less strict for a request of the Fetch standard', async () => {
    const { gatehouse } = await embed({ roles });
    const { token } = await signIn(await host(gatehouse));
    const request = new Request('http://localhost/articles', {
      headers: { Authorization: `Bearer ${token}` },
    });
    const protect = (role: unknown) => gatehouse.protect(request, { role } as never);
    expect((await protect('editor')).response?.status).toBe(403);
    await expect(protect('root')).rejects.toThrow('protect knows no role root: there are editor, billing.');
    // A misspelt constant must not leave the route to everybody who is signed in.
    for (const role of [undefined, null, ['editor']]) {
      await expect(protect(role)).rejects.toThrow('role of protect must be a text');
    }
  });
});

test('a host sees in requests, tokens and events what the user sees', async () => {
  const { gatehouse } = await embed({
    roles,
    userFields: {
      company: {},
      remark: { editableBy: 'admin', visibleTo: 'admin' },
      key: { editableBy: 'host', visibleTo: 'host' },
    },
  });
  const ask = await host(gatehouse);
  const events: unknown[] = [];
  for (const name of ['user_logged_in', 'user_updated'] as const) {
    gatehouse.on(name, ({ user }) => void events.push(user.fields));
  }
  const { id, token } = await signIn(ask);
  await gatehouse.repositories.users.change(id, { fields: { company: 'Acme', remark: 'x', key: 'y' } });
  await ask('PATCH', '/api/auth/me', { token, body: { full_name: 'Ada' } });
  const fields = { company: 'Acme' };
  expect((await ask('GET', '/any', { token })).body.fields).toEqual(fields);
  expect((await gatehouse.authenticate(token))?.user.fields).toEqual(fields);
  expect(events).toEqual([{ company: null }, fields]);
});
