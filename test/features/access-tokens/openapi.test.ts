import { expect, test } from 'vitest';
import { dataEncryptionKey, startApp } from '../../support/app.ts';
import { api } from './api.ts';

test('the endpoints of OAuth are in OpenAPI: forms, refusals, and who may ask', async () => {
  const app = await startApp({
    settings: { enableTokens: true, dataEncryptionKey, resources: { orders: api } },
  });
  const { body: document } = await app.rest('GET', '/openapi.json');
  await app.close();
  const introspect = document.paths['/oauth2/introspect'].post;
  const revoke = document.paths['/oauth2/revoke'].post;
  expect([introspect.security, revoke.security]).toEqual([[{ resource: [] }], []]);
  expect(document.components.securitySchemes.resource).toMatchObject({ type: 'http', scheme: 'basic' });
  for (const [operation, form] of [
    [introspect, 'IntrospectTokenForm'],
    [revoke, 'RevokeTokenForm'],
  ]) {
    const { schema } = operation.requestBody.content['application/x-www-form-urlencoded'];
    expect(schema).toEqual({ $ref: `#/components/schemas/${form}` });
    expect(document.components.schemas[form].properties.token).toMatchObject({ type: 'string' });
    for (const status of [400, 401])
      expect(operation.responses[status].content['application/json'].schema).toEqual({
        $ref: '#/components/schemas/ProtocolError',
      });
    for (const status of [413, 415, 429, 503])
      expect(operation.responses[status].content).toHaveProperty(['application/problem+json']);
    expect(operation.responses).not.toHaveProperty('422');
  }
  expect(revoke.responses[200]).not.toHaveProperty('content');
  expect(document.components.schemas.ProtocolError.properties.error.enum).toEqual([
    'invalid_request',
    'unsupported_token_type',
    'invalid_client',
  ]);
});
