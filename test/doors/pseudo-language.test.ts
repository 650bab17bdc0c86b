import { afterAll, beforeAll, expect, test } from 'vitest';
import type { App } from '../support/app.ts';
import { doors, type OperationName } from '../support/doors.ts';
import { type Oidc, startOidc } from '../support/oidc.ts';
import { calls } from './effect-inputs.ts';
import { openSites } from './effects.ts';

// Everything that an operation says is in the language of its caller (CONTRACT §20.9): that of `en-XA` is in brackets.

let oidc: Oidc;
let sites: ReturnType<typeof openSites>;
beforeAll(async () => {
  oidc = await startOidc();
  sites = openSites(oidc, { locales: ['en', 'en-XA'] });
});
afterAll(async () => {
  await sites?.close();
  await oidc?.close();
});

/** Returns the texts for people in an answer: its members `detail` and `message`. */
function textsIn(answer: unknown): string[] {
  if (typeof answer !== 'object' || answer === null) return [];
  return Object.entries(answer).flatMap(([name, value]) =>
    typeof value === 'string' && (name === 'detail' || name === 'message') ? [value] : textsIn(value),
  );
}

/** Returns an app that is asked in the pseudo-language, and the texts that it has answered. */
function heard(app: App): { app: App; texts: string[] } {
  const texts: string[] = [];
  const headers = { 'Accept-Language': 'en-XA' };
  const keep = <Reply extends { body: unknown }>(reply: Reply): Reply => {
    texts.push(...textsIn(reply.body));
    return reply;
  };
  return {
    texts,
    app: {
      ...app,
      rest: async (method, path, body, options) =>
        keep(await app.rest(method, path, body, { ...options, headers })),
      graphql: async (query, variables, options) =>
        keep(await app.graphql(query, variables, { ...options, headers })),
    },
  };
}

test.each(Object.keys(calls) as OperationName[])('%s says everything in the language', async name => {
  const { good, bad } = calls[name];
  for (const prepare of [good, ...(bad ? [bad] : [])]) {
    const site = await sites.open();
    const { input, token } = await prepare(site);
    const { app, texts } = heard(site.app);
    // The second call finds what the first has done; its refusal is a text, too.
    for (const door of doors) await door.at(app)(name, input, token === undefined ? {} : { token });
    expect(texts.filter(text => !/^⟦.*⟧$/su.test(text))).toEqual([]);
  }
});

test('an authenticator without a name has one of the language', async () => {
  const site = await sites.open();
  const { input, token } = await calls.confirmTotpSetup.good(site);
  const { app } = heard(site.app);
  const { name: _, ...unnamed } = input as { name?: string };
  const { body } = await app.rest('POST', '/totp/confirm', unnamed, { token });
  expect(body.authenticator.name).toMatch(/^⟦.*⟧$/);
});
