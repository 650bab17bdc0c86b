import type { Clock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import type { UserViews } from '../contract/views/account.ts';
import type { Tokens } from '../crypto/tokens.ts';
import type { EventHub } from '../events.ts';
import type { Lockout } from '../limits/lockout.ts';
import type { Locks } from '../limits/locks.ts';
import type { MailCap } from '../limits/mail-cap.ts';
import type { SmsCap } from '../limits/sms-cap.ts';
import type { Outbox } from '../mail/outbox.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { Authentication } from './authentication.ts';
import type { Authenticators } from './authenticators.ts';
import type { ConsecutiveFailures } from './consecutive-failures.ts';
import type { Factors } from './factors.ts';
import type { HookRunner } from './hooks.ts';
import type { Issuing } from './issuing.ts';
import type { LifeCycle } from './life-cycle.ts';
import type { NewPasswords } from './new-passwords.ts';
import type { Notices } from './notices.ts';
import type { Define } from './operation.ts';
import type { PasswordLinks } from './password-links.ts';
import type { Reauthentication } from './reauthentication.ts';
import type { RecoveryCodes } from './recovery-codes.ts';
import type { Removal } from './removal.ts';
import type { SecondFactor } from './second-factor.ts';
import type { SessionList } from './session-list.ts';
import type { SessionRules } from './session-rules.ts';
import type { StepFailures } from './step-failures.ts';
import type { Verification } from './verification.ts';

/** How often somebody may guess, and how much is sent to one address or phone. */
export interface Limits {
  lockout: Lockout;
  locks: Locks;
  consecutiveFailures: ConsecutiveFailures;
  stepFailures: StepFailures;
  mailCap: MailCap;
  smsCap: SmsCap;
}

/** The emails to people. */
export interface Mails {
  outbox: Outbox;
  notices: Notices;
  verification: Verification;
  passwordLinks: PasswordLinks;
}

/** Sessions, and the tokens that stand for them, for links and for sign-ins in progress. */
export interface Sessions {
  authentication: Authentication;
  tokens: Tokens;
  issuing: Issuing;
  /** The demands on a session beyond its validity. */
  rules: SessionRules;
  /** Absent while `enable_session_list` is off. */
  sessionList: SessionList | undefined;
}

/** Authenticators, recovery codes and the phone, and whether an account has a second step by them. */
export interface StrongSignIn {
  factors: Factors;
  authenticators: Authenticators;
  recoveryCodes: RecoveryCodes;
  secondFactor: SecondFactor;
}

/** The parts that services have in common; each takes the few that it needs. A part that one service alone needs is given to it alone. */
export interface Dependencies {
  config: Config;
  clock: Clock;
  repositories: Repositories;
  /** How users are shown; what the configuration adds to every user is among it. */
  views: UserViews;
  define: Define;
  events: EventHub;
  hooks: HookRunner;
  /** Calls the hooks of features. */
  lifeCycle: LifeCycle;
  limits: Limits;
  mails: Mails;
  passwords: NewPasswords;
  reauthentication: Reauthentication;
  removal: Removal;
  sessions: Sessions;
  strongSignIn: StrongSignIn;
}
