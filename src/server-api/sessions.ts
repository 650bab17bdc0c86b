import { z } from 'zod';
import { MfaChallengeView, SessionView } from '../contract/views/sign-in.ts';
import type { InNode } from '../in-node.ts';
import type { Host } from '../services/host.ts';
import { call } from './call.ts';

/** How the host has identified a person. */
export interface Identification {
  /** One lower-case word for events, the session list and logs: `saml`, `kiosk`. */
  method: string;
  /** True when you have seen two factors: no second step follows. */
  mfa?: boolean;
  /** The address of the person, which the session list shows: that of the request in which you identified them. */
  ip?: string | null | undefined;
  /** The header `User-Agent` of that request. The session list shows the device that it names: "Firefox on Linux". */
  userAgent?: string | null | undefined;
}

/** A finished sign-in; `expiresIn` in seconds. */
export type Session = InNode<typeof SessionView>;

/** A sign-in whose second step is still required; `expiresIn` in seconds. */
export type MfaChallenge = InNode<typeof MfaChallengeView>;

const SignedIn = z.union([SessionView, MfaChallengeView]);

/** Sessions, for a host that identifies people itself. */
export interface Sessions {
  /**
   * Signs somebody in. Returns what `POST /login` returns after a right password: a session, or the challenge of the second
   * step where the account has one.
   * @throws {GatehouseError} not_found, invalid_input, account_disabled, email_not_verified, unauthenticated (a report has closed
   * the account), refused_by_host, account_locked and rate_limited (both: of the second step)
   * @example const session = await gatehouse.sessions.issue(ada.id, { method: 'saml', ip: req.ip });
   */
  issue(userId: string, identification: Identification): Promise<Session | MfaChallenge>;
}

/** Returns `gatehouse.sessions`. */
export const createSessions = (host: Host): Sessions => ({
  issue: (userId, identification) => call(SignedIn, host.issueSession, identification, { id: userId }),
});
