import type { Shot } from './load.ts';
import { password, type Seeded } from './seed.ts';

const bearer = ({ token }: Seeded) => ({ authorization: `Bearer ${token}` });

/** `GET /me` of each user. */
export const sessionChecks = (users: Seeded[]): Shot[] =>
  users.map(user => ({ path: '/api/auth/me', headers: bearer(user), expect: `"email":"${user.email}"` }));

/** A host's own route behind `requireSession`, by each user. */
export const hostRequests = (users: Seeded[]): Shot[] =>
  users.map(user => ({ path: '/host', headers: bearer(user), expect: `"email":"${user.email}"` }));

/** The identifier of the API whose tokens are measured. */
export const resource = 'https://orders.example';

/** An access token for each user. */
export const issues = (users: Seeded[]): Shot[] =>
  users.map(user => ({
    method: 'POST',
    path: '/api/auth/tokens',
    headers: bearer(user),
    body: { resource },
    expect: '"access_token":',
  }));

/** A host's own route behind `requireToken`, by the access token of each user. */
export const tokenRequests = (users: Seeded[]): Shot[] =>
  users.map(user => ({ path: '/orders', headers: bearer(user), expect: `"email":"${user.email}"` }));

/** The user as REST sends it. */
const userFields =
  'id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter';
const query = `query Me { me { ${userFields} } }`;

/** The same as `GET /me`, asked in GraphQL. */
export const graphqlChecks = (users: Seeded[]): Shot[] =>
  users.map(user => ({
    method: 'POST',
    path: '/api/auth/graphql',
    headers: bearer(user),
    body: { query },
    expect: `"email":"${user.email}"`,
  }));

export const logins = (users: { email: string }[]): Shot[] =>
  users.map(({ email }) => ({
    method: 'POST',
    path: '/api/auth/login',
    body: { email, password },
    expect: '"access_token":',
  }));

/** New addresses, none of which was used before. */
export const registrations = (count: number, from: number): Shot[] =>
  Array.from({ length: count }, (_, i) => ({
    method: 'POST',
    path: '/api/auth/register',
    body: { email: `new-${from + i}@example.org`, password },
    status: 201,
    expect: 'pending_verification',
  }));

/** Requests of reset links for people who are there, and for as many who are not. */
export const forgottenPasswords = (users: { email: string }[]): Shot[] =>
  users.flatMap(({ email }) =>
    [email, `no-${email}`].map(address => ({
      method: 'POST',
      path: '/api/auth/forgot-password',
      body: { email: address },
      status: 202,
      expect: '"message":',
    })),
  );

export const exchanges = (ids: string[]): Shot[] =>
  ids.map(id => ({
    method: 'POST',
    path: '/api/auth/oauth/exchange',
    body: { id },
    expect: '"access_token":',
  }));

export const adminLists = (superuser: Seeded, query = ''): Shot[] => [
  { path: `/api/auth/admin/users${query}`, headers: bearer(superuser), expect: '"total":' },
];

/** The same as `GET /admin/users`, asked in GraphQL as an application does it: by variables, as nodes or as edges. */
export const graphqlLists = (superuser: Seeded, items: 'nodes' | 'edges'): Shot[] => {
  const selected = { nodes: `nodes { ${userFields} }`, edges: `edges { cursor node { ${userFields} } }` };
  const query = `query Users($first: Int, $after: String) { users(first: $first, after: $after) {
    ${selected[items]} totalCount pageInfo { hasNextPage endCursor } } }`;
  return [
    {
      method: 'POST',
      path: '/api/auth/graphql',
      headers: bearer(superuser),
      body: { query, variables: { first: 50 } },
      expect: '"totalCount":',
    },
  ];
};

/** A user of another library who is signed in. */
export interface PeerUser {
  email: string;
  password: string;
  cookie: string;
}

/** Better Auth's own check of a session. */
export const betterSessions = (users: PeerUser[]): Shot[] =>
  users.map(({ email, cookie }) => ({
    path: '/api/auth/get-session',
    headers: { cookie },
    expect: `"email":"${email}"`,
  }));

/** A route behind Passport that answers the user of the session. */
export const passportSessions = (users: PeerUser[]): Shot[] =>
  users.map(({ email, cookie }) => ({ path: '/me', headers: { cookie }, expect: `"email":"${email}"` }));

export const betterLogins = (users: PeerUser[]): Shot[] =>
  users.map(({ email, password }) => ({
    method: 'POST',
    path: '/api/auth/sign-in/email',
    headers: { origin: 'http://127.0.0.1' },
    body: { email, password },
    expect: '"token":',
  }));
