import type { LinkedIdentityView } from '../contract/views/oauth.ts';
import { randomToken } from '../crypto/one-time.ts';
import { contentionError, GatehouseError } from '../errors.ts';
import type { Provider } from '../oauth/provider.ts';
import type { Trail } from '../observability/watch.ts';
import type { OAuthIdentity } from '../tables/oauth-identity.ts';
import type { User } from '../tables/user.ts';
import { say } from '../words/said.ts';
import { mostTries } from './contention.ts';
import type { Dependencies } from './dependencies.ts';
import { endIdleDistrust, isDistrusted } from './trust.ts';

/** An identity as it is added, without a mark of unlinking. */
export type IdentityFields = Omit<OAuthIdentity, 'unlinking'>;

export type ExternalIdentities = ReturnType<typeof createExternalIdentities>;

/** The external identities of an account; `providers` are those that can be used. */
export function createExternalIdentities(
  { repositories, mails: { notices }, events, views }: Dependencies,
  providers: readonly Provider[],
) {
  const { users, oauth_identities } = repositories;

  /**
   * Returns the provider that an identity signs in with: that of its issuer, whichever name it was stored under. Undefined
   * when there is none.
   */
  function providerOf({ provider, issuer }: IdentityFields): Provider | undefined {
    // A version without issuers stored it.
    if (issuer === '') return providers.find(({ name }) => name === provider);
    const usable = providers.filter(each => each.hasIssuer(issuer));
    return usable.find(({ name }) => name === provider) ?? usable[0];
  }

  /** Returns the name of an identity's provider: the present one, or that of a provider that is no longer configured. */
  const nameOf = (identity: IdentityFields) => providerOf(identity)?.name ?? identity.provider;

  /**
   * Returns whether the account has another sign-in method besides this identity: a password, or another usable identity.
   */
  async function hasOtherSignInMethod(userId: string, { id }: OAuthIdentity): Promise<boolean> {
    const identities = await oauth_identities.listByUser(userId);
    if (identities.some(other => other.id !== id && other.unlinking === null && providerOf(other)))
      return true;
    return (await users.find(userId))?.hashedPassword != null;
  }

  /**
   * Removes an identity unless it is the last sign-in method: mark, count, then remove the identity or its mark. Marked
   * identities do not count, so of two parallel requests that remove the last two identities, at least one sees the mark
   * of the other. A mark left by a stopped process affects only this count, until the next sign-in clears it.
   * @throws {GatehouseError} last_sign_in_method, not_found, unavailable
   */
  async function removeKeepingOne(userId: string, identity: OAuthIdentity): Promise<void> {
    const mark = randomToken();
    for (let start = 0; start < mostTries; start++) {
      // Checked before anything is written, so that a plain refusal changes nothing.
      if (!(await hasOtherSignInMethod(userId, identity))) throw new GatehouseError('last_sign_in_method');
      if (!(await oauth_identities.mark(identity.id, mark))) throw notLinkedError();
      if (!(await hasOtherSignInMethod(userId, identity))) {
        await oauth_identities.unmark(identity.id, mark);
        throw new GatehouseError('last_sign_in_method');
      }
      if (await oauth_identities.removeMarked(identity.id, mark)) return;
      // A sign-in with this identity, or another request to unlink it, has removed the mark.
    }
    throw contentionError();
  }

  /**
   * Makes room for another identity: returns false when the account has one of this provider. One of another provider that
   * was stored while that had this name is stored under its present name.
   */
  async function makeRoomFor(provider: Provider, userId: string): Promise<boolean> {
    const linked = await oauth_identities.listByUser(userId);
    if (linked.some(each => nameOf(each) === provider.name)) return false;
    const former = linked.find(each => each.provider === provider.name);
    if (former) await oauth_identities.rename(former.id, nameOf(former));
    return true;
  }

  /** Returns an identity as its owner sees it. */
  const viewOf = (user: User, identity: IdentityFields): LinkedIdentityView => ({
    provider: nameOf(identity),
    email: identity.email,
    linked_at: identity.linkedAt.toISOString(),
    last_used_at: identity.lastUsedAt?.toISOString() ?? null,
    ...(isDistrusted(user, identity.linkedAt) && { is_distrusted: true }),
  });

  return {
    makeRoomFor,
    viewOf,

    /** Returns the identities of an account as its owner sees them, each beside its row. */
    async list(user: User) {
      const linked = await oauth_identities.listByUser(user.id);
      return linked.map(identity => ({ identity, view: viewOf(user, identity) }));
    },

    /**
     * Removes the identity of this provider from an account, and tells its owner. Administration may remove the last
     * sign-in method, too: a password can be set by email.
     * @throws {GatehouseError} not_found, last_sign_in_method, unavailable
     */
    async unlink(
      user: User,
      provider: string,
      trail: Trail,
      { keepsOne }: { keepsOne: boolean },
    ): Promise<void> {
      const identities = await oauth_identities.listByUser(user.id);
      const identity = identities.find(each => nameOf(each) === provider);
      if (!identity) throw notLinkedError();
      if (keepsOne) await removeKeepingOne(user.id, identity);
      else if (!(await oauth_identities.remove(identity.id))) throw notLinkedError();
      await endIdleDistrust(repositories, user);
      const label = providers.find(({ name }) => name === provider)?.label ?? provider;
      await notices.notify('identityUnlinked', user, trail, { provider: label });
      await events.emit('oauth_account_unlinked', { user: views.toUserPublic(user), provider });
    },
  };
}

const notLinkedError = () => new GatehouseError('not_found', { detail: say('error_no_identity') });
