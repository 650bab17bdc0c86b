import type { Schedule } from '../clock.ts';
import type { DataEncryption } from '../crypto/data-key.ts';
import type { Background } from '../domain/background.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import type { FactorProof } from '../domain/factor-proof.ts';
import type { LifeCycleHooks } from '../domain/life-cycle.ts';
import type { DefineAct } from '../domain/operator-act.ts';
import type { SigningIn } from '../domain/signing.ts';
import type { EventDelivery } from '../events.ts';
import type { OnlyDocuments } from '../graphql/document-filter.ts';
import type { ExtendSchema } from '../graphql/door.ts';
import type { VerifierOf } from '../http/access-guard.ts';
import type { BrowserSessions } from '../http/browser-session.ts';
import type { Answers } from '../http/feature-answers.ts';
import type { HostRequests } from '../http/host-requests.ts';
import type { HttpHandler } from '../http/message.ts';
import type { WellKnownPaths } from '../http/well-known.ts';
import type { RateLimits } from '../limits/rate-limit.ts';
import type { Logger } from '../logger.ts';
import type { StoreRecord } from '../observability/audit.ts';
import type { Meter } from '../observability/metrics.ts';
import type { StatusCheck } from '../observability/status.ts';
import type { JobStore } from '../outgoing/job-store.ts';
import type { PasswordPolicy } from '../passwords/policy.ts';
import type { Introspect } from '../services/introspection.ts';

/** The parts that a feature is opened with. */
export interface FeatureParts extends Dependencies {
  logger: Logger;
  /** Runs the work for which an answer does not wait. */
  background: Background;
  /** How a sign-in ends, for a feature that begins one. */
  signing: SigningIn;
  /** Absent without `data_encryption_key`; a feature that says so (`encryptsWith`) has it. */
  encryption: DataEncryption | undefined;
  /** The rules for new passwords, to which a feature may add one. */
  passwordPolicy: PasswordPolicy;
  rateLimits: { limits: RateLimits };
  /** Where deliveries are stored; absent while they wait in memory. */
  store: JobStore | undefined;
  /** Returns the time by the clock of the database. */
  databaseNow: () => Promise<Date>;
  /** Makes an audited act of the command line. */
  defineAct: DefineAct;
  /** How time is measured that an answer may wait; absent for timers. */
  schedule: Schedule | undefined;
  /** Absent while metrics are off. */
  meter: Meter | undefined;
}

/** The facts about a token or key for an operator: no more of its text than its parts. */
export interface Inspection {
  kind: 'access_token' | 'api_key';
  /** Of a token: its header. */
  header?: object;
  /** Of a token its claims, of a key what is stored. */
  claims: object;
  /** Of a token: the key that its header names, where it is one of Gatehouse's. */
  key?: object | null;
  active: boolean;
}

/** A feature that is switched on: its part of an instance. */
export interface OpenFeature extends LifeCycleHooks {
  /** The operations that the doors offer. */
  operations?: object;
  /** How its authenticators are proved. */
  factor?: FactorProof;
  /** Its paths below `/.well-known`. */
  wellKnown?: WellKnownPaths;
  /** Returns what a token or key of its own means for an API that asks (CONTRACT §16.4). */
  introspect?: Introspect;
  /** Tells an operator about a token or key of its own (`svc token inspect`); null for a text that is none. */
  inspect?: (text: string) => Promise<Inspection | null>;
  /** Returns its members of the server API, which `serverApi` of its declaration names. */
  members?: (host: HostRequests) => object;
  /** Checks the access tokens of an API of the configuration. */
  verifierOf?: VerifierOf;
  /** Returns what it adds to the kit for tests of a host. */
  testKit?: () => object;
  /** Its work of every hour in each process that serves, and of each purge. */
  upkeep?: () => Promise<void>;
  /** Paths of the API that are of no operation: each answers every method. */
  answers?: Answers;
  /** Documents below `issuer`, found by the path that the client sent, wherever the handler is mounted (CONTRACT §16.2). */
  issuerDocuments?: HttpHandler;
  /** The session that a browser keeps: for guards, and as the header by which a browser keeps it or, for null, forgets it. */
  browser?: { sessions: BrowserSessions; setCookie(token: string | null): string };
  /** Adds to the schema that GraphQL serves what no operation is; the schema of the instance stays without it. */
  extendSchema?: ExtendSchema;
  /** The GraphQL documents that alone are executed. */
  documents?: OnlyDocuments;
  /**
   * Makes what it needs in the database, which is up to date. Called at each start, and by each check of readiness until it
   * has succeeded.
   * @throws when this instance cannot serve
   */
  prepare?: () => Promise<void>;
  /** The work that its commands ask for. */
  operator?: object;
  /** Runs a handler of the host with every such event, from where it is stored, until the returned function is called. */
  onStored?: (
    event: string,
    name: string,
    handler: (event: never, delivery: EventDelivery) => unknown,
  ) => () => void;
  /** Stores each audit record before its act is answered, so that the log has only those that it cannot store. */
  storeRecord?: StoreRecord;
  /** Returns how many of the targets that it delivers to are switched off, for the overview of administrators. */
  switchedOff?: () => Promise<number>;
  /** Returns the states of its parts, for operators. */
  status?: () => Readonly<Record<string, StatusCheck>>;
}
