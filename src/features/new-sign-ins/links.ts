import type { Clock } from '../../clock.ts';
import type { Config } from '../../config/schema.ts';
import { type DataEncryption, UnreadableSecret } from '../../crypto/data-key.ts';
import { randomToken, tokenHash } from '../../crypto/one-time.ts';
import { type Disownable, disownable } from '../../events.ts';
import { mailLink } from '../../mail/links.ts';
import { hasMailbox } from '../../mail/outbox.ts';
import type { Repositories } from '../../storage/repositories/index.ts';
import type { User } from '../../tables/user.ts';
import type { NotMeLink } from './link-table.ts';

/** How long a link "this was not me" works, in seconds (CONTRACT §12.4). */
export const notMeTtlSeconds = 7 * 86_400;

interface Parts {
  config: Config;
  clock: Clock;
  encryption: DataEncryption;
  repositories: Pick<Repositories, 'not_me_links'>;
}

/** The act that the email of a link tells of. */
export interface ToldAct {
  about: Disownable;
  at: Date;
  /** The address that the email was sent to; null when no configured key opens the link. */
  email: string | null;
}

/**
 * The sealed content of a link. The address has the place that it had in the former version, which runs beside this one while
 * it is replaced. That version stored no time, its `about` names a row (`authenticator:<id>`), and that of a sign-in is null.
 */
interface Sealed {
  before: { email: string };
  about: string | null;
  at?: string;
}

/** The binding of a link's seal: copied to another row, it does not open. */
const boundTo = ({ id, userId }: Pick<NotMeLink, 'id' | 'userId'>) => ['not_me', userId, id];

/** Makes the links "this was not me" of emails to the owner (CONTRACT §12.4). */
export function createNotMeLinks({ config, clock, encryption, repositories }: Parts) {
  return {
    /** Returns the link of an email about an act, with the time at which it was done; null without a mailbox. */
    async make(
      { id: userId, email, locale }: Pick<User, 'id' | 'email' | 'locale'>,
      about: Disownable,
      at: Date,
    ): Promise<string | null> {
      if (!hasMailbox(email)) return null;
      const token = randomToken();
      const row = { id: tokenHash(token), userId };
      const sealed: Sealed = { before: { email }, about, at: at.toISOString() };
      await repositories.not_me_links.add({
        ...row,
        snapshot: encryption.encrypt(JSON.stringify(sealed), boundTo(row)),
        expiresAt: new Date(clock.now().getTime() + notMeTtlSeconds * 1000),
      });
      return mailLink(config, 'notMe', token, locale).url;
    },
  };
}

/** Returns the act that a link tells of: one that no configured key opens, of a sign-in at the time of its email. */
export function toldAct(encryption: DataEncryption, link: NotMeLink): ToldAct {
  try {
    const { text } = encryption.decrypt(link.snapshot, boundTo(link));
    const { before, about, at } = JSON.parse(text) as Sealed;
    const kind = about === 'recovery_codes' ? 'authenticator' : about?.split(':')[0];
    return {
      about: disownable.find(each => each === kind) ?? 'sign_in',
      at: at === undefined ? link.createdAt : new Date(at),
      email: before.email,
    };
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    return { about: 'sign_in', at: link.createdAt, email: null };
  }
}
