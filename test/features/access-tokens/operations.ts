import { asAdmin, type Calls, signedIn } from '../../doors/site.ts';
import { mutation, query } from '../../support/operations.ts';
import { api } from './api.ts';

const keys = '{ items { kid algorithm state since until } }';

/** The resource of the app of these calls; it is open for long, and rotates keys when it is told to alone. */
export const settings = { enableTokens: true, resources: { orders: api }, signingKeyRotationDays: 0 };

export const operations = {
  issueAccessToken: mutation(
    'POST /tokens',
    'issueAccessToken',
    'IssueAccessTokenInput!',
    '{ accessToken tokenType expiresIn scope }',
  ),
  signingKeys: query('GET /admin/keys', 'signingKeys', keys),
  adminRotateSigningKeys: mutation(
    'POST /admin/keys/rotate',
    'adminRotateSigningKeys',
    'AdminRotateSigningKeysInput',
    keys,
  ),
};

export const calls: Calls<typeof operations> = {
  issueAccessToken: {
    good: signedIn({ resource: api.identifier }),
    bad: signedIn({ resource: 'https://elsewhere.example' }),
  },
  signingKeys: { good: asAdmin(() => undefined), bad: null },
  adminRotateSigningKeys: {
    good: asAdmin(() => ({ force: true })),
    bad: asAdmin(() => ({})),
  },
};

export const unaudited: (keyof typeof operations)[] = ['issueAccessToken'];
