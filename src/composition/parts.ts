import type { Clock, Schedule } from '../clock.ts';
import type { HashCost } from '../crypto/schemes/argon2.ts';
import type { Hooks } from '../domain/hooks.ts';
import type { Limiter } from '../limits/rate-limit.ts';
import type { Logger } from '../logger.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { SmsSender } from '../sms/sender.ts';

/** Parts that a host may supply in place of Gatehouse's own. */
export interface Parts {
  clock?: Clock;
  mailer?: Mailer;
  smsSender?: SmsSender;
  limiter?: Limiter;
  logger?: Logger;
  /** The acts before which the host is asked. */
  hooks?: Hooks;
}

/** The parts of an instance beside its configuration. */
export interface AssembleParts extends Parts {
  logger: Logger;
  /** Where the console mailer writes its plain lines, in place of the logger. */
  write?: (text: string) => void;
  /** Cheaper hashes, for tests only; no host and no configuration can set this. */
  hashCost?: HashCost;
  /** Whether an operation waits for the work and the messages that it has begun; for the tests of a host. */
  settles?: boolean;
  /** How the time that a hook, and an audit record, may take is measured; for tests. */
  schedule?: Schedule;
  /** Whether it sends only what it stores itself, as a command does; a server also sends what others have left. */
  sendsOwnOnly?: boolean;
  /** The operating-system user of the command line, for the audit. */
  osUser?: string;
  /** How many processes share the machine: each hashes correspondingly fewer passwords at once. */
  processes?: number;
  /** The path of the inbox of development, to which the pages then lead. */
  developmentInbox?: string;
  graphqlIde?: boolean;
  graphqlIntrospection?: boolean;
}
