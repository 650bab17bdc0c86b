import { afterAll, beforeAll, expect, test } from 'vitest';
import { effectsOf, listen, openSites } from '../../doors/effects.ts';
import { asAdmin, type Prepare, signedIn } from '../../doors/site.ts';
import { type Oidc, startOidc } from '../../support/oidc.ts';
import { entities, userOf } from './subgraph.ts';

// Side effects of the two fields of a subgraph, with everything switched on (CONTRACT §16.6).

let oidc: Oidc;
let sites: ReturnType<typeof openSites>;
beforeAll(async () => {
  oidc = await startOidc();
  sites = openSites(oidc);
});
afterAll(async () => {
  await sites?.close();
  await oidc?.close();
});

/** Returns the effects of asking for the ordinary account. */
async function effectsFor(prepare: Prepare, ask = entities) {
  const site = await sites.open();
  const { token } = await prepare(site);
  listen(site);
  const { body } = await ask(site.app, [userOf(site.member.id)], token === undefined ? {} : { token });
  const code = body.errors?.[0]?.extensions.code;
  return effectsOf(site, code ? { ok: false, status: 200, code } : { ok: true, value: body.data });
}

const nothing = { events: [], mails: [], texts: [], audit: [], metrics: [] };

test('_entities, by the owner, by a superuser, and without a session', async () => {
  const metrics = ['resolveEntities ok'];
  expect(await effectsFor(signedIn())).toMatchObject({ ...nothing, outcome: 'ok', metrics });
  expect(await effectsFor(asAdmin(() => undefined))).toMatchObject({
    ...{ ...nothing, outcome: 'ok', metrics },
    audit: [{ act: 'resolveEntities', by: 'admin', outcome: 'ok', count: 1 }],
  });
  expect(await effectsFor(() => ({}))).toMatchObject({
    ...{ ...nothing, outcome: 'unauthenticated', metrics: ['resolveEntities unauthenticated'] },
  });
});

test('_service has no effect at all', async () => {
  const ask: typeof entities = app => app.graphql('{ _service { sdl } }');
  expect(await effectsFor(() => ({}), ask)).toMatchObject({ ...nothing, outcome: 'ok' });
});
