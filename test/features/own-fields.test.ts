import { expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { printGraphQLSchema } from '../../src/graphql/print.ts';
import { type App, signUp, startApp } from '../support/app.ts';

// Own fields and roles are in every document, each where it can be seen or set, and in none without configuration.

const admin = { enableAdminRouter: true, enableUiRouter: true };

async function documentsOf(app: App) {
  const openApi = (await app.rest('GET', '/openapi.json')).body;
  const graphql = printGraphQLSchema(await app.gatehouse.graphqlSchema());
  const typeOf = (name: string) =>
    new RegExp(`^(?:type|input) ${name} \\{[^}]*\\}`, 'm').exec(graphql)?.[0] ?? '';
  const bodyOf = (path: string, method: string) =>
    openApi.paths[path][method].requestBody.content['application/json'].schema;
  return { openApi, graphql, typeOf, bodyOf };
}

async function withApp(settings: ConfigInput, work: (app: App) => Promise<void>): Promise<void> {
  const app = await startApp({ settings: { ...admin, ...settings } });
  try {
    await work(app);
  } finally {
    await app.close();
  }
}

test('without configuration there is nothing of them', () =>
  withApp({}, async app => {
    const { openApi, graphql, typeOf } = await documentsOf(app);
    const names = graphql.replaceAll(/"{3}.*?"{3}/gs, '');
    expect(names).not.toMatch(/UserFields|RegisterFields|\broles\b|\brole\b/);
    expect(typeOf('User')).not.toMatch(/\bfields\b/);
    expect(JSON.stringify(openApi)).not.toMatch(/"UserFields"|"roles"|"role"|"fields"/);
    const member = await signUp(app);
    const { body } = await app.rest('GET', '/me', undefined, member);
    expect(Object.keys(body)).not.toContain('fields');
    expect(Object.keys(body)).not.toContain('roles');
    for (const given of [{ fields: {} }, { roles: [] }]) {
      const refused = await app.rest('PATCH', '/me', given, member);
      expect(refused.body).toMatchObject({
        code: 'invalid_input',
        errors: [{ path: Object.keys(given)[0] }],
      });
    }
    await app.gatehouse.repositories.users.change(member.id, { set: { isSuperuser: true } });
    expect((await app.rest('GET', '/admin/users?role=editor', undefined, member)).status).toBe(422);
    for (const page of ['register', 'me', 'admin']) {
      const html = await (await fetch(`${app.origin}/account/${page}`)).text();
      expect(html).not.toMatch(/data-own|name="fields\.|data-svc-(fields|roles)|data-role|value="role=/);
    }
    const features = await app.graphql('{ features { userFields { name } } }');
    expect(features.body.data).toEqual({ features: { userFields: [] } });
  }));

test('each field is where its levels say, and those of the host alone are nowhere', () =>
  withApp(
    {
      userFields: {
        company: { required: true, label: 'Your company' },
        size: { type: 'number', editableBy: 'admin' },
        remark: { editableBy: 'admin', visibleTo: 'admin' },
        birthday: { type: 'date', visibleTo: 'admin' },
        hidden_key: { editableBy: 'host', visibleTo: 'host' },
      },
    },
    async app => {
      const { openApi, graphql, typeOf, bodyOf } = await documentsOf(app);
      expect(JSON.stringify(openApi) + graphql).not.toMatch(/hidden_?key/i);
      const namesIn = (text: string) => [...text.matchAll(/^ {2}(\w+):/gm)].map(match => match[1]);
      expect(namesIn(typeOf('UserFields'))).toEqual(['birthday', 'company', 'remark', 'size']);
      expect(namesIn(typeOf('RegisterFieldsInput'))).toEqual(['birthday', 'company']);
      expect(namesIn(typeOf('UserFieldsInput'))).toEqual(['birthday', 'company']);
      expect(namesIn(typeOf('AdminUserFieldsInput'))).toEqual(['birthday', 'company', 'remark', 'size']);
      expect(typeOf('RegisterInput')).toContain('fields: RegisterFieldsInput!');
      expect(typeOf('RegisterFieldsInput')).toContain('company: String!');
      expect(typeOf('UserFields')).toContain('size: Float\n');

      const { UserFields, UserPublic } = openApi.components.schemas;
      expect(UserPublic.properties.fields).toEqual({ $ref: '#/components/schemas/UserFields' });
      expect(UserPublic.required).toContain('fields');
      expect(UserFields.required).toEqual(['company', 'size']);
      expect(UserFields.properties).toMatchObject({
        company: {
          anyOf: [{ type: 'string' }, { type: 'null' }],
          description: 'Your company; null when there is none.',
        },
        birthday: { description: 'Birthday; null when there is none. Shown to administrators only.' },
      });
      const register = bodyOf('/register', 'post');
      expect(register.required).toContain('fields');
      expect(register.properties.fields).toMatchObject({
        required: ['company'],
        additionalProperties: false,
      });
      expect(Object.keys(bodyOf('/me', 'patch').properties)).toEqual(['full_name', 'fields']);
      expect(JSON.stringify(bodyOf('/admin/users/{id}', 'patch'))).toMatch(/"remark"/);
      expect(JSON.stringify(openApi)).not.toMatch(/"roles?"|"scalar"|"graphql"/);

      const { body } = await app.graphql(
        '{ features { userFields { name type label required maxLength } } }',
      );
      expect(body.data.features.userFields).toEqual([
        { name: 'company', type: 'string', label: 'Your company', required: true, maxLength: 200 },
        { name: 'birthday', type: 'date', label: 'Birthday', required: false, maxLength: null },
      ]);
    },
  ));

test('roles are in the documents without fields, and fields without roles', () =>
  withApp({ roles: ['editor'] }, async app => {
    const { openApi, graphql, typeOf, bodyOf } = await documentsOf(app);
    expect(graphql).not.toMatch(/UserFields|RegisterFields/);
    expect(typeOf('User')).toContain('roles: [String!]!');
    expect(typeOf('AdminUpdateUserInput')).toContain('roles: [String!]');
    expect(typeOf('UpdateProfileInput') + typeOf('RegisterInput')).not.toContain('roles');
    expect(graphql).toMatch(/users\([^)]*role: String[,)\n ]/s);
    expect(openApi.components.schemas.UserPublic.properties.roles).toMatchObject({
      items: { enum: ['editor'] },
    });
    const role = openApi.paths['/admin/users'].get.parameters.find(
      ({ name }: { name: string }) => name === 'role',
    );
    expect(role).toMatchObject({ in: 'query', required: false, schema: { enum: ['editor'] } });
    expect(bodyOf('/me', 'patch').properties).not.toHaveProperty('roles');
  }));

test('where every field is the host’s, documents have no fields at all', () =>
  withApp({ userFields: { key: { editableBy: 'host', visibleTo: 'host' } } }, async app => {
    const { openApi, graphql } = await documentsOf(app);
    expect(graphql).not.toMatch(/UserFields|RegisterFields/);
    expect(JSON.stringify(openApi)).not.toMatch(/"UserFields"|"fields"/);
    const { body } = await app.rest('GET', '/me', undefined, await signUp(app));
    expect(body).not.toHaveProperty('fields');
  }));
