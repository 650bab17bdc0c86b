import { boolean, clockToleranceSeconds, defineTable, double, type RowOf, text, time } from './define.ts';

/** Whether a flow signs a user in or adds an identity to the account that started it. */
export type OAuthMode = 'signin' | 'link';

/**
 * A flow in progress, or, with `resultToken`, a finished one that waits for its exchange under a fresh id. A row is never
 * changed: it is inserted, read and deleted.
 */
export const oauthStates = defineTable({
  name: 'OAuthState',
  setting: 'oauth_state_collection',
  usualName: 'oauth_states',
  description: '… of external sign-ins in progress',
  columns: {
    id: text().key(),
    provider: text(),
    mode: text<OAuthMode>(),
    codeVerifier: text(),
    nonce: text(),
    redirectTo: text(),
    /** S256 challenge of the browser that started the flow (RFC 7636 §4.2). */
    codeChallenge: text().nullable(),
    /** How long ago the person may have signed in at the provider, in seconds. */
    maxAge: double().nullable(),
    linkingUserId: text().nullable(),
    /** The session that started a link: it must still be valid when the provider responds. */
    linkingSession: text().nullable(),
    resultToken: text().nullable(),
    wasNewAccount: boolean(),
    createdAt: time(),
    expiresAt: time().indexed(),
  },
  ends: { by: 'expiresAt' },
  mongodb: {
    indexes: [
      // A finished sign-in is removed when it ends. The opposite direction makes this a separate index, which every version
      // allows.
      {
        keys: { expires_at: -1 },
        expireAfterSeconds: clockToleranceSeconds,
        partialFilterExpression: { result_token: { $type: 'string' } },
      },
    ],
  },
});

export type OAuthState = RowOf<typeof oauthStates>;
