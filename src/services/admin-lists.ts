import { z } from 'zod';
import { userCursor } from '../contract/cursors.ts';
import { ListInput, listUsersInput } from '../contract/inputs/admin.ts';
import type { Level } from '../contract/own-fields.ts';
import {
  PendingPage,
  StatsView,
  toPendingRegistrationView,
  type UserPage,
  userPageOf,
} from '../contract/views/admin.ts';
import { countedUpTo } from '../count-limits.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { lookedUp } from '../domain/own-data.ts';
import { usualPage } from '../domain/pages.ts';
import { createTotals } from '../domain/totals.ts';
import type { LockedAddresses } from '../limits/locks.ts';
import type { UserKind } from '../storage/repositories/users.ts';

/** Lists and statistics for administrators. */
export function createAdminLists(
  { config, clock, repositories, views, define, limits: { locks } }: Dependencies,
  level: Level = 'admin',
) {
  const found = lookedUp(views, level);
  const { users, pending } = repositories;
  const access = { kind: 'superuser' } as const;

  const totals = createTotals();
  const countUsers = (kind: UserKind = {}) =>
    totals.read(`users ${JSON.stringify(kind)}`, most => users.count({ kind }, most));

  const stats = define(
    {
      name: 'adminStats',
      at: 'GET /admin/stats',
      summary: 'How many accounts and pending registrations there are.',
      description: 'Beyond 10,000 a count may be ten seconds old.',
      access,
      input: z.strictObject({}),
      output: StatsView,
      audited: false,
      errors: [],
    },
    async (): Promise<StatsView> => {
      const [total, active, verified, superuserCount, waiting] = await Promise.all([
        countUsers(),
        countUsers({ isActive: true }),
        countUsers({ isVerified: true }),
        countUsers({ isSuperuser: true }),
        totals.read('pending registrations', most => pending.count(clock.now(), undefined, most)),
      ]);
      return {
        total_users: total,
        active_users: active,
        verified_users: verified,
        superusers: superuserCount,
        pending_registrations: waiting,
      };
    },
  );

  const listUsers = define(
    {
      name: 'users',
      at: 'GET /admin/users',
      summary: 'Every account, newest first.',
      description:
        'They can be searched by a part of the email address or the name, and filtered. Those of whom wrong passwords have locked the address are found among the 1,000 newest locks.',
      access,
      audited: 'people',
      input: listUsersInput(config),
      output: userPageOf(found.schema),
      cursor: userCursor,
      errors: [],
    },
    async ({ skip, limit, search, after, role, is_locked, ...flags }, { by }): Promise<UserPage> => {
      const page = { skip: skip ?? 0, limit: limit ?? usualPage };
      const kind: UserKind = {
        ...(flags.is_active != null && { isActive: flags.is_active }),
        ...(flags.is_verified != null && { isVerified: flags.is_verified }),
        ...(flags.is_superuser != null && { isSuperuser: flags.is_superuser }),
        ...(flags.is_mfa_enabled != null && { isMfaEnabled: flags.is_mfa_enabled }),
        ...(flags.is_reported != null && { isReported: flags.is_reported }),
      };
      const locked = is_locked == null ? undefined : await locks.list();
      const capped = is_locked ? { is_capped: locked?.isCapped ?? false } : {};
      if (is_locked && locked?.addresses.length === 0) return { ...cut([], page), total: 0, ...capped };
      const from = after && (await users.placeOf(after));
      const listing = {
        ...oneMore(page),
        search,
        after: from,
        kind,
        role,
        among: amongOf(locked, is_locked),
      };
      const { rows, total } = await users.listAndCount(listing, mostCountedOf(search));
      const until = await locks.readUntil(by === 'admin' ? rows.map(({ email }) => email) : []);
      const items = rows.map(user => found.show(user, by, until.get(user.email)));
      return { ...cut(items, page), total, ...capped };
    },
  );

  const listPending = define(
    {
      name: 'pendingRegistrations',
      at: 'GET /admin/pending',
      summary: 'Registrations that wait for their verification link to be used, by address.',
      description: 'A registration ends when its link expires.',
      access,
      input: ListInput,
      output: PendingPage,
      cursor: ['email'],
      errors: [],
    },
    async ({ skip, limit, search, after }): Promise<PendingPage> => {
      const page = { skip: skip ?? 0, limit: limit ?? usualPage };
      const listing = { ...oneMore(page), search, after };
      const { rows, total } = await pending.listAndCount(listing, clock.now(), mostCountedOf(search));
      return { ...cut(rows.map(toPendingRegistrationView), page), total };
    },
  );

  return { stats, listUsers, listPending };
}

const amongOf = (locked: LockedAddresses | undefined, isLocked: boolean | null | undefined) =>
  locked && locked.addresses.length > 0 ? { emails: locked.addresses, isOutside: !isLocked } : undefined;

interface Page {
  skip: number;
  limit: number;
}

/** A page is read with one additional item, which shows whether another page follows. */
const oneMore = (page: Page): Page => ({ ...page, limit: page.limit + 1 });
const cut = <T>(items: T[], { skip, limit }: Page) => ({
  items: items.slice(0, limit),
  skip,
  limit,
  has_more: items.length > limit,
});

const mostCountedOf = (search: string | null | undefined) => countedUpTo[search ? 'search' : 'all'];
