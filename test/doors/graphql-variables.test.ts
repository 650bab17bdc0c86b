import { parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refusal } from '../../src/graphql/limits.ts';
import { type App, startApp } from '../support/app.ts';
import { codesOf, expectInvalidDocument } from './graphql-replies.ts';

const newType = 'application/graphql-response+json';
let app: App;
let openApp: App;
beforeAll(async () => {
  app = await startApp();
  openApp = await startApp({ settings: { graphqlIntrospection: true, graphqlIde: true } });
});
afterAll(async () => {
  await app?.close();
  await openApp?.close();
});

const asNewType = { headers: { Accept: newType } };

describe('variables', () => {
  const login = 'mutation ($input: LoginInput!) { login(input: $input) { __typename } }';

  test('that are full of unknown fields are not printed anew for each of them', async () => {
    // An attacker fills a body with unknown fields: one error each, and each error lists all fields.
    let reads = 0;
    const names = Array.from({ length: 300 }, (_, i) => `k${i}`);
    const counted = { enumerable: true, get: () => reads++ };
    const input = Object.defineProperties({}, Object.fromEntries(names.map(name => [name, counted])));
    const schema = await app.gatehouse.graphqlSchema();
    expect(refusal({ schema, document: parse(login), variableValues: { input } }, true)).toHaveLength(6);
    expect(reads).toBeLessThan(10 * names.length);
  });

  test.each([
    ['are missing', {}],
    ['are null', { input: null }],
    ['are a list', { input: [] }],
    ['have a number for a text', { input: { email: 5, password: 'x' } }],
    ['have an operator for a text', { input: { email: { $ne: null }, password: 'x' } }],
    ['lack a field', { input: { email: 'a@example.org' } }],
    ['have a field too many', { input: { email: 'a@example.org', password: 'x', admin: true } }],
    ['try to set a prototype', JSON.parse('{"input":{"email":"a","password":"x","__proto__":{}}}')],
  ])('are refused when they %s', async (_, variables) => {
    const reply = await app.graphql(login, variables, asNewType);
    expect(reply.status).toBe(400);
    expectInvalidDocument(reply);
  });

  test('are not repeated by what refuses them', async () => {
    // An attacker reads passwords in the error reports of an app that sent them in the wrong form.
    const password = 'a very secret password';
    for (const graphql of [app.graphql, openApp.graphql]) {
      for (const input of [
        { email: 'a@example.org', passwort: password },
        { email: 'a@example.org', password, extra: 1 },
        { email: 'a@example.org', password: [password] },
        password,
      ]) {
        const { body } = await graphql(login, { input });
        expect(JSON.stringify(body)).not.toContain(password);
      }
    }
  });

  test('and inputs that they make invalid are not repeated either, whether or not the document is known', async () => {
    const password = 'a very secret password';
    const query = `mutation ($email: String = "a@example.org") {
      login(input: { email: $email, password: "${password}" }) { __typename } }`;
    for (let time = 0; time < 2; time++) {
      const reply = await app.graphql(query, { email: null }, asNewType);
      expect(JSON.stringify(reply.body)).not.toContain(password);
      expect(codesOf(reply)).toEqual(['invalid_document']);
      // It was executed: the field says what was wrong.
      expect([reply.status, reply.body.data]).toEqual([200, { login: null }]);
    }
  });

  test('that are wrong in many ways are told a few of them', async () => {
    const input = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, 1]));
    for (const query of [login, login]) {
      const { body } = await app.graphql(query, { input });
      expect(body.errors.length).toBeLessThan(10);
    }
  });

  test('are refused with the place where they are wrong', async () => {
    const { body } = await app.graphql(login, { input: { email: 5, password: 'x' } });
    expect(body.errors[0].message).toBe('input.email: String cannot represent a non string value.');
  });
});
