// Generated from the operations by `npm run docs`.

import type { Json } from '../types.ts';

/** A token that another service checks. */
export interface AccessToken {
  /** For the API alone that was named: it is no session. */
  accessToken: string;
  /** How it is sent (RFC 6750). */
  tokenType: 'Bearer';
  /** Its lifetime in seconds. */
  expiresIn: number;
  /** Its scopes, separated by spaces. */
  scope: string;
}

/** An act of the owner of the account, or in the name of the owner. */
export interface Activity {
  /** Identifies the act. */
  id: string;
  /** When it ended. */
  at: string;
  /** What was done. */
  operation: string;
  /** Done, refused for a reason that `code` names, or failed on the side of the service. */
  outcome: 'ok' | 'refused' | 'failed';
  /** Why it was refused (an error code), or what is still required: `mfaRequired`. */
  code: string | null;
  /** The address of the client. */
  ip: string | null;
  /** The browser and system: "Firefox on Linux". */
  device: string | null;
}

/** How many accounts there are. Numbers beyond 10,000 are at most ten seconds old. */
export interface AdminStats {
  /** Accounts. */
  totalUsers: number;
  /** Accounts that are not disabled. */
  activeUsers: number;
  /** Accounts whose address is verified. */
  verifiedUsers: number;
  /** Accounts that may use administration. */
  superusers: number;
  /** Registrations that wait for their link to be used. */
  pendingRegistrations: number;
}

/** An account, as administrators see it. */
export interface AdminUser {
  /** Never changes and is never reused. */
  id: string;
  /** In lower case. */
  email: string;
  /** As the person gave it; null when there is none. */
  fullName: string | null;
  /** E.164; with `isMfaEnabled` the code of the second step goes there. */
  phoneNumber: string | null;
  /** False for an account that administration has disabled. */
  isActive: boolean;
  /** Whether the address was confirmed. */
  isVerified: boolean;
  /** Whether the account may use administration. */
  isSuperuser: boolean;
  /** Whether signing in takes a second step. */
  isMfaEnabled: boolean;
  /** When the account was created. */
  createdAt: string;
  /** When the account was last changed. */
  updatedAt: string;
  /** When a session was last issued; null before the first one. */
  lastLogin: string | null;
  /** Session tokens whose `iat` is not later than this are revoked. */
  tokensInvalidatedAfter: string | null;
  /** The language of emails and text messages; null for the default one. Absent where there is one language. */
  locale?: string | null;
  /** When a link "this was not me" closed the account, until its owner returns; shown to administrators only. */
  reportedAt: string | null;
  /** Until when wrong passwords keep the account from signing in with one; null while they do not, shown to administrators only. */
  lockedUntil: string | null;
}

/** A key with which a script acts for a person. It is never shown again. */
export interface ApiKey {
  /** Identifies the key. */
  id: string;
  /** As its owner named it. */
  name: string;
  /** The last four characters of the key. */
  hint: string;
  /** What it opens, as far as the configuration still gives it. */
  scopes: string[];
  /** When it was made. */
  createdAt: string;
  /** When it ends; null for a key without end. */
  expiresAt: string | null;
  /** When it was last used, to about a minute; null before the first time. */
  lastUsedAt: string | null;
  /** The address from which it was last used. */
  lastUsedIp: string | null;
  /** Whether it has ended. */
  isExpired: boolean;
  /** True where it gives no access by itself, because it was added since an act that its owner has reported; else absent. */
  isDistrusted?: boolean;
}

/** An API key that was made. */
export interface ApiKeyCreated {
  /** A key with which a script acts for a person. It is never shown again. */
  apiKey: ApiKey;
  /** The key. It is shown only now. */
  key: string;
}

/** The API keys of the account. */
export interface ApiKeyList {
  /** Newest first. */
  items: ApiKey[];
  /** What a new key may open. */
  scopes: Scope[];
}

/** An act that is relevant to security. */
export interface AuditRecord {
  /** The id of the record. */
  id: string;
  /** When it ended; of several acts, the first. */
  at: string;
  /** What was done. */
  operation: string;
  /** Who acted: a user, a superuser, an operator at the command line, the application, or Gatehouse by itself. */
  by: 'self' | 'admin' | 'cli' | 'host' | 'system';
  /** The id of the user whose session it was; on the command line a user of the operating system. Null without a session. */
  actor: string | null;
  /** With `with_addresses`: the address that the actor has now; absent without an account. */
  actorEmail?: string;
  /** The id of the user whom it concerned. */
  subject: string | null;
  /** With `with_addresses`: the address that this user has now; absent without an account. */
  subjectEmail?: string;
  /** Done, refused for a reason that `code` names, or failed on the side of the service. */
  outcome: 'ok' | 'refused' | 'failed';
  /** Why it was refused (an error code), or what is still required: `mfaRequired`. */
  code: string | null;
  /** What was changed, where the operation does not say it: names of fields, a flag with its value. */
  changes: string[] | null;
  /** For how many acts it stands: equal refusals without a session are one record a minute. Of one look at several accounts, how many these were. */
  count: number;
  /** The address of the client. */
  ip: string | null;
  /** The id of the request in the log. */
  requestId: string | null;
}

/** An authenticator app or a passkey of the account. */
export interface Authenticator {
  /** Identifies the authenticator. */
  id: string;
  /** `totp` for an authenticator app, or `passkey`. */
  kind: 'totp' | 'passkey';
  /** As its owner named it. */
  name: string;
  /** When it was added. */
  createdAt: string;
  /** When it was last used to sign in; null before the first time. */
  lastUsedAt: string | null;
  /** Passkeys: whether it is synchronised between the devices of its owner. */
  isSynced?: boolean;
  /** True where it gives no access by itself, because it was added since an act that its owner has reported; else absent. */
  isDistrusted?: boolean;
}

/** An authenticator that was added. */
export interface AuthenticatorAdded {
  /** An authenticator app or a passkey of the account. */
  authenticator: Authenticator;
  /** Each replaces the second step once. They are shown only now. */
  recoveryCodes?: string[];
  /** To go on with, where the session of the caller was made without a second factor, or has ended with the others. */
  session?: Session;
}

/** The authenticators of the account. */
export interface Authenticators {
  /** Oldest first. */
  items: Authenticator[];
  /** How many recovery codes can still be used. */
  recoveryCodesLeft: number;
  /** False where the account has no password; else absent. */
  hasPassword?: boolean;
  /** True where the phone number of the account is no second step until its owner has set it up again; else absent. */
  phoneNeedsConfirmation?: boolean;
}

/** An own field of this application that people may edit. */
export interface EditableField {
  /** As the configuration writes it; GraphQL has it in camelCase. */
  name: string;
  /** `string`, `number`, `boolean` or `date`. */
  type: 'string' | 'number' | 'boolean' | 'date';
  /** What a form calls it. */
  label: string;
  /** Whether registration needs it. */
  required: boolean;
  /** The longest text, in characters; null for other types. */
  maxLength: number | null;
}

/** What this server has switched on. */
export interface Features {
  /** The name of the application, for its pages. */
  appName: string;
  /** Whether new accounts can be created. */
  registration: boolean;
  /** Whether an address must be verified before the first sign-in. */
  verificationRequired: boolean;
  /** Whether a password can be reset by email. */
  passwordReset: boolean;
  /** Whether people can delete their account. */
  accountDeletion: boolean;
  /** Whether a phone can be set up as the second factor. */
  sms2fa: boolean;
  /** Whose accounts must have a second factor or a passkey: `off`, `superusers` or `everyone`. */
  mfaRequired: 'off' | 'superusers' | 'everyone';
  /** Whether people can see their sessions. */
  sessionList: boolean;
  /** Whether people can sign in with an identity provider. */
  oauth: boolean;
  /** The identity providers, in the order of their buttons. */
  oauthProviders: OAuthProvider[];
  /** The fewest characters of a new password. */
  passwordMinLength: number;
  /** Whether administration is available. */
  admin: boolean;
  /** The own fields of this application that people may edit. */
  userFields: EditableField[];
  /** The languages that people can choose, in the order of a switch. */
  locales: Locale[];
  /** The language for whom none of them is known. */
  defaultLocale: string;
  /** Whether there are access tokens that other services check. */
  tokens: boolean;
  /** Whether people can make API keys for scripts. */
  apiKeys: boolean;
  /** Whether people can see the recent activity of their account. */
  activity: boolean;
  /** Whether an authenticator app can be set up as the second factor. */
  totp: boolean;
  /** Whether the session is known to pages that the application renders, by a cookie. */
  browserSessions: boolean;
  /** Whether owners are told of new sign-ins and can report that an act was not theirs. */
  notMe: boolean;
  /** Whether passkeys can be set up and used to sign in. */
  passkeys: boolean;
}

/** An external identity that signs the account in. */
export interface LinkedIdentity {
  /** The name of the identity provider. */
  provider: string;
  /** The address that the provider named when the identity was linked. */
  email: string | null;
  /** When the identity was linked. */
  linkedAt: string;
  /** When the identity was last used to sign in. */
  lastUsedAt: string | null;
  /** True where it gives no access by itself, because it was added since an act that its owner has reported; else absent. */
  isDistrusted?: boolean;
}

/** A language that people can choose. */
export interface Locale {
  /** As in BCP 47: `pt-BR`. */
  tag: string;
  /** In the language itself: `Deutsch`. */
  name: string;
  /** The direction of a script: `ltr` or `rtl`. */
  direction: 'ltr' | 'rtl';
}

/** A sentence for people where there is nothing else to return. */
export interface Message {
  /** For people. */
  message: string;
}

/** The first step succeeded and the second one is due. */
export interface MfaChallenge {
  /** Always `mfa_required`. */
  status: 'mfa_required';
  /** Authorises the second step, and nothing else. */
  mfaPendingToken: string;
  /** Lifetime of the pending token in seconds. */
  expiresIn: number;
  /** How a code was sent: `sms`, or `none` where none was sent. */
  delivery: 'sms' | 'none';
  /** How the second step can be taken, strongest first: `passkey`, `totp`, `sms`, `recovery_code`. */
  methods: ('passkey' | 'totp' | 'sms' | 'recovery_code')[];
}

/** The outcome of a report "this was not me". */
export interface NotMeReport {
  /** For people. */
  message: string;
  /** True when a reset by email opens the account again, false when only administration does. */
  passwordNeeded: boolean;
}

/** An external sign-in whose second step is due. */
export interface OAuthMfaChallenge {
  /** Always `mfa_required`. */
  status: 'mfa_required';
  /** Authorises the second step, and nothing else. */
  mfaPendingToken: string;
  /** Lifetime of the pending token in seconds. */
  expiresIn: number;
  /** How a code was sent: `sms`, or `none` where none was sent. */
  delivery: 'sms' | 'none';
  /** How the second step can be taken, strongest first: `passkey`, `totp`, `sms`, `recovery_code`. */
  methods: ('passkey' | 'totp' | 'sms' | 'recovery_code')[];
  /** After an external sign-in: the page that the flow was started for. */
  redirectTo: string;
  /** After an external sign-in: whether it created the account. */
  wasNewAccount: boolean;
}

/** An identity provider that people can sign in with. */
export interface OAuthProvider {
  /** The name that the API knows it by, such as `google`. */
  name: string;
  /** The name that people know it by. */
  label: string;
  /** What it speaks: `oidc` (OpenID Connect), `github`, `apple` or `microsoft`. */
  kind: 'oidc' | 'github' | 'apple' | 'microsoft';
}

/** Identity providers, and what is linked to the account. */
export interface OAuthProviders {
  /** The names of the identity providers that can be used. */
  available: string[];
  /** The identities that are linked to the account. */
  linked: LinkedIdentity[];
  /** Whether the account has a password. */
  hasPassword: boolean;
}

/** A finished external sign-in. */
export interface OAuthSession {
  /** The session token, to be sent as `Authorization: Bearer <token>`. */
  accessToken: string;
  /** Always `bearer`. */
  tokenType: 'bearer';
  /** Lifetime of the session in seconds. */
  expiresIn: number;
  /** After an external sign-in: the page that the flow was started for. */
  redirectTo: string;
  /** After an external sign-in: whether it created the account. */
  wasNewAccount: boolean;
}

/** Where to send the browser. */
export interface OAuthStart {
  /** The page of the identity provider. */
  authorizationUrl: string;
}

/** A message that was not delivered yet. */
export interface OutboxMessage {
  /** The id of the message. */
  id: string;
  /** What is delivered. */
  kind: 'mail' | 'text' | 'event' | 'webhook';
  /** What it is about: the kind of an email or of a texted code, or the name of an event. */
  purpose: string;
  /** A part of the recipient, enough to find a message; the name of a webhook or of a durable handler. */
  recipient: string;
  /** Waiting for its time, being sent, or given up until somebody decides. */
  state: 'waiting' | 'sending' | 'dead';
  /** How often sending was begun. */
  attempts: number;
  /** When it was stored, by the clock of the database. */
  createdAt: string;
  /** When it is tried next; while it is being sent, when another process may try. Null when dead. */
  nextAttemptAt: string | null;
  /** Why the latest try failed; null before any has. */
  lastError: string | null;
}

/** The last 24 hours in numbers, of every process on the database; at most seconds old. */
export interface Overview {
  /** When the first of the 24 hours began: the present hour is the last of them. */
  since: string;
  /** Sign-ins in these hours. */
  signIns: number;
  /** Acts that were refused in these hours: wrong passwords and codes, used links. */
  refusals: number;
  /** Those of the refused acts that a lockout refused. */
  lockouts: number;
  /** Stored messages and events that were given up, now; counted up to 10,000. 0 where none are stored. */
  deadDeliveries: number;
  /** Webhooks that are switched off, now. */
  webhooksOff: number;
}

/** A challenge that a passkey answers within five minutes. */
export interface PasskeyChallenge {
  /** Identifies the challenge. */
  id: string;
  /** The options for the browser, as `parseCreationOptionsFromJSON()` or `parseRequestOptionsFromJSON()` take them. */
  options: Json;
}

/** A registration that waits for the link in its email to be used. */
export interface PendingRegistration {
  /** The address that waits for its verification. */
  email: string;
  /** As the person gave it; shown to administrators only. */
  fullName: string | null;
  /** When the address was first registered; shown to administrators only. */
  createdAt: string;
  /** When the link in the email stops working. */
  expiresAt: string;
  /** Registered more than once, so that the person who opens the email chooses the password; shown to administrators only. */
  isContested: boolean;
}

/** A registration that waits for the link in its email to be used. */
export interface PendingVerification {
  /** Always `pending_verification`. */
  status: 'pending_verification';
  /** The address that waits for its verification. */
  email: string;
  /** When the link in the email stops working. */
  expiresAt: string;
}

/** A phone set-up whose code was sent. */
export interface PhoneSetup {
  /** Always `code_sent`. */
  status: 'code_sent';
  /** Authorises the confirmation of this phone, and nothing else. */
  pendingToken: string;
  /** Lifetime of the pending token in seconds. */
  expiresIn: number;
}

/** New recovery codes; the former ones are void. */
export interface RecoveryCodes {
  /** Each replaces the second step once. They are shown only now. */
  recoveryCodes: string[];
}

/** Something that a key may open. */
export interface Scope {
  /** The name of the scope. */
  name: string;
  /** For people. */
  description: string;
  /** The identifier of the API that it belongs to; null for `profile`, which opens the profile here. */
  resource: string | null;
}

/** A finished sign-in. */
export interface Session {
  /** The session token, to be sent as `Authorization: Bearer <token>`. */
  accessToken: string;
  /** Always `bearer`. */
  tokenType: 'bearer';
  /** Lifetime of the session in seconds. */
  expiresIn: number;
}

/** The sessions of the account. */
export interface SessionList {
  /** The one used last comes first. */
  items: SessionListItem[];
}

/** A session of the account. */
export interface SessionListItem {
  /** Identifies the session. */
  id: string;
  /** When it began. */
  createdAt: string;
  /** When it was last used, to about a minute. */
  lastSeenAt: string;
  /** When it ends by itself. */
  expiresAt: string;
  /** The address that it began from. */
  ip: string | null;
  /** The browser and system: "Firefox on Linux". */
  device: string | null;
  /** How it began: `password`, `mfa`, `oauth`, `passkey`, or a word of the host application. */
  method: string;
  /** Whether it is the session of this request. */
  isCurrent: boolean;
}

/** Sessions that were ended. */
export interface SessionsEnded {
  /** For people. */
  message: string;
  /** How many sessions were ended. */
  ended: number;
}

/** A key that signs access tokens. */
export interface SigningKey {
  /** Its id, which tokens name: the thumbprint of RFC 7638. */
  kid: string;
  /** `ES256`, `RS256` or `EdDSA`. */
  algorithm: 'ES256' | 'RS256' | 'EdDSA';
  /** `current` signs, `next` is published and will sign, `retired` has signed. */
  state: 'current' | 'next' | 'retired';
  /** Since when it has this state. */
  since: string;
  /** When the state is planned to end; null where nothing is planned. */
  until: string | null;
}

/** The keys that sign access tokens. */
export interface SigningKeys {
  /** By algorithm, then `current`, `next` and `retired`. */
  items: SigningKey[];
}

/** A set-up of an authenticator app that waits for a code. */
export interface TotpSetup {
  /** Identifies the set-up. */
  id: string;
  /** The secret in Base32, for people who cannot scan the code. It is shown only now. */
  secret: string;
  /** What the QR code contains; a link that opens an app on the same device. */
  otpauthUrl: string;
  /** The QR code, as an SVG document. */
  qrSvg: string;
}

/** An account. */
export interface User {
  /** Never changes and is never reused. */
  id: string;
  /** In lower case. */
  email: string;
  /** As the person gave it; null when there is none. */
  fullName: string | null;
  /** E.164; with `isMfaEnabled` the code of the second step goes there. */
  phoneNumber: string | null;
  /** False for an account that administration has disabled. */
  isActive: boolean;
  /** Whether the address was confirmed. */
  isVerified: boolean;
  /** Whether the account may use administration. */
  isSuperuser: boolean;
  /** Whether signing in takes a second step. */
  isMfaEnabled: boolean;
  /** When the account was created. */
  createdAt: string;
  /** When the account was last changed. */
  updatedAt: string;
  /** When a session was last issued; null before the first one. */
  lastLogin: string | null;
  /** Session tokens whose `iat` is not later than this are revoked. */
  tokensInvalidatedAfter: string | null;
  /** The language of emails and text messages; null for the default one. Absent where there is one language. */
  locale?: string | null;
}

/** The API keys of an account. */
export interface UserApiKeys {
  /** Newest first. */
  items: ApiKey[];
}

/** The external identities of an account. */
export interface UserIdentities {
  /** The one linked first is at the top. */
  items: UserIdentity[];
}

/** An external identity of an account. */
export interface UserIdentity {
  /** The name of the identity provider. */
  provider: string;
  /** The address that the provider named when the identity was linked. */
  email: string | null;
  /** When the identity was linked. */
  linkedAt: string;
  /** When the identity was last used to sign in. */
  lastUsedAt: string | null;
  /** True where it gives no access by itself, because it was added since an act that its owner has reported; else absent. */
  isDistrusted?: boolean;
  /** Who vouches for it; null when an earlier version stored it. */
  issuer: string | null;
  /** How the last sign-in there was made, as far as the provider says. */
  acr: string | null;
  /** The methods of the last sign-in there, as far as the provider says. */
  amr: string[] | null;
}

/** An endpoint that is told of events. */
export interface Webhook {
  /** The name in the configuration. */
  name: string;
  /** Where events are sent: scheme, host and port. */
  origin: string;
  /** The events that it gets; every one when empty. */
  events: string[];
  /** Whether it was switched off, until somebody enables it. */
  isOff: boolean;
  /** When it was switched off, by the clock of the database. */
  offAt: string | null;
  /** Why it was switched off. */
  offReason: string | null;
  /** Since when it has taken nothing; null when it took the latest. */
  failingSince: string | null;
  /** How many deliveries wait; counted up to 10,000. */
  waiting: number;
  /** How many were given up, and wait to be replayed; counted up to 10,000. */
  dead: number;
}

/** The webhooks of the configuration. */
export interface WebhookList {
  /** Every webhook of the configuration. */
  items: Webhook[];
}

/** The deliveries to a webhook that will be tried again. */
export interface WebhookReplay {
  /** For people. */
  message: string;
  /** How many deliveries will be tried again. */
  replayed: number;
}

/** How a test delivery to a webhook ended. */
export interface WebhookTest {
  /** Whether the endpoint has taken the test. */
  isTaken: boolean;
  /** The problem in one line; null if there was none. */
  problem: string | null;
  /** How long the endpoint took. */
  milliseconds: number;
}
