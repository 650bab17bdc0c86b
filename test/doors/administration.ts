import { newUser } from '../../src/domain/new-user.ts';
import { camelCase } from '../../src/graphql/names.ts';
import type { App } from '../support/app.ts';
import type { Answer, Door } from '../support/doors.ts';

/** Stores users without the price of a password each; every one is a little newer than the one before. */
export async function addUsers(
  app: App,
  users: { email: string; fullName?: string | null }[],
): Promise<string[]> {
  const ids = [];
  for (const { email, fullName = null } of users) {
    app.clock.advance(1);
    const user = newUser(app.clock.now(), { email, fullName, hashedPassword: null, isVerified: true });
    await app.gatehouse.repositories.users.add(user);
    ids.push(user.id);
  }
  return ids;
}

export interface List {
  search?: string;
  limit?: unknown;
  is_active?: unknown;
  is_verified?: unknown;
  is_superuser?: unknown;
  is_mfa_enabled?: unknown;
}

/** What a list answers: the addresses on its page, and how many match. */
export type Listed = { ok: true; emails: string[]; total: number } | Exclude<Answer, { ok: true }>;

export type ListName = 'users' | 'pendingRegistrations';

/** The lists of administration, which the two doors page in ways of their own. */
export async function list(
  door: Door,
  app: App,
  token: string,
  name: ListName,
  input: List = {},
): Promise<Listed> {
  if (door.name === 'REST') {
    const path = name === 'users' ? '/admin/users' : '/admin/pending';
    const query = new URLSearchParams(Object.entries(input).map(([key, value]) => [key, String(value)]));
    const { status, body } = await app.rest('GET', `${path}?${query}`, undefined, { token });
    if (status !== 200) return { ok: false, code: body.code, status, errors: body.errors };
    return { ok: true, emails: body.items.map((item: { email: string }) => item.email), total: body.total };
  }
  const kinds = ['isActive', 'isVerified', 'isSuperuser', 'isMfaEnabled'];
  const ofUsers = (text: (kind: string) => string) => (name === 'users' ? kinds.map(text).join(' ') : '');
  const query = `query ($first: Int, $search: String ${ofUsers(kind => `$${kind}: Boolean`)}) {
    ${name}(first: $first, search: $search ${ofUsers(kind => `${kind}: $${kind}`)}) {
      nodes { email } totalCount } }`;
  const { limit: first, search, ...flags } = input;
  const variables = Object.fromEntries(Object.entries(flags).map(([key, value]) => [camelCase(key), value]));
  const { body } = await app.graphql(query, { first, search, ...variables }, { token });
  const [error] = body.errors ?? [];
  if (error) return { ok: false, ...error.extensions };
  const { nodes, totalCount } = body.data[name];
  return { ok: true, emails: nodes.map((node: { email: string }) => node.email), total: totalCount };
}
