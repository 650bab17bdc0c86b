import { defineTable, graceSeconds, type RowOf, text, time } from '../../tables/define.ts';

/** How long a place is known after its last use, in seconds (CONTRACT §12.4). */
export const placeSeconds = 30 * 86_400;

/** A browser and network from which an account was signed in to (CONTRACT §12.4). */
export const signInPlaces = defineTable({
  name: 'SignInPlace',
  setting: 'sign_in_place_collection',
  usualName: 'sign_in_places',
  description: '… of browsers and networks of sign-ins, while `notify_new_sign_in` is on',
  columns: {
    /** `<user id>:<digest of browser and network>` */
    id: text().key(),
    userId: text().indexed(),
    lastUsedAt: time().indexed(),
    /** When the owner was told of it, or need not be; null while that is under way. */
    announcedAt: time().nullable(),
  },
  owner: 'userId',
  ends: { by: 'lastUsedAt', keptSeconds: placeSeconds + graceSeconds },
});

export type SignInPlace = RowOf<typeof signInPlaces>;
