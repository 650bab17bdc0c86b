// The types of the scripts. They are not served: a browser gets the .js files as they are.

import type {
  AdministrationOperations as AdministrationOf,
  ErrorCode,
  FieldType,
  GatehouseError,
  MfaChallenge,
  OAuthProviders,
  Operations as OperationsOf,
  SessionList,
  UserIdentities,
  UserOf,
} from '../src/client/index.ts';

export type {
  Activity,
  AdminStats,
  ApiKey,
  ApiKeysOperations,
  AuditRecord,
  Authenticator,
  AuthenticatorAdded,
  Authenticators,
  ConfirmLoginMfaInput,
  Message,
  MfaChallenge,
  OAuthMfaChallenge,
  OAuthSession,
  OutboxMessage,
  Overview,
  Page,
  PendingRegistration,
  Scope,
  Session,
  SessionList,
  SigningKey,
  UserApiKeys,
  UserIdentities,
  Webhook,
} from '../src/client/index.ts';

/** Of an application whatever own fields and roles it has. */
interface Own {
  userFields: Record<string, FieldType>;
  roles: readonly string[];
}

export type { Formatters } from 'intl-messageformat';
export type {
  ActId,
  ConsoleActId,
  MessageId,
  Parsed,
  PlainId,
  ReasonId,
  TagOf,
  TextId,
  Tree,
  Values,
  ValuesOf,
} from '../src/words/message.ts';
export type Operations = OperationsOf<Own>;
export type Administration = AdministrationOf<Own>;

export type Problem = GatehouseError;
/** The codes of a failed call. */
export type ProblemCode = ErrorCode;

/** An account; only who looks it up is told whether it is reported or locked. */
export type User = UserOf<Own> & { reportedAt?: string | null; lockedUntil?: string | null };
/** The own fields of an account, by their names. */
export type OwnFields = NonNullable<User['fields']>;

export type MfaMethod = MfaChallenge['methods'][number];
export type SessionItem = SessionList['items'][number];
export type LinkedIdentity = OAuthProviders['linked'][number];
export type Identity = UserIdentities['items'][number];

/** The values of a form, by the names of its fields in camelCase. */
export type Values = Record<string, string>;
/** Shows a problem in its own way in the region, and returns whether it did. */
export type Explain = (problem: Problem, region: HTMLElement) => boolean;
/** The state that the parts of the account page share. */
export interface AccountPage {
  /** Closes the panel of a form that succeeded, and shows a message. */
  done: (form: string, sentence: string) => void;
  /** Reads the account again and shows it. */
  refresh: () => Promise<void>;
  explain: Explain;
}

/** Values for the placeholders of a template, by name. */
export type Fillings = Record<string, unknown>;

/** The parts of a request for a page of a list. */
export interface PageInput {
  limit: number;
  after: string | null;
  search: string | null;
}
