import type { Clock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import type { Codes } from '../crypto/codes.ts';
import type { PasswordHasher } from '../crypto/password-hash.ts';
import type { Tokens } from '../crypto/tokens.ts';
import type { EventHub } from '../events.ts';
import type { Lockout } from '../limits/lockout.ts';
import type { MailCap } from '../limits/mail-cap.ts';
import type { SmsCap } from '../limits/sms-cap.ts';
import type { Logger } from '../logger.ts';
import type { Outbox } from '../mail/outbox.ts';
import type { Watch } from '../observability/watch.ts';
import type { OutgoingQueue } from '../outgoing/queue.ts';
import type { TextMessage } from '../sms/sender.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { Background } from './background.ts';
import type { Issuing } from './issuing.ts';
import type { Notices } from './notices.ts';
import type { Define } from './operation.ts';
import type { Reauthentication } from './reauthentication.ts';
import type { Removal } from './removal.ts';
import type { Superusers } from './superusers.ts';
import type { Verification } from './verification.ts';

/** What services are made of; each takes the few it needs. */
export interface Dependencies {
  config: Config;
  clock: Clock;
  repositories: Repositories;
  tokens: Tokens;
  hasher: PasswordHasher;
  outbox: Outbox;
  notices: Notices;
  events: EventHub;
  background: Background;
  issuing: Issuing;
  lockout: Lockout;
  mailCap: MailCap;
  smsCap: SmsCap;
  codes: Codes;
  texts: OutgoingQueue<TextMessage>;
  reauthentication: Reauthentication;
  removal: Removal;
  superusers: Superusers;
  verification: Verification;
  logger: Logger;
  watch: Watch;
  define: Define;
}
