import { z } from 'zod';
import { ResendVerificationInput, registerInput, verifyInput } from '../contract/inputs/registration.ts';
import type { UserPublic } from '../contract/views/account.ts';
import { MessageView } from '../contract/views/message.ts';
import { PendingView } from '../contract/views/sign-in.ts';
import { asksFirstProof } from '../crypto/stopped-password.ts';
import { negotiatedLocale } from '../domain/caller.ts';
import type { Deferred, LinkRequest } from '../domain/deferred.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { openAccount, takePossession } from '../domain/mailed-password.ts';
import type { ChosenPassword } from '../domain/new-passwords.ts';
import { newUser } from '../domain/new-user.ts';
import { withoutNulls } from '../domain/own-data.ts';
import type { Registering } from '../domain/verification.ts';
import { GatehouseError } from '../errors.ts';
import type { MailOrigin } from '../limits/mail-cap.ts';
import { addressed } from '../mail/outbox.ts';
import type { Trail } from '../observability/watch.ts';
import type { ClaimedTask } from '../outgoing/message-queue.ts';
import type { PendingRegistration } from '../tables/pending-registration.ts';
import type { User } from '../tables/user.ts';

/** A registration that is stored after its response. */
type LateRegistration = Registering & LinkRequest;

/** Whom a request for another link concerns. */
interface ResendKnown {
  user: User | null;
  row: PendingRegistration | null;
}

/** Registration of accounts, and verification of their addresses. */
export function createRegistration(parts: Dependencies, deferred: Deferred) {
  const { config, clock, repositories, passwords, events, hooks, views, define } = parts;
  const { mailCap } = parts.limits;
  const { verification, notices, outbox } = parts.mails;
  const { users, pending } = repositories;
  const isSafe = config.enumerationSafeRegistration;
  const { toUserPublic } = views;

  /** Tells the owner of an address that somebody wanted to register with it. Beyond the cap of the address nothing happens. */
  async function tellOwner(email: string, origin: MailOrigin, task: ClaimedTask | undefined): Promise<void> {
    // As the owner chose it, and never as the stranger did.
    const { locale = null } = (config.locales.length > 1 && (await users.findByEmail(email))) || {};
    const slot = await mailCap.take('verification', email, origin);
    if (slot)
      await outbox.post('addressTaken', { ...addressed(email, locale), wanted: 'registration' }, slot, task);
  }

  const registerLater = deferred.define<LateRegistration>(
    'register',
    'verification',
    async ({ ip, requestId, ...chosen }, { task }) => {
      const { email, hashedPassword } = chosen;
      const origin = { ip, requestId };
      const row = await verification.findPending(email);
      // This task has stored it before, in a process that stopped then: it must not contest itself.
      if (row && row.hashedPassword === hashedPassword) await verification.resend(row, origin, task);
      else if (await users.findByEmail(email)) await tellOwner(email, origin, task);
      else
        await verification.register(chosen, origin, task).catch(async (error: unknown) => {
          if (!(error instanceof GatehouseError && error.code === 'email_taken')) throw error;
          await tellOwner(email, origin, task);
        });
    },
  );

  const register = define(
    {
      name: 'register',
      at: 'POST /register',
      status: 201,
      summary: 'Creates an account, or a pending registration where the address must be verified first.',
      description:
        'The link in its email makes a pending registration an account. An address that has an account is refused; with `enumeration_safe_registration` the response is the same, and its owner gets an email.',
      access: { kind: 'anyone' },
      input: registerInput(config),
      output: z.union([PendingView, views.UserPublic]),
      limit: 'register',
      errors: [
        'registration_closed',
        ...(isSafe ? [] : (['email_taken'] as const)),
        ...hooks.codesOf('beforeRegister'),
      ],
    },
    async (input, { caller, trail }): Promise<PendingView | UserPublic> => {
      if (!config.allowRegistration) throw new GatehouseError('registration_closed');
      const { email, password, full_name: fullName = null } = input;
      const fields = withoutNulls(input.fields);
      const locale = input.locale ?? negotiatedLocale(config, caller);
      await hooks.beforeRegister({ email, fullName, fields: fields ?? {} });
      if (!isSafe && (await users.findByEmail(email))) throw new GatehouseError('email_taken');
      const chosen = await passwords.hash(password, { email, fullName, field: 'password' });
      if (config.requireVerification) {
        const { ip, requestId } = caller;
        const { hashedPassword, passwordForm } = chosen;
        const registering: Registering = { email, fullName, locale, fields, hashedPassword, passwordForm };
        // Nothing of the address is read or stored before the response (account enumeration, timing attack).
        if (isSafe) await registerLater({ ...registering, ip, requestId }, undefined, requestId);
        const expiresAt = isSafe
          ? verification.expiryOfLink()
          : await verification.register(registering, { ip, requestId });
        return { status: 'pending_verification', email, expires_at: expiresAt.toISOString() };
      }

      const now = clock.now();
      const given = { email, fullName, locale, fields, ...chosen };
      const user = newUser(now, { ...given, signedUpAt: now, isVerified: false });
      if (!(await users.add(user))) throw new GatehouseError('email_taken');
      trail.subject = user.id;
      // A registration from when verification was required must not become valid later.
      await pending.remove(email);
      const view = toUserPublic(user);
      await events.emit('user_registered', { user: view, by: 'self' });
      return view;
    },
  );

  /** Returns the registration or verification of this token. @throws {GatehouseError} invalid_token, password_required */
  async function findLink(token: string, hasPassword: boolean): Promise<PendingRegistration> {
    const row = await verification.findByToken(token);
    if (!row) throw new GatehouseError('invalid_token');
    if (!hasPassword && (await needsPassword(row))) throw new GatehouseError('password_required');
    return row;
  }

  /** Returns whether a link verifies an address with a password alone: nobody knows whose the present one is. */
  async function needsPassword({ userId, isContested }: PendingRegistration): Promise<boolean> {
    if (userId === null) return isContested;
    const user = await users.find(userId);
    return user !== null && user.hashedPassword !== null && asksFirstProof(user.hashedPassword);
  }

  /**
   * Verifies an existing user. The row is consumed first: of several requests with the link, exactly one succeeds, and
   * only for the address that the link was sent to. A password proves who opened the email, as at a reset that verifies an
   * address for the first time.
   */
  async function verifyUser(
    row: PendingRegistration,
    id: string,
    trail: Trail,
    password?: ChosenPassword,
  ): Promise<User | null> {
    if (!(await pending.consume(row))) return null;
    const only = { email: row.email, isActive: true };
    if (!password) {
      const change = { set: { isVerified: true, updatedAt: clock.now() } };
      return announced(await users.change(id, change, only));
    }
    // An address verified by other means since keeps the password of then.
    const owner = { id, email: row.email };
    const owned = await takePossession(parts, owner, password, { ...only, isVerified: false });
    if (!owned) return null;
    await announced(owned);
    const { changed: user, apiKeys } = await openAccount(parts, owned, {}, trail);
    await notices.notify('passwordChanged', user, trail, { apiKeys });
    await events.emit('password_changed', { user: toUserPublic(user) });
    return user;
  }

  /** Tells that a user is verified. Returns the user; null stays null. */
  async function announced<T extends User | null>(user: T): Promise<T> {
    if (user) await events.emit('user_verified', { user: toUserPublic(user) });
    return user;
  }

  /** Returns what is stored of a password for the person who opened this link. @throws {GatehouseError} invalid_input */
  async function hashFor(
    { email, userId, fullName }: PendingRegistration,
    password: string,
  ): Promise<ChosenPassword> {
    const user = userId === null ? null : await users.find(userId);
    return passwords.hash(password, { email, fullName: user?.fullName ?? fullName, field: 'password' });
  }

  const verify = define(
    {
      name: 'verify',
      at: 'POST /verify',
      summary: 'Verifies an address with the token of a verification email.',
      description:
        'The token is good once and until it expires. Where the address was registered more than once, a password of the owner must come with it.',
      access: { kind: 'anyone' },
      input: verifyInput(config),
      output: views.UserPublic,
      limit: 'verify',
      errors: ['invalid_token', 'password_required'],
    },
    async ({ token, password }, { trail }): Promise<UserPublic> => {
      const read = () => findLink(token, password != null);
      const row = await read();
      const hash = password == null ? undefined : await hashFor(row, password);
      const user = await (row.userId === null
        ? verification.createUser(read, 'self', hash)
        : verifyUser(row, row.userId, trail, hash));
      if (!user) throw new GatehouseError('invalid_token');
      trail.subject = user.id;
      return toUserPublic(user);
    },
  );

  const resend = deferred.define<LinkRequest, ResendKnown>(
    'resendVerification',
    'verification',
    async ({ email, ip, requestId }, { known, task }) => {
      const { user, row } = known ?? (await findUnverified(email));
      const origin = { ip, requestId };
      if (user) {
        if (user.isActive && !user.isVerified) await verification.sendTo(user, origin, task);
      } else if (row) {
        await verification.resend(row, origin, task);
      }
    },
  );

  /** Reads the account of this address, and its pending registration. */
  async function findUnverified(email: string): Promise<ResendKnown> {
    const [user, row] = await Promise.all([users.findByEmail(email), verification.findPending(email)]);
    return { user, row };
  }

  const resendVerification = define(
    {
      name: 'resendVerification',
      at: 'POST /resend-verification',
      status: 202,
      summary:
        'Emails a new verification link if this address waits for one; the response is the same for every address.',
      description: 'How often one address is written to is capped.',
      access: { kind: 'anyone' },
      input: ResendVerificationInput,
      output: MessageView,
      limit: 'resend_verification',
      errors: [],
    },
    async ({ email }, { caller, trail, t }): Promise<MessageView> => {
      // The same two reads for every address; the rest runs after the response (account enumeration, timing attack).
      const known = await findUnverified(email);
      trail.subject = known.user?.id ?? null;
      const { ip, requestId } = caller;
      await resend({ email, ip, requestId }, known, requestId);
      return { message: t('notice_verification_perhaps_sent') };
    },
  );

  return { register, verify, resendVerification };
}
