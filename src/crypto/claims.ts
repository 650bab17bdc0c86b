/** The purpose of a token; it is refused for every other (SPEC §2.4, CONTRACT §15.1). */
export type Purpose =
  | 'session'
  | 'browser_session'
  | 'forwarded_session'
  | 'forward_ticket'
  | 'password_reset'
  | 'invitation'
  | 'email_change'
  | 'phone_setup'
  | 'login_mfa';

/**
 * How a user proved who they are (RFC 8176 §2); `fed` is a sign-in with an identity provider, `host` one that the host
 * application vouches for.
 */
export type AuthenticationMethod = 'pwd' | 'otp' | 'sms' | 'hwk' | 'swk' | 'mfa' | 'fed' | 'host';

/** The session that another one replaces. */
export type ReplacedSession = Pick<Claims, 'jti' | 'exp'>;

/** The claims of SPEC §2.4; times in seconds since 1970, `iat` with a fraction. */
export interface Claims {
  sub: string;
  iat: number;
  exp: number;
  jti: string;
  purpose: Purpose;
  aud?: string | string[];
  new_email?: string;
  /** Links that choose a password: the address of the account, with which their page signs in. Nothing decides by it. */
  email?: string;
  /** Session: when the user last signed in (OpenID Connect Core §2). Absent in tokens of earlier versions. */
  auth_time?: number;
  /** The proofs; in a pending token, by the first step. Absent in tokens of earlier versions. */
  amr?: AuthenticationMethod[];
  /** Session and ticket of forward authentication: the host at which they count. */
  host?: string;
  /** Ticket: the hash of the state that the browser keeps at that host. */
  state?: string;
  /** Ticket: the session that it brings there. */
  session?: Pick<Claims, 'jti' | 'iat' | 'exp'>;
  /** Pending token of a second step: the session that the new one replaces. */
  replaces?: ReplacedSession;
  /** Pending token of a second step: the session that ends once the new one has begun. */
  supersedes?: ReplacedSession;
}

/** The claims of an access token (RFC 9068 §2.2), beside those that its resource asks for. */
export interface AccessClaims {
  iss: string;
  aud: string;
  sub: string;
  jti: string;
  iat: number;
  exp: number;
  client_id: string;
  session_ref?: string | undefined;
  key_id?: string | undefined;
  scope: string;
  auth_time?: number | undefined;
  acr?: string | undefined;
  amr?: string[] | undefined;
  readonly [claim: string]: unknown;
}
