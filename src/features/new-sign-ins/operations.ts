import { z } from 'zod';
import { isCurrent } from '../../clock.ts';
import { MessageView } from '../../contract/views/message.ts';
import type { DataEncryption } from '../../crypto/data-key.ts';
import { tokenHash } from '../../crypto/one-time.ts';
import { holdHash } from '../../crypto/stopped-password.ts';
import { notRevokedSince } from '../../domain/authentication.ts';
import { mostTries } from '../../domain/contention.ts';
import type { Dependencies } from '../../domain/dependencies.ts';
import { sessionEndedError } from '../../domain/reauthentication.ts';
import { contentionError, GatehouseError } from '../../errors.ts';
import { hasMailbox } from '../../mail/outbox.ts';
import type { User } from '../../tables/user.ts';
import type { Words } from '../../words/words.ts';
import { distrustAfter } from './distrust.ts';
import { ReportNotMeInput } from './inputs.ts';
import type { NotMeLink } from './link-table.ts';
import { notMeTtlSeconds, type ToldAct, toldAct } from './links.ts';
import { NotMeView } from './views.ts';

/** The link "this was not me" of emails to an owner, and what its owner keeps afterwards (CONTRACT §12.4). */
export function createNotMe(parts: Dependencies, encryption: DataEncryption) {
  const { config, clock, repositories, events, views, define } = parts;
  const { notices } = parts.mails;
  const { users, not_me_links: links, sign_in_places: places } = repositories;

  /** Returns a link that can still be used, and its account. @throws {GatehouseError} invalid_token */
  async function find(id: string): Promise<{ user: User; link: NotMeLink }> {
    const user = await users.find((await links.find(id))?.userId ?? '');
    // Read after the account, so that a change of the account between both is noticed when the account is changed.
    const link = await links.find(id);
    // The former version left one that it had used for its first step; here it closes the account.
    const isGood = link && link.state !== 'done' && isCurrent(link.expiresAt, notMeTtlSeconds, clock.now());
    if (!isGood || !user?.isActive) throw new GatehouseError('invalid_token');
    return { user, link };
  }

  /** Returns what a report changes of an account. Without resets by email it could not be opened again. */
  function closed(user: User, { at, email }: ToldAct, now: Date): Partial<User> {
    if (!config.enablePasswordReset) return {};
    const isFormerAddress = email !== null && email !== user.email;
    return {
      hashedPassword: holdHash(user.hashedPassword),
      reportedAt: now,
      distrustedSince: distrustAfter(user, at),
      ...(isFormerAddress && { resetsHeldAt: now }),
    };
  }

  /** Returns what to tell the person who used the link. */
  function viewOf({ reportedAt, resetsHeldAt, email }: User, t: Words['t']): NotMeView {
    const { appName: app_name, supportContact: support_contact } = config;
    if (reportedAt === null) {
      const message =
        support_contact === undefined
          ? t('notice_not_me_ended')
          : t('notice_not_me_ended_support', { support_contact });
      return { message, password_needed: false };
    }
    if (resetsHeldAt === null && hasMailbox(email))
      return { message: t('notice_not_me_closed_reset'), password_needed: true };
    const message =
      support_contact === undefined
        ? t('notice_not_me_closed', { app_name })
        : t('notice_not_me_closed_support', { app_name, support_contact });
    return { message, password_needed: false };
  }

  const reportNotMe = define(
    {
      name: 'reportNotMe',
      at: 'POST /not-me',
      summary: 'Closes an account with the link "this was not me" of an email.',
      description:
        'Every session ends, and no one can sign in until the owner has chosen a new password with a link in an email. The link is good for seven days, and acts once.',
      access: { kind: 'anyone' },
      input: ReportNotMeInput,
      output: NotMeView,
      limit: 'not_me',
      errors: ['invalid_token'],
    },
    async ({ token }, { trail, t }): Promise<NotMeView> => {
      const id = tokenHash(token);
      for (let tries = 0; tries < mostTries; tries++) {
        const { user, link } = await find(id);
        trail.subject = user.id;
        const told = toldAct(encryption, link);
        const now = clock.now();
        const set = closed(user, told, now);
        // The account first: a stop in between leaves the link good.
        const change = { set: { ...set, updatedAt: now }, cutOffAt: now };
        const changed = await users.change(user.id, change, notRevokedSince(user));
        if (!changed) continue;
        if (!(await links.finish(link))) throw new GatehouseError('invalid_token');
        await places.removeAll(user.id);
        trail.changes = ['sessions', ...(set.reportedAt ? ['password', 'reported_at'] : [])];
        const view = viewOf(changed, t);
        const apiKeys = await parts.lifeCycle.keysFate(changed);
        // Also to the address that the link was sent to, where that is not the account's.
        for (const email of new Set([user.email, told.email ?? user.email]))
          await notices.notify('notMeReported', { ...user, email }, trail, {
            isClosed: changed.reportedAt !== null,
            isPasswordNeeded: view.password_needed,
            apiKeys,
          });
        await events.emit('not_me_reported', { user: views.toUserPublic(changed), about: told.about });
        return view;
      }
      throw contentionError();
    },
  );

  const keepAddedSince = define(
    {
      name: 'keepAddedSince',
      at: 'POST /not-me/keep',
      summary: 'Trusts again the passkeys, identities and API keys that a report has made distrusted.',
      description:
        'After a report, a passkey, an identity or an API key that was added since the reported act gives no access by itself, until its owner keeps or removes it.',
      access: { kind: 'session', isSensitive: true },
      input: z.strictObject({}),
      output: MessageView,
      errors: [],
    },
    async (_input, { session: { user }, trail, t }): Promise<MessageView> => {
      const set = { distrustedSince: null, updatedAt: clock.now() };
      trail.changes = user.distrustedSince === null ? [] : ['distrusted_since'];
      if (user.distrustedSince !== null && !(await users.change(user.id, { set }, notRevokedSince(user))))
        throw sessionEndedError();
      return { message: t('notice_trusted_again') };
    },
  );

  return { reportNotMe, keepAddedSince };
}
