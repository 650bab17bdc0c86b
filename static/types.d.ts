// The types of the scripts. They are not served: a browser gets the .js files as they are.

import type { AdminUser, UserPublic } from '../src/contract/views/account.ts';
import type { PendingRegistrationView, StatsView } from '../src/contract/views/admin.ts';
import type { ActivityPage, AuditRecordView } from '../src/contract/views/audit.ts';
import type {
  AuthenticatorAddedView,
  AuthenticatorsView,
  AuthenticatorView,
  PasskeyChallengeView,
  RecoveryCodesView,
  TotpSetupView,
} from '../src/contract/views/authenticators.ts';
import type { MessageView } from '../src/contract/views/message.ts';
import type {
  OAuthMfaView,
  OAuthProvidersView,
  OAuthSessionView,
  OAuthStartView,
  UserIdentitiesView,
} from '../src/contract/views/oauth.ts';
import type { OutboxMessageView } from '../src/contract/views/outbox.ts';
import type { EndedView, SessionListItem, SessionListView } from '../src/contract/views/sessions.ts';
import type {
  MfaChallengeView,
  PendingView,
  PhoneSetupView,
  SessionView,
} from '../src/contract/views/sign-in.ts';
import type { WebhookTestView, WebhookView } from '../src/contract/views/webhooks.ts';
import type { ErrorCode, FieldError } from '../src/errors.ts';

/**
 * The codes of a failed call: a code of the API, `network` when there was no response, or what the browser said about a
 * passkey.
 */
export type ProblemCode =
  | ErrorCode
  | 'network'
  | 'passkey_cancelled'
  | 'passkey_known'
  | 'passkey_unsupported';

/** The members of a problem document that the pages read. */
export interface ProblemDocument {
  code: ProblemCode;
  detail?: string;
  status?: number;
  errors?: FieldError[];
  attempts_remaining?: number;
}

/** The response body of each call of the REST interface. */
interface Answers {
  'GET /me': UserPublic;
  'PATCH /me': UserPublic;
  'POST /login': SessionView | MfaChallengeView;
  'POST /login/mfa-confirm': SessionView;
  'POST /login/mfa-send': MessageView;
  'POST /login/mfa-passkey/start': PasskeyChallengeView;
  'POST /login/passkey/start': PasskeyChallengeView;
  'POST /login/passkey': SessionView;
  'POST /reauthenticate': SessionView | MfaChallengeView;
  'GET /authenticators': AuthenticatorsView;
  'POST /totp/start': TotpSetupView;
  'POST /totp/confirm': AuthenticatorAddedView;
  'POST /passkeys/start': PasskeyChallengeView;
  'POST /passkeys/confirm': AuthenticatorAddedView;
  'POST /recovery-codes': RecoveryCodesView;
  [one: `PATCH /authenticators/${string}`]: AuthenticatorView;
  [one: `DELETE /authenticators/${string}`]: MessageView;
  'GET /sessions': SessionListView;
  [acts: `GET /activity?${string}`]: ActivityPage;
  'DELETE /sessions': EndedView;
  [one: `DELETE /sessions/${string}`]: MessageView;
  'POST /logout': MessageView;
  'POST /register': PendingView | (UserPublic & { status?: undefined });
  'POST /verify': UserPublic;
  'POST /resend-verification': MessageView;
  'POST /forgot-password': MessageView;
  'POST /reset-password': MessageView;
  'POST /accept-invitation': UserPublic;
  'POST /change-password': MessageView;
  'POST /change-email': MessageView;
  'POST /confirm-email-change': UserPublic;
  'DELETE /account': MessageView;
  'POST /phone/start': PhoneSetupView;
  'POST /phone/confirm': UserPublic;
  'DELETE /phone': MessageView;
  'GET /oauth/providers': OAuthProvidersView;
  'POST /oauth/exchange': OAuthSessionView | OAuthMfaView;
  [link: `POST /oauth/${string}/link/start`]: OAuthStartView;
  [link: `DELETE /oauth/${string}/link`]: MessageView;
}

/** The response body of a call; a path that the pages do not know has no type. */
export type AnswerOf<Method extends string, Path extends string> = `${Method} ${Path}` extends keyof Answers
  ? Answers[`${Method} ${Path}`]
  : never;

export type MfaMethod = NonNullable<MfaChallengeView['methods']>[number];
/** An act of the account. */
export type ActivityItem = ActivityPage['items'][number];
export type SessionItem = SessionListView['items'][number];

export type {
  AuthenticatorAddedView,
  AuthenticatorView,
  MfaChallengeView,
  OAuthMfaView,
  OAuthSessionView,
  SessionView,
  UserPublic,
};
export type LinkedIdentity = OAuthProvidersView['linked'][number];

/** The own fields of an account, by their names. */
export type OwnFields = NonNullable<UserPublic['fields']>;

/** The values of a form, by the names of its fields. */
export type Values = Record<string, string>;
/** Shows a problem in its own way in the region, and returns whether it did. */
export type Explain = (problem: Problem, region: HTMLElement) => boolean;
/** What the parts of the account page have in common. */
export interface AccountPage {
  /** Closes the panel of a form that succeeded, and shows a message. */
  done: (form: string, sentence: string) => void;
  /** Reads the account again and shows it. */
  refresh: () => Promise<void>;
  explain: Explain;
}
type Problem = import('./client.js').Problem;

/** Values for the placeholders of a template, by name. */
export type Fillings = Record<string, unknown>;

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : S;
type CamelKeys<T> = { [K in keyof T as K extends string ? Camel<K> : never]: T[K] };

/** A user as GraphQL returns it; only who looks it up is told whether it is reported. */
export type User = CamelKeys<UserPublic> & Partial<Pick<CamelKeys<AdminUser>, 'reportedAt'>>;
/** The fields of a user in the list. */
export type UserRow = Omit<User, 'phoneNumber' | 'updatedAt' | 'tokensInvalidatedAfter'>;
export type Stats = CamelKeys<StatsView>;
export type PendingRegistration = CamelKeys<PendingRegistrationView>;
export type OutboxMessage = CamelKeys<OutboxMessageView>;
/** The fields of an audit record in the console. */
export type AuditRecord = Omit<CamelKeys<AuditRecordView>, 'requestId'>;
export type Webhook = CamelKeys<WebhookView>;
export type WebhookTest = CamelKeys<WebhookTestView>;
export type Message = CamelKeys<MessageView>;
export type Authenticator = CamelKeys<AuthenticatorView>;
export type Authenticators = CamelKeys<Omit<AuthenticatorsView, 'items'>> & { items: Authenticator[] };
/** The fields of a session in the console. */
export type Identity = CamelKeys<UserIdentitiesView['items'][number]>;
export type Identities = { items: Identity[] };

export type SessionRow = Omit<CamelKeys<SessionListItem>, 'expiresAt'>;
export type Sessions = { items: SessionRow[] };

/** A page of a list. */
export interface Page<Item> {
  nodes: Item[];
  /** Absent where nobody counts. */
  totalCount?: number;
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** The variables of a request for a page of a list. */
export interface PageVariables {
  first: number;
  after: string | null;
  search: string | null;
}
