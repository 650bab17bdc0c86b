import { createHash } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { UserViews } from '../../contract/views/account.ts';
import type { Caller } from '../../domain/caller.ts';
import { deviceOf } from '../../domain/device.ts';
import type { Notices } from '../../domain/notices.ts';
import type { EventHub } from '../../events.ts';
import type { Repositories } from '../../storage/repositories/index.ts';
import type { User } from '../../tables/user.ts';
import { networkOf } from './networks.ts';
import { placeSeconds, type SignInPlace } from './place-table.ts';

/** How long a place is known after its last use, in milliseconds (CONTRACT §12.4). */
const placeMs = placeSeconds * 1000;

/** For how long after signing up the owner is told of no sign-in, in milliseconds. */
const signUpMs = 86_400_000;

/** After how many milliseconds a place counts as not announced by a process that stopped. */
const announcingMs = 10_000;

interface Parts {
  clock: Clock;
  repositories: Pick<Repositories, 'sign_in_places' | 'sessions' | 'users'>;
  notices: Notices;
  events: EventHub;
  views: UserViews;
}

/** The browser and network of a sign-in. */
interface Place {
  device: string | null;
  network: string | null;
}

/** Returns the id of a place of an account. */
function idOf(userId: string, place: Place): string {
  const digest = createHash('sha256').update(JSON.stringify(place)).digest('base64url').slice(0, 22);
  return `${userId}:${digest}`;
}

/** Returns the place of a caller. */
const placeOf = ({ ip, userAgent }: Pick<Caller, 'ip' | 'userAgent'>): Place => ({
  device: deviceOf(userAgent),
  network: networkOf(ip),
});

const isSame = (a: Place, b: Place) => a.device === b.device && a.network === b.network;

/** Tells owners of sign-ins from a browser and network that their account has not used lately (CONTRACT §12.4). */
export function createNewSignIns({ clock, repositories, notices, events, views }: Parts) {
  const { sign_in_places: places, sessions, users } = repositories;

  const hasJustSignedUp = ({ signedUpAt }: User): boolean =>
    signedUpAt !== null && clock.now().getTime() - signedUpAt.getTime() < signUpMs;

  /**
   * Returns whether a listed session of the account was used from there: for those from before the notices were on. A
   * concurrent sign-in stores its place before its session. Sessions that were ended all at once tell nothing: an
   * intruder's may be among them.
   */
  async function isListed(user: User, place: Place): Promise<boolean> {
    const oldest = clock.now().getTime() - placeMs;
    const cutOff = user.tokensInvalidatedAfter?.getTime() ?? 0;
    return (await sessions.listByUser(user.id)).some(
      ({ device, ip, createdAt, lastSeenAt }) =>
        createdAt.getTime() > cutOff &&
        lastSeenAt.getTime() > oldest &&
        isSame({ device, network: networkOf(ip) }, place),
    );
  }

  /**
   * Removes a place that was stored after a change of the password had forgotten the others: the session of this sign-in has
   * ended, and its place must not stay known.
   */
  async function takeBackAfterCutoff({ id }: SignInPlace, user: User): Promise<void> {
    const cutOff = (await users.find(user.id))?.tokensInvalidatedAfter;
    if (cutOff?.getTime() !== user.tokensInvalidatedAfter?.getTime()) await places.remove(id);
  }

  /** Returns whether it falls to this sign-in to tell the owner: of several at the same time, to one. */
  async function claim(id: string, user: User, isKnown: () => Promise<boolean>): Promise<boolean> {
    const now = clock.now();
    const row = await places.find(id);
    if (!row) {
      const announcedAt = (await isKnown()) ? now : null;
      const place: SignInPlace = { id, userId: user.id, lastUsedAt: now, announcedAt };
      if (!(await places.add(place))) return false;
      await takeBackAfterCutoff(place, user);
      return announcedAt === null;
    }
    const ageMs = now.getTime() - row.lastUsedAt.getTime();
    if (ageMs < 0 && row.announcedAt) {
      // A wrong clock has stored it: it counts as of now.
      await places.change(row, { lastUsedAt: now, announcedAt: row.announcedAt });
      return false;
    }
    if (ageMs >= (row.announcedAt ? placeMs : announcingMs))
      return places.change(row, { lastUsedAt: now, announcedAt: null });
    if (row.announcedAt && ageMs > 0) await places.touch(id, now);
    return false;
  }

  return {
    /**
     * Returns whether the account has used the place of a caller lately; false for no account (null), after the same read. Where the
     * network is not known, anybody could be there.
     */
    async isKnownPlace(userId: string | null, from: Pick<Caller, 'ip' | 'userAgent'>): Promise<boolean> {
      const place = placeOf(from);
      const row = await places.find(idOf(userId ?? 'nobody', place));
      return (
        row !== null && place.network !== null && clock.now().getTime() - row.lastUsedAt.getTime() < placeMs
      );
    },

    /** Forgets the places of an account, whose password somebody else may have known. */
    forget: async (userId: string): Promise<void> => void (await places.removeAll(userId)),

    /**
     * Looks whether a sign-in is from a new place, and then tells the owner, unless the owner has signed up within a day. The first
     * sign-in to an account that others have made is told: it may be a stranger's.
     */
    async look(user: User, caller: Caller): Promise<void> {
      const place = placeOf(caller);
      const id = idOf(user.id, place);
      const isKnown = async () => hasJustSignedUp(user) || isListed(user, place);
      if (!(await claim(id, user, isKnown))) return;
      const { device } = place;
      await notices.notify('newSignIn', user, { by: 'self', ip: caller.ip }, { device }, 'sign_in');
      await events.emit('new_sign_in', { user: views.toUserPublic(user), device, ip: caller.ip });
      await places.announce(id, clock.now());
    },
  };
}
