import { GatehouseError } from '../errors.ts';
import { ChangeEmailInput, ConfirmEmailChangeInput } from '../inputs/email-change.ts';
import { linkTo } from '../mail/links.ts';
import { isCutOff } from './authentication.ts';
import type { Dependencies } from './dependencies.ts';
import { sessionEnded } from './reauthentication.ts';
import { MessageView, toUserPublic, UserPublic } from './views.ts';

export type EmailChange = ReturnType<typeof createEmailChange>;

/** Moving an account to another address: asked for with the password, confirmed from the new mailbox. */
export function createEmailChange(parts: Dependencies) {
  const { config, clock, repositories, tokens, issuing, reauthentication, lockout, mailCap } = parts;
  const { outbox, notices, events, define } = parts;
  const { users, pending } = repositories;

  const changeEmail = define(
    {
      name: 'changeEmail',
      access: 'session',
      input: ChangeEmailInput,
      answers: MessageView,
      limit: 'change_email',
      errors: ['password_not_set', 'wrong_password', 'email_unchanged', 'email_taken', 'account_locked'],
    },
    async ({ current_password, new_email }, { session: { user }, caller }): Promise<MessageView> => {
      await reauthentication.confirm(user, current_password, caller);
      if (new_email === user.email) throw new GatehouseError('email_unchanged');
      if (await users.findByEmail(new_email)) throw new GatehouseError('email_taken');
      if (await mailCap.take('email_change', new_email)) {
        const ttlSeconds = config.emailChangeTokenTtlSeconds;
        const token = await issuing.issue('email_change', user, { ttlSeconds, new_email });
        if (token === null) throw sessionEnded();
        const link = linkTo(config.urls.confirmEmailChange, 'token', token);
        outbox.post('emailChange', { to: new_email, url: link.url, ttlSeconds });
        notices.tell('emailChangeRequested', user, { newEmail: new_email });
        events.emit('email_change_requested', { user: toUserPublic(user), new_email, ...link });
      }
      return { message: 'A link was sent to the new address; the change happens when it is used.' };
    },
  );

  const confirmEmailChange = define(
    {
      name: 'confirmEmailChange',
      access: 'anyone',
      input: ConfirmEmailChangeInput,
      answers: UserPublic,
      limit: 'confirm_email_change',
      errors: ['invalid_token', 'email_taken'],
    },
    async ({ token }, { trail }): Promise<UserPublic> => {
      const verdict = tokens.verify('email_change', token);
      if ('refused' in verdict) throw new GatehouseError('invalid_token');
      const { sub, new_email: email = '' } = verdict.claims;
      const user = await users.find(sub);
      if (!user?.isActive || isCutOff(verdict.claims, user)) throw new GatehouseError('invalid_token');
      trail.subject = user.id;
      const now = clock.now();
      const changed = await users.change(
        user.id,
        { set: { email, isVerified: true, updatedAt: now }, cutOffAt: now },
        { tokensInvalidatedAfter: user.tokensInvalidatedAfter, isActive: true },
      );
      if (changed === 'email_taken') throw new GatehouseError('email_taken');
      if (!changed) throw new GatehouseError('invalid_token');
      await lockout.clearPassword(user);
      // Whoever was about to register the address, or to verify the former one, can't any more.
      await Promise.all([pending.remove(email), pending.remove(user.email)]);
      notices.tell('emailChanged', user, { newEmail: email });
      const view = toUserPublic(
        (await users.find(user.id)) ?? { ...user, email, isVerified: true, updatedAt: now },
      );
      events.emit('email_changed', { user: view, previous_email: user.email });
      return view;
    },
  );

  return { changeEmail, confirmEmailChange };
}
