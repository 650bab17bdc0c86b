import type { Clock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import type { UserViews } from '../contract/views/account.ts';
import type { Codes } from '../crypto/codes.ts';
import type { PasswordVerifier } from '../crypto/password-hash.ts';
import type { Tokens } from '../crypto/tokens.ts';
import type { EventHub } from '../events.ts';
import type { Lockout } from '../limits/lockout.ts';
import type { MailCap } from '../limits/mail-cap.ts';
import type { SmsCap } from '../limits/sms-cap.ts';
import type { Logger } from '../logger.ts';
import type { Outbox } from '../mail/outbox.ts';
import type { Watch } from '../observability/watch.ts';
import type { MessageQueue } from '../outgoing/attempt.ts';
import type { Webhooks } from '../outgoing/webhooks.ts';
import type { TextMessage } from '../sms/sender.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { Authenticators } from './authenticators.ts';
import type { Background } from './background.ts';
import type { ConsecutiveFailures } from './consecutive-failures.ts';
import type { Deferred } from './deferred.ts';
import type { Factors } from './factors.ts';
import type { HookRunner } from './hooks.ts';
import type { Issuing } from './issuing.ts';
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
import type { Superusers } from './superusers.ts';
import type { Unlocking } from './unlocking.ts';
import type { Verification } from './verification.ts';

/** Everything that services depend on; each service takes the few that it needs. */
export interface Dependencies {
  config: Config;
  clock: Clock;
  repositories: Repositories;
  /** How users are shown; what the configuration adds to every user is among it. */
  views: UserViews;
  tokens: Tokens;
  /** Checks passwords. A chosen one is hashed by `passwords` alone. */
  hasher: PasswordVerifier;
  passwords: NewPasswords;
  outbox: Outbox;
  notices: Notices;
  events: EventHub;
  hooks: HookRunner;
  background: Background;
  deferred: Deferred;
  issuing: Issuing;
  lockout: Lockout;
  consecutiveFailures: ConsecutiveFailures;
  mailCap: MailCap;
  smsCap: SmsCap;
  codes: Codes;
  texts: MessageQueue<TextMessage>;
  reauthentication: Reauthentication;
  removal: Removal;
  passwordLinks: PasswordLinks;
  secondFactor: SecondFactor;
  factors: Factors;
  sessionRules: SessionRules;
  authenticators: Authenticators;
  recoveryCodes: RecoveryCodes;
  /** Absent while `enable_session_list` is off. */
  sessionList: SessionList | undefined;
  superusers: Superusers;
  unlocking: Unlocking;
  verification: Verification;
  /** Absent while the configuration has none. */
  webhooks: Webhooks | undefined;
  logger: Logger;
  watch: Watch;
  define: Define;
}
