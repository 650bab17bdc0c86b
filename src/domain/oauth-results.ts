import { createHash } from 'node:crypto';
import { isCurrent } from '../clock.ts';
import type { Claims } from '../crypto/claims.ts';
import { randomToken, tokenHash } from '../crypto/one-time.ts';
import { isSameText } from '../crypto/same-text.ts';
import { seal, unseal } from '../crypto/sealed-text.ts';
import { GatehouseError } from '../errors.ts';
import type { OAuthMode, OAuthState } from '../tables/oauth-state.ts';
import { say } from '../words/said.ts';
import type { SessionReference } from './authentication.ts';
import type { Dependencies } from './dependencies.ts';

/** Of each mode its own, so that nothing opens the result of the other. */
const purposes: Record<OAuthMode, string> = { signin: 'oauth_result', link: 'oauth_link_result' };

/** A finished flow that waits for the browser to collect its result. */
export interface OAuthResult {
  row: OAuthState;
  /** Of a sign-in the session token, or the pending token of a second step; of a link the identity, as JSON. */
  content: string;
}

/**
 * Results of finished flows. Each has an id of its own that only the browser receives. The row is stored
 * under the hash of that id and contains the result encrypted with a key derived from the id, so the contents of the
 * database alone do not give access to it.
 */
export function createOAuthResults({
  config,
  clock,
  repositories: { oauth_states },
}: Pick<Dependencies, 'config' | 'clock' | 'repositories'>) {
  return {
    /** Stores what a flow ended with. Returns the id by which it is collected. */
    async add(flow: OAuthState, content: string, wasNewAccount = false): Promise<string> {
      const id = randomToken();
      const now = clock.now();
      await oauth_states.add({
        ...flow,
        id: tokenHash(id),
        resultToken: seal(content, id, purposes[flow.mode]),
        wasNewAccount,
        // The values for the request to the provider have been used.
        codeVerifier: '',
        nonce: '',
        createdAt: now,
        expiresAt: new Date(now.getTime() + config.oauth.completionTtlSeconds * 1000),
      });
      return id;
    },

    /** Returns the result of this id and mode, or null. An expired result is removed when it is requested. */
    async find(id: string, mode: OAuthMode): Promise<OAuthResult | null> {
      const row = await oauth_states.find(tokenHash(id));
      const content = row?.resultToken ? unseal(row.resultToken, id, purposes[mode]) : null;
      if (!row || content === null) return null;
      const isOpen = isCurrent(row.expiresAt, config.oauth.completionTtlSeconds, clock.now());
      if (isOpen) return { row, content };
      await oauth_states.consume(row.id);
      return null;
    },

    /** Removes the result. Of several parallel requests, exactly one gets true and may use what it read. */
    consume: ({ row }: OAuthResult) => oauth_states.consume(row.id),
  };
}

/** The session that started a link, and how it was made. */
type LinkingSession = SessionReference & Pick<Claims, 'amr'>;

/** Returns the session that started a link. */
export function linkingSessionOf({ linkingSession, linkingUserId }: OAuthState): LinkingSession {
  const { jti = '', iat = 0, amr }: Partial<LinkingSession> = JSON.parse(linkingSession ?? '{}');
  return { jti, iat, sub: linkingUserId ?? '', ...(amr && { amr }) };
}

/**
 * Rejects a browser that did not start this flow; the result stays good.
 * @throws {GatehouseError} invalid_token
 */
export function assertVerifier(verifier: string | null | undefined, { codeChallenge }: OAuthState): void {
  if (isVerifierOf(verifier, codeChallenge)) return;
  throw new GatehouseError('invalid_token', { detail: say('error_verifier') });
}

/** RFC 7636 §4.1. A shorter verifier could be guessed: an app that has none may send a fixed word in its place. */
const verifierForm = /^[A-Za-z0-9._~-]{43,128}$/;

/**
 * Returns whether this is the verifier of the challenge (RFC 7636 §4.6). Without a challenge there must be no verifier:
 * an app that keeps one has started another flow than this (PKCE downgrade, RFC 9700 §4.8.2).
 */
function isVerifierOf(verifier: string | null | undefined, challenge: string | null): boolean {
  if (challenge === null) return verifier == null;
  if (!verifier || !verifierForm.test(verifier)) return false;
  return isSameText(createHash('sha256').update(verifier).digest('base64url'), challenge);
}
