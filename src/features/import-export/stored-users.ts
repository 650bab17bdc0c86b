import { v5 as uuidv5 } from 'uuid';
import type { Clock } from '../../clock.ts';
import { orphanAfterMs } from '../../domain/linking.ts';
import type { Repositories } from '../../storage/repositories/index.ts';
import type { IdentityIssuer } from '../../storage/repositories/oauth-identities.ts';
import type { User } from '../../tables/user.ts';

/** An identity to import. */
export interface ForeignIdentity {
  issuer: IdentityIssuer;
  subject: string;
}

/** A user to import, with the identities of the line. */
export interface Arriving {
  user: User;
  identities: ForeignIdentity[];
  /** Whether the line says the id. Such an id may belong to another account. */
  hasOwnId: boolean;
}

/** The outcome for a user to import; a text says why it was refused. */
export type Stored = 'created' | 'existing' | { refused: string };

interface Parts {
  clock: Clock;
  repositories: Pick<Repositories, 'users' | 'pending' | 'oauth_identities' | 'rows'>;
}

/** The namespace of the ids of imported identities (RFC 9562 §5.5). */
const namespace = '6f0f7c3a-54f5-4b0e-9d3e-0a4a3b0c9d11';
/** How often an identity is tried that others remove at the same time. */
const mostTries = 3;

const idIsTaken = { refused: 'id: it belongs to another account' };
const belongsToAnother = { refused: 'identities: one belongs to another account' };
const isBeingStored = {
  refused: 'identities: one is being signed up with at this moment; import the line again',
};

/**
 * Stores imported users. Nothing needs a transaction: identities are stored before their user, and one whose user is
 * missing counts as absent. The id of an imported identity is made from address, issuer and subject. So an import that is
 * run again, or a second one at the same time, recognises what the same line has left, and completes it under the user id
 * that is there already. No account is stored twice, or without the identities of its line.
 */
export function createImportedUsers({ clock, repositories }: Parts) {
  const { users, pending, oauth_identities, rows } = repositories;

  const rowOf = ({ issuer, subject }: ForeignIdentity, user: User) => ({
    id: uuidv5(JSON.stringify([user.email, issuer.issuer, subject]), namespace),
    provider: issuer.name,
    issuer: issuer.issuer,
    subjectId: subject,
    email: null,
    linkedAt: clock.now(),
    lastUsedAt: null,
  });

  /**
   * Stores an identity for a user who is stored next. Returns the user's id, which is another one when the same line has
   * left the identity before and `mayAdopt` says that this decides; else why it cannot be stored.
   */
  async function claim(
    identity: ForeignIdentity,
    user: User,
    { mayAdopt }: { mayAdopt: boolean },
  ): Promise<{ userId: string } | Stored> {
    const row = rowOf(identity, user);
    for (let tries = 0; tries < mostTries; tries++) {
      if (await oauth_identities.add({ ...row, userId: user.id })) return { userId: user.id };
      const present = await oauth_identities.findBySubject(identity.issuer, identity.subject);
      if (!present) continue;
      const owner = await users.find(present.userId);
      // A second import of the same file has completed this line.
      if (owner) return owner.email === user.email ? 'existing' : belongsToAnother;
      const isOfLine = present.id === row.id;
      if (isOfLine && (mayAdopt || present.userId === user.id)) return { userId: present.userId };
      const ageMs = clock.now().getTime() - present.linkedAt.getTime();
      if (!isOfLine && Math.abs(ageMs) < orphanAfterMs) return isBeingStored;
      await oauth_identities.remove(present.id);
    }
    return isBeingStored;
  }

  /**
   * Stores identities and user. Where the line does not say the id, the first identity decides under which one, for everybody
   * who stores this line.
   */
  async function storeWithIdentities(arriving: Arriving): Promise<Stored> {
    const { user: planned, identities, hasOwnId } = arriving;
    if (await users.findByEmail(planned.email)) return 'existing';
    // Else the identities would sign in to the account that has the id.
    if (hasOwnId && (await users.find(planned.id))) return idIsTaken;
    let user = planned;
    for (const [i, identity] of identities.entries()) {
      const claimed = await claim(identity, user, { mayAdopt: i === 0 && !hasOwnId });
      if (typeof claimed === 'object' && 'userId' in claimed) {
        user = { ...user, id: claimed.userId };
        continue;
      }
      if (user.id === planned.id || claimed !== 'existing') await withdraw({ ...arriving, user });
      return claimed;
    }
    if (await users.add(user)) {
      // A sign-in may have removed identities that an earlier import left, in the moment before.
      if (user.id !== planned.id)
        for (const identity of identities) await claim(identity, user, { mayAdopt: false });
      return 'created';
    }
    return yieldTo({ ...arriving, user });
  }

  const storeOne = async (arriving: Arriving): Promise<Stored> => {
    const identities = arriving.identities.toSorted(byKey);
    if (identities.length > 0) return storeWithIdentities({ ...arriving, identities });
    return (await users.add(arriving.user)) ? 'created' : yieldTo(arriving);
  };

  /**
   * Stores users that have nothing in common, with one statement for many rows where nothing is in the way. Whose
   * identities were not all free is stored alone: the rows that are there already count as left by the same line.
   */
  async function storeTogether(arriving: Arriving[]): Promise<Map<Arriving, Stored>> {
    const outcomes = new Map<Arriving, Stored>();
    const linked = arriving.filter(({ identities }) => identities.length > 0);
    const present = await users.findByEmails(linked.map(({ user }) => user.email));
    const taken = new Set(present.map(({ email }) => email));
    for (const each of linked) if (taken.has(each.user.email)) outcomes.set(each, 'existing');

    const claimed = linked
      .filter(each => !outcomes.has(each))
      .flatMap(each =>
        each.identities.toSorted(byKey).map(identity => ({ each, row: rowOf(identity, each.user) })),
      );
    const added = await oauth_identities.addMany(
      claimed.map(({ each, row }) => ({ ...row, userId: each.user.id })),
    );
    const hindered = new Set(claimed.filter(({ row }) => !added.has(row.id)).map(({ each }) => each));
    for (const each of hindered) outcomes.set(each, await storeOne(each));

    const free = arriving.filter(each => !outcomes.has(each));
    const stored = await users.addMany(free.map(({ user }) => user));
    for (const each of free) outcomes.set(each, stored.has(each.user.id) ? 'created' : await yieldTo(each));
    return outcomes;
  }

  /** Removes the identities that were stored for a user. Of an id that another account may have, only those of the line. */
  async function withdraw({ user, identities, hasOwnId }: Arriving): Promise<void> {
    if (!hasOwnId) await oauth_identities.removeAll(user.id);
    for (const identity of hasOwnId ? identities : []) {
      const present = await oauth_identities.findBySubject(identity.issuer, identity.subject);
      if (present?.id === rowOf(identity, user).id && present.userId === user.id)
        await oauth_identities.remove(present.id);
    }
  }

  /** Removes what was stored for a user whose address or id somebody else has got meanwhile. */
  async function yieldTo(arriving: Arriving): Promise<Stored> {
    const { user, identities, hasOwnId } = arriving;
    if (identities.length === 0 && !hasOwnId) return 'existing';
    const owner = await users.findByEmail(user.email);
    if (identities.length > 0 && owner?.id !== user.id) await withdraw(arriving);
    return hasOwnId && !owner && (await users.find(user.id)) ? idIsTaken : 'existing';
  }

  /** Returns whether an identity belongs to an account, or to a sign-up at this moment; null when it is free. */
  async function obstacleOf(identity: ForeignIdentity): Promise<{ refused: string } | null> {
    const present = await oauth_identities.findBySubject(identity.issuer, identity.subject);
    return present && (await users.find(present.userId)) ? belongsToAnother : null;
  }

  /**
   * Removes what a deletion that was stopped has left under ids that the lines say: else sessions, factors and keys of the
   * former person would be those of the new one. The rows are read before the accounts, so that none of an account that is
   * stored meanwhile is among them; identities that the same line has left stay for `claim`.
   */
  async function removeLeft(arriving: Arriving[]): Promise<void> {
    const withOwnId = arriving.filter(({ hasOwnId }) => hasOwnId);
    if (withOwnId.length === 0) return;
    const ids = withOwnId.map(({ user }) => user.id);
    const left = await rows.listOwned(ids);
    if (left.length === 0) return;
    const present = new Set((await users.findByIds(ids)).map(({ id }) => id));
    const ofLines = new Set(
      withOwnId.flatMap(({ user, identities }) => identities.map(identity => rowOf(identity, user).id)),
    );
    await rows.removeListed(
      left.filter(
        ({ name, key, userId }) => !present.has(userId) && !(name === 'oauth_identities' && ofLines.has(key)),
      ),
    );
  }

  return {
    /**
     * Stores users whose addresses are free, and returns what became of each. The unique address decides against a
     * registration at the same moment; a pending one must not become valid later (pre-hijacking), so it is removed
     * afterwards. Of two that have an address, an id or an identity in common, the first is stored first.
     */
    async storeAll(arriving: Arriving[]): Promise<Stored[]> {
      await removeLeft(arriving);
      const { together, after } = separate(arriving);
      const outcomes = await storeTogether(together);
      for (const each of after) outcomes.set(each, await storeOne(each));
      const created = arriving.filter(each => outcomes.get(each) === 'created');
      if (created.length > 0) await pending.removeAll(created.map(({ user }) => user.email));
      return arriving.map(each => outcomes.get(each)!);
    },

    /** Returns what `storeAll` would do with one user, and stores nothing. */
    async foresee({ user, identities, hasOwnId }: Arriving): Promise<Stored> {
      if (await users.findByEmail(user.email)) return 'existing';
      if (hasOwnId && (await users.find(user.id))) return idIsTaken;
      for (const identity of identities) {
        const obstacle = await obstacleOf(identity);
        if (obstacle) return obstacle;
      }
      return 'created';
    },
  };
}

/** One text for each identity: of two that are equal only one can be stored. */
export const keyOf = ({ issuer, subject }: ForeignIdentity) => JSON.stringify([issuer.issuer, subject]);

const byKey = (a: ForeignIdentity, b: ForeignIdentity) => (keyOf(a) < keyOf(b) ? -1 : 1);

/**
 * Separates those that have an address, an id or an identity in common with an earlier one, and those whose id must be free
 * before their identities are stored.
 */
function separate(arriving: Arriving[]): { together: Arriving[]; after: Arriving[] } {
  const seen = new Set<string>();
  const { together = [], after = [] } = Object.groupBy(arriving, ({ user, identities, hasOwnId }) => {
    const keys = [user.email, JSON.stringify(user.id), ...identities.map(keyOf)];
    const isFirst = keys.every(key => !seen.has(key));
    for (const key of keys) seen.add(key);
    return isFirst && !(hasOwnId && identities.length > 0) ? 'together' : 'after';
  });
  return { together, after };
}
