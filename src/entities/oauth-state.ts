import { defineEntity, type KeyColumn, p, type Stored } from './columns.ts';

/** Whether a flow signs a user in or adds an identity to the account that started it. */
export type OAuthMode = 'signin' | 'link';

/**
 * A flow in progress, or, with `resultToken`, a finished one that waits for its exchange under a fresh id. A row is never
 * changed: it is inserted, read and deleted.
 */
export function oauthState(tableName: string, key: KeyColumn) {
  return defineEntity({
    name: 'OAuthState',
    tableName,
    properties: {
      id: p.text().primary().fieldName(key('id')),
      provider: p.text(),
      mode: p.text().$type<OAuthMode>(),
      codeVerifier: p.text(),
      nonce: p.text(),
      redirectTo: p.text(),
      /** S256 challenge of the browser that started the flow (RFC 7636 §4.2). */
      codeChallenge: p.text().nullable(),
      /** How long ago the person may have signed in at the provider, in seconds. */
      maxAge: p.double().$type<number>().nullable(),
      linkingUserId: p.text().nullable(),
      /** The session that started a link: it must still be valid when the provider responds. */
      linkingSession: p.text().nullable(),
      resultToken: p.text().nullable(),
      wasNewAccount: p.boolean(),
      createdAt: p.datetime(3),
      expiresAt: p.datetime(3).index(),
    },
  });
}

export type OAuthState = Stored<ReturnType<typeof oauthState>>;
