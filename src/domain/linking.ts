import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { email as emailField, fullName as fullNameField } from '../contract/inputs/fields.ts';
import { randomToken } from '../crypto/one-time.ts';
import type { ExternalIdentity, Provider } from '../oauth/provider.ts';
import type { Trail } from '../observability/watch.ts';
import type { OAuthIdentity } from '../tables/oauth-identity.ts';
import type { User } from '../tables/user.ts';
import type { Background } from './background.ts';
import type { Dependencies } from './dependencies.ts';
import type { ExternalIdentities, IdentityFields } from './external-identities.ts';
import { newUser } from './new-user.ts';
import type { Enter } from './sign-in.ts';
import { isBlockedByReport } from './trust.ts';

/** The reason why a flow ended at an error page (SPEC §7, CONTRACT §2.2). */
export class FlowError extends Error {
  override readonly name = 'FlowError';
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

export type OAuthAccounts = ReturnType<typeof createOAuthAccounts>;

/** The account that an external identity signs in. */
export interface SignedIn {
  user: User;
  /** Whether this sign-in created the account. */
  wasNew: boolean;
  /** The rest of the sign-in. */
  enter: Enter;
}

/** Decides whether a user may sign in, and how it goes on, before anything is stored. */
export type Admit = (user: User) => Promise<Enter>;

/** After how many milliseconds an identity without its user counts as left behind by a process that stopped. */
export const orphanAfterMs = 60_000;

/** Decides which account an external identity belongs to: the linking policy (SPEC §3, CONTRACT §4.3). */
export function createOAuthAccounts(
  parts: Dependencies,
  identities: ExternalIdentities,
  background: Background,
) {
  const { config, clock, repositories, events, hooks } = parts;
  const { notices } = parts.mails;
  const { toUserPublic } = parts.views;
  const { users, pending, oauth_identities } = repositories;

  /** Returns the identity and its user. An identity whose user is missing counts as absent and is removed. */
  async function findLinked(
    { name }: Provider,
    { issuer, subject }: ExternalIdentity,
  ): Promise<{ identity: OAuthIdentity; user: User } | null> {
    const identity = await oauth_identities.findBySubject({ name, issuer }, subject);
    if (!identity) return null;
    const user = await users.find(identity.userId);
    if (user) return { identity, user };
    // A sign-up that is storing its user at this moment is not an orphan.
    const ageMs = clock.now().getTime() - identity.linkedAt.getTime();
    if (Math.abs(ageMs) < orphanAfterMs) throw new FlowError('unavailable');
    await oauth_identities.remove(identity.id);
    return null;
  }

  function identityOf({ name }: Provider, external: ExternalIdentity, userId: string) {
    const { issuer, subject, email } = external;
    const now = clock.now();
    const address = emailField.safeParse(email).data ?? null;
    const id = uuidv7({ msecs: now.getTime() });
    return {
      id,
      provider: name,
      issuer,
      subjectId: subject,
      userId,
      email: address,
      linkedAt: now,
      lastUsedAt: null,
      ...howSignedIn(external),
    };
  }

  /** Returns how the person signed in at the provider, as it is stored. */
  const howSignedIn = ({ acr, amr }: ExternalIdentity) => ({ acr, amr: amr?.join(' ') ?? null });

  /**
   * Stores an identity of an account that was read before, checks again whether it is still allowed, and tells the owner. A
   * request that revokes the sessions of an account removes its identities afterwards. An identity that is stored too late to
   * be removed there is removed here, and so is one of which the owner could not be told.
   */
  async function addIfAllowed(
    user: User,
    { name, label }: Provider,
    identity: IdentityFields,
    isStillAllowed: () => Promise<boolean>,
    trail: Trail,
  ): Promise<'added' | 'taken' | 'taken back'> {
    // While it may be removed again it is no way in for the sake of which another one may be unlinked.
    const unlinking = randomToken();
    const takeBack = async () => {
      // It may be done late, when a retry of its owner has found the identity, and a sign-in has used it.
      if (await oauth_identities.removeMarked(identity.id, unlinking)) return;
      if (!(await isStillAllowed())) await oauth_identities.remove(identity.id);
    };
    try {
      if (!(await oauth_identities.add({ ...identity, unlinking }))) return 'taken';
      if (!(await isStillAllowed())) {
        await oauth_identities.remove(identity.id);
        return 'taken back';
      }
      await notices.notify('identityLinked', user, trail, { provider: label }, 'identity');
    } catch (error) {
      await background.undo('takeBackIdentity', undefined, error, takeBack);
      throw error;
    }
    // Where this fails, the first sign-in with the identity removes the mark.
    await oauth_identities.unmark(identity.id, unlinking).catch(() => {});
    await events.emit('oauth_account_linked', { user: toUserPublic(user), provider: name });
    return 'added';
  }

  /** Returns why this identity cannot sign up, or null. */
  function obstacleTo({ emailVerified }: ExternalIdentity): string | null {
    if (!config.allowRegistration) return 'registration_closed';
    return config.requireVerification && !emailVerified ? 'email_not_verified' : null;
  }

  /**
   * Creates an account of this address. The identity is stored before its user; a stop in between leaves an identity that
   * counts as absent.
   */
  async function signUp(
    provider: Provider,
    external: ExternalIdentity,
    email: string,
    locale: string | null,
    admit: Admit,
  ): Promise<SignedIn> {
    const now = clock.now();
    const user = newUser(now, {
      email,
      fullName: nameOf(external),
      locale,
      hashedPassword: null,
      signedUpAt: now,
      isVerified: external.emailVerified,
    });
    const enter = await admit(user);
    const identity = identityOf(provider, external, user.id);
    if (!(await oauth_identities.add(identity))) throw new FlowError('identity_in_use');
    if (!(await users.add(user))) {
      await oauth_identities.remove(identity.id);
      throw new FlowError('email_in_use');
    }
    // An unverified registration of this address must not pass its password to the owner's account (pre-hijacking).
    if (external.emailVerified) await pending.remove(email);
    await events.emit('user_registered', { user: toUserPublic(user), by: 'self' });
    return { user, wasNew: true, enter };
  }

  /** Links the identity to the account of its address. Returns null when the account changed meanwhile. */
  async function autoLink(
    provider: Provider,
    external: ExternalIdentity,
    owner: User,
    trail: Trail,
    admit: Admit,
  ): Promise<SignedIn | null> {
    // The address must be verified on both sides. Otherwise an attacker could register it first and wait for its owner
    // (pre-hijacking).
    if (!external.emailVerified || !owner.isVerified) throw new FlowError('email_in_use');
    // An identity that is added now would sign in what a report has closed.
    if (!owner.isActive || isBlockedByReport(owner, clock.now())) throw new FlowError('user_inactive');
    trail.subject = owner.id;
    const enter = await admit(owner);
    if (!(await identities.makeRoomFor(provider, owner.id))) throw new FlowError('already_linked');
    const identity = identityOf(provider, external, owner.id);
    const isAsRead = async () => {
      const now = await users.find(owner.id);
      const isSame = now?.tokensInvalidatedAfter?.getTime() === owner.tokensInvalidatedAfter?.getTime();
      return Boolean(isSame && now?.isActive && now.isVerified && now.email === owner.email);
    };
    const outcome = await addIfAllowed(owner, provider, identity, isAsRead, trail);
    if (outcome === 'taken') throw new FlowError('already_linked');
    if (outcome === 'taken back') return null;
    return { user: owner, wasNew: false, enter };
  }

  /** Returns the name for a new account, where the provider told one that an account may have. */
  const nameOf = ({ fullName }: ExternalIdentity): string | null =>
    fullNameField.safeParse(fullName).data || null;

  /** Returns a made-up address, for the policy that never links an identity to an existing account. */
  function separateAddress(provider: string, subject: string): string {
    const isPlain = /^[a-z0-9._-]{1,50}$/.test(subject);
    const name = isPlain ? subject : createHash('sha256').update(subject).digest('hex');
    return `${provider}-${name}@oauth.invalid`;
  }

  return {
    /**
     * Finds or creates the account that signs in, when `admit` lets it. Returns null when it changed meanwhile.
     * @param locale the language of an account that is created
     * @throws {FlowError}
     * @throws {GatehouseError} refused_by_host, unavailable
     */
    async signIn(
      provider: Provider,
      external: ExternalIdentity,
      locale: string | null,
      trail: Trail,
      admit: Admit,
    ): Promise<SignedIn | null> {
      const linked = await findLinked(provider, external);
      if (linked) {
        const { identity, user } = linked;
        if (!user.isActive || isBlockedByReport(user, identity.linkedAt))
          throw new FlowError('user_inactive');
        if (config.requireVerification && !user.isVerified) throw new FlowError('email_not_verified');
        trail.subject = user.id;
        const enter = await admit(user);
        // The order matters: touch the identity after reading the user. A request that removed the identity earlier has
        // set the revocation cutoff earlier still; a later cutoff is noticed when the session is issued.
        const isThere = await oauth_identities.touch(identity.id, clock.now(), howSignedIn(external));
        return isThere ? { user, wasNew: false, enter } : null;
      }

      const { data: email } = emailField.safeParse(external.email);
      if (email === undefined) throw new FlowError('email_missing');
      // Before any account is looked for: else anybody could ask whether an address has one (account enumeration).
      if (config.enumerationSafeRegistration && !external.emailVerified)
        throw new FlowError('email_not_verified');
      const owner = await users.findByEmail(email);
      const policy = config.oauth.existingEmailPolicy;
      if (owner && policy === 'auto_link_verified') return autoLink(provider, external, owner, trail, admit);
      const isRefused = owner !== null && policy === 'refuse';
      const obstacle = obstacleTo(external);
      if (obstacle && !isRefused) throw new FlowError(obstacle);
      // Also for an address that has an account, and with the address that the provider names: the host's answer must not
      // reveal whether it has one (account enumeration).
      if (!obstacle)
        await hooks.beforeRegister({
          ...{ email, fullName: nameOf(external), fields: {} },
          provider: provider.name,
        });
      if (isRefused) throw new FlowError('email_in_use');
      const address = owner ? separateAddress(provider.name, external.subject) : email;
      return signUp(provider, external, address, locale, admit);
    },

    /**
     * Links the identity to an account, and returns it. The session is checked once more afterwards.
     * @throws {FlowError} identity_in_use, already_linked, bad_state when the session has ended meanwhile
     */
    async link(
      user: User,
      provider: Provider,
      external: ExternalIdentity,
      hasSession: () => Promise<boolean>,
      trail: Trail,
    ): Promise<IdentityFields> {
      const linked = await findLinked(provider, external);
      if (linked) throw new FlowError(linked.user.id === user.id ? 'already_linked' : 'identity_in_use');
      // The unique index sees names alone, and a provider may have had another one before.
      if (!(await identities.makeRoomFor(provider, user.id))) throw new FlowError('already_linked');
      const identity = identityOf(provider, external, user.id);
      const outcome = await addIfAllowed(user, provider, identity, hasSession, trail);
      if (outcome === 'taken') {
        const { name } = provider;
        const now = await oauth_identities.findBySubject({ name, issuer: external.issuer }, external.subject);
        throw new FlowError(now && now.userId !== user.id ? 'identity_in_use' : 'already_linked');
      }
      if (outcome === 'taken back') throw new FlowError('bad_state');
      await events.emit('oauth_signin_completed', {
        user: toUserPublic(user),
        provider: provider.name,
        mode: 'link',
        was_new: false,
      });
      return identity;
    },
  };
}
