import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { OAuthIdentity } from '../entities/oauth-identity.ts';
import type { User } from '../entities/user.ts';
import { email as emailField } from '../inputs/fields.ts';
import type { ExternalIdentity } from '../oauth/provider.ts';
import type { Dependencies } from './dependencies.ts';
import { newUser } from './new-user.ts';
import { toUserPublic } from './views.ts';

/** Why a flow ended at a page of errors (SPEC §7, CONTRACT §2.2). */
export class FlowError extends Error {
  override readonly name = 'FlowError';
  readonly code: string;

  constructor(code: string, cause?: unknown) {
    super(code, { cause });
    this.code = code;
  }
}

/** After how long an identity without its user is what a stopped process left, in milliseconds. */
const orphanAfterMs = 60_000;

/** Which account an external identity belongs to: the linking policy (SPEC §3, CONTRACT §4.3). */
export function createOAuthAccounts({ config, clock, repositories, notices, events }: Dependencies) {
  const { users, pending, oauth_identities } = repositories;

  /** The identity and its user. One whose user is missing counts as absent, and makes room. */
  async function findLinked(
    provider: string,
    subject: string,
  ): Promise<{ identity: OAuthIdentity; user: User } | null> {
    const identity = await oauth_identities.findBySubject(provider, subject);
    if (!identity) return null;
    const user = await users.find(identity.userId);
    if (user) return { identity, user };
    // A sign-up that stores its user at this moment is not an orphan.
    const ageMs = clock.now().getTime() - identity.linkedAt.getTime();
    if (ageMs < orphanAfterMs) throw new FlowError('unavailable');
    await oauth_identities.remove(identity.id);
    return null;
  }

  function identityOf(provider: string, { subject, email }: ExternalIdentity, userId: string): OAuthIdentity {
    const now = clock.now();
    const address = emailField.safeParse(email).data ?? null;
    const id = uuidv7({ msecs: now.getTime() });
    return { id, provider, subjectId: subject, userId, email: address, linkedAt: now, lastUsedAt: null };
  }

  function announceLink(user: User, provider: string): void {
    notices.tell('identityLinked', user, { provider });
    events.emit('oauth_account_linked', { user: toUserPublic(user), provider });
  }

  /** The identity is stored before its user; a stop in between leaves one that counts as absent. */
  async function signUp(provider: string, external: ExternalIdentity, email: string): Promise<User> {
    if (!config.allowRegistration) throw new FlowError('registration_closed');
    if (config.requireVerification && !external.emailVerified) throw new FlowError('email_not_verified');
    const user = newUser(clock.now(), {
      email,
      fullName: null,
      hashedPassword: null,
      isVerified: external.emailVerified,
    });
    const identity = identityOf(provider, external, user.id);
    if (!(await oauth_identities.add(identity))) throw new FlowError('identity_in_use');
    if (!(await users.add(user))) {
      await oauth_identities.remove(identity.id);
      throw new FlowError('email_in_use');
    }
    // A registration of this address that nobody has verified must not give its password to the owner's account.
    if (external.emailVerified) await pending.remove(email);
    events.emit('user_registered', { user: toUserPublic(user) });
    return user;
  }

  /** The account of a made-up address, for the policy that never joins accounts. */
  function separateAddress(provider: string, subject: string): string {
    const isPlain = /^[a-z0-9._-]{1,50}$/.test(subject);
    const name = isPlain ? subject : createHash('sha256').update(subject).digest('hex');
    return `${provider}-${name}@oauth.invalid`;
  }

  return {
    /** The user that signs in, and whether the account was made by it. @throws {FlowError} */
    async signIn(provider: string, external: ExternalIdentity): Promise<{ user: User; wasNew: boolean }> {
      const linked = await findLinked(provider, external.subject);
      if (linked) {
        const { identity, user } = linked;
        if (!user.isActive) throw new FlowError('user_inactive');
        if (config.requireVerification && !user.isVerified) throw new FlowError('email_not_verified');
        await oauth_identities.touch(identity.id, clock.now());
        return { user, wasNew: false };
      }

      const { data: email } = emailField.safeParse(external.email);
      if (email === undefined) throw new FlowError('email_missing');
      const owner = await users.findByEmail(email);
      if (!owner) return { user: await signUp(provider, external, email), wasNew: true };

      switch (config.oauth.existingEmailPolicy) {
        case 'create_new': {
          const user = await signUp(provider, external, separateAddress(provider, external.subject));
          return { user, wasNew: true };
        }
        case 'auto_link_verified': {
          // Both sides must have proved the address: else whoever registers first waits for its owner.
          if (!external.emailVerified || !owner.isVerified) throw new FlowError('email_in_use');
          if (!owner.isActive) throw new FlowError('user_inactive');
          if (!(await oauth_identities.add(identityOf(provider, external, owner.id)))) {
            throw new FlowError('already_linked');
          }
          announceLink(owner, provider);
          return { user: owner, wasNew: false };
        }
        case 'refuse':
          throw new FlowError('email_in_use');
      }
    },

    /** Adds the identity to an account. @throws {FlowError} identity_in_use, already_linked */
    async link(user: User, provider: string, external: ExternalIdentity): Promise<void> {
      const linked = await findLinked(provider, external.subject);
      if (linked) throw new FlowError(linked.user.id === user.id ? 'already_linked' : 'identity_in_use');
      if (!(await oauth_identities.add(identityOf(provider, external, user.id)))) {
        const now = await oauth_identities.findBySubject(provider, external.subject);
        throw new FlowError(now && now.userId !== user.id ? 'identity_in_use' : 'already_linked');
      }
      announceLink(user, provider);
    },
  };
}
