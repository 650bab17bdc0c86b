import { isCurrent } from '../clock.ts';
import { randomToken, tokenHash } from '../crypto/one-time.ts';
import { seal, unseal } from '../crypto/sealed-text.ts';
import type { OAuthState } from '../tables/oauth-state.ts';
import type { Dependencies } from './dependencies.ts';

const purpose = 'oauth_result';

/** A finished sign-in that waits for its exchange. */
export interface OAuthResult {
  row: OAuthState;
  /** The session token, or the pending token of a second step. */
  token: string;
}

/**
 * Results of finished external sign-ins. Each has an id of its own that only the browser receives. The row is stored
 * under the hash of that id and contains the token encrypted with a key derived from the id, so the contents of the
 * database alone do not give access to the token.
 */
export function createOAuthResults({
  config,
  clock,
  repositories: { oauth_states },
}: Pick<Dependencies, 'config' | 'clock' | 'repositories'>) {
  return {
    /** Stores the token that a flow ended with. Returns the id that is exchanged for it. */
    async add(flow: OAuthState, token: string, wasNewAccount: boolean): Promise<string> {
      const id = randomToken();
      const now = clock.now();
      await oauth_states.add({
        ...flow,
        id: tokenHash(id),
        resultToken: seal(token, id, purpose),
        wasNewAccount,
        // The values for the request to the provider have been used.
        codeVerifier: '',
        nonce: '',
        createdAt: now,
        expiresAt: new Date(now.getTime() + config.oauth.completionTtlSeconds * 1000),
      });
      return id;
    },

    /** Returns the result of this id, or null. An expired result is removed when it is requested. */
    async find(id: string): Promise<OAuthResult | null> {
      const row = await oauth_states.find(tokenHash(id));
      const token = row?.resultToken ? unseal(row.resultToken, id, purpose) : null;
      if (!row || token === null) return null;
      const isOpen = isCurrent(row.expiresAt, config.oauth.completionTtlSeconds, clock.now());
      if (isOpen) return { row, token };
      await oauth_states.consume(row.id);
      return null;
    },

    /** Removes the result. Of several parallel requests, exactly one gets true and may use what it read. */
    consume: ({ row }: OAuthResult) => oauth_states.consume(row.id),
  };
}
