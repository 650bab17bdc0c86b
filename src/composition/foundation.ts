import { type Clock, systemClock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import { createCodes } from '../crypto/codes.ts';
import { createDataEncryption, type DataEncryption } from '../crypto/data-key.ts';
import { PasswordHasher } from '../crypto/password-hash.ts';
import { openArgon2 } from '../crypto/schemes/argon2.ts';
import { Tokens } from '../crypto/tokens.ts';
import type { KnownWork } from '../crypto/workload.ts';
import { Background } from '../domain/background.ts';
import { type LifetimesConfig, lifetimesOf } from '../domain/issuing.ts';
import { EventHub } from '../events.ts';
import { createRefusals } from '../limits/lockout.ts';
import { openRateLimits, type RateLimitConfig } from '../limits/open.ts';
import { guarded } from '../logger.ts';
import { createMessages, type MessagesConfig } from '../mail/messages.ts';
import { openMailer } from '../mail/open.ts';
import { createOutbox, letterFormat, mailDelivery } from '../mail/outbox.ts';
import { createMailTemplates } from '../mail/templates.ts';
import { type Counts, countStored } from '../observability/metrics.ts';
import { openObservability } from '../observability/open.ts';
import { JobStore } from '../outgoing/job-store.ts';
import { MemoryMessageQueue } from '../outgoing/memory-message-queue.ts';
import type { Delivery, MessageQueue } from '../outgoing/message-queue.ts';
import { createStoredMessageQueue, type MessageFormat } from '../outgoing/stored-message-queue.ts';
import { createPasswordPolicy, type PasswordRules } from '../passwords/policy.ts';
import { openSmsSender } from '../sms/open.ts';
import { textDelivery, textFormat } from '../sms/sender.ts';
import { openStorage } from '../storage/open.ts';
import { type StorageConfig, storageOptionsOf } from '../storage/options.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { LoginAttempt } from '../tables/login-attempt.ts';
import { packageVersion } from '../version.ts';
import { createLanguages, type Languages } from '../words/languages.ts';
import type { LocaleSettings } from '../words/local-files.ts';
import type { AssembleParts } from './parts.ts';

type CryptographyConfig = LifetimesConfig &
  Pick<Config, 'jwtSecret' | 'jwtSecretPrevious' | 'jwtAlgorithm' | 'jwtAudience'> &
  Pick<Config, 'dataEncryptionKey' | 'dataEncryptionKeyPrevious' | 'smsCodeLength'>;

type DeliveryConfig = MessagesConfig & Pick<Config, 'email' | 'sms' | 'extraTemplateDirs' | 'mailStore'>;

/** The parts that a configuration gives before there are accounts. */
type FoundationConfig = CryptographyConfig &
  DeliveryConfig &
  PasswordRules &
  RateLimitConfig &
  StorageConfig &
  LocaleSettings &
  Pick<Config, 'databaseUrl' | 'enableMetrics'>;

export type Foundation = Awaited<ReturnType<typeof openFoundation>>;

/** How long `close` waits for messages that are still being delivered, in milliseconds. */
const drainMs = 5000;

/** Waits for a step of the start. When it fails, closes what was opened before it. */
export const orClose = <T>(step: Promise<T>, close: () => Promise<void>): Promise<T> =>
  step.catch(async error => {
    await close().catch(() => {});
    throw error;
  });

/** Step one: everything that knows nothing of accounts. Storage, cryptography, deliveries, limits, observability. */
export async function openFoundation(config: FoundationConfig, parts: AssembleParts) {
  const { clock = systemClock } = parts;
  const logger = guarded(parts.logger);
  const events = new EventHub(logger);
  const background = new Background(logger, parts.settles ? () => 0 : undefined);
  // Asked for with the first sign-in, when the tables are there.
  const readImported = () => storage.repositories.challenges.readImportedWork();
  const cryptography = await openCryptography(config, { ...parts, logger, clock, readImported });
  const passwordPolicy = createPasswordPolicy(config);
  const languages = createLanguages(config);

  const refusals = createRefusals();
  const counts = (): Counts => ({
    hashing: cryptography.hasher.load,
    lockouts: refusals,
    mail: delivery.mails.state,
    text: delivery.texts.state,
  });
  const { audit, metrics, watch } = await openObservability({
    clock,
    logger,
    counts,
    stored: config.mailStore === 'database' ? () => countStored(storage.repositories) : undefined,
    secret: config.jwtSecret.reveal(),
    version: packageVersion(),
    enableMetrics: config.enableMetrics,
    emit: record => void events.emit('audit', record),
    osUser: parts.osUser ?? null,
  });
  /** Whether it serves, and is neither a command nor a test. */
  const isServer = !parts.sendsOwnOnly && !parts.settles;
  const storage = await openStorage(config.databaseUrl.parsed(), {
    ...storageOptionsOf(config),
    onCall: metrics?.database,
    warnOfServer: isServer ? logger.warn : undefined,
  });
  const { repositories } = storage;
  const { encryption } = cryptography;
  const rateLimits = await orClose(
    openRateLimits(config, storage.openCounters, parts.limiter, logger),
    storage.close,
  );
  async function closeStores(): Promise<void> {
    await rateLimits.close();
    await storage.close();
  }
  const delivery = await orClose(
    openDelivery(config, { ...parts, logger, languages, repositories, encryption }),
    closeStores,
  );

  return {
    ...cryptography,
    ...delivery,
    isServer,
    passwordPolicy,
    languages,
    clock,
    logger,
    events,
    background,
    refusals,
    counts,
    audit,
    metrics,
    watch,
    storage,
    rateLimits,
    async close(): Promise<void> {
      await background.drain();
      const { mailer, outbox, texts } = delivery;
      const [mails, textMessages] = await Promise.all([outbox.drain(drainMs), texts.drain(drainMs)]);
      const undelivered = mails.undelivered + textMessages.undelivered;
      if (undelivered > 0) logger.warn({ undelivered }, 'messages were not delivered before shutdown');
      try {
        await mailer.close?.();
      } finally {
        await closeStores();
      }
    },
  };
}

interface CryptographyParts extends AssembleParts {
  clock: Clock;
  readImported: () => Promise<KnownWork>;
}

async function openCryptography(config: CryptographyConfig, parts: CryptographyParts) {
  const { clock, logger, hashCost, processes, readImported } = parts;
  const encryption =
    config.dataEncryptionKey &&
    createDataEncryption(config.dataEncryptionKey.reveal(), config.dataEncryptionKeyPrevious?.reveal());
  const secrets = { secret: config.jwtSecret.reveal(), previousSecret: config.jwtSecretPrevious?.reveal() };
  return {
    tokens: new Tokens({
      ...secrets,
      algorithm: config.jwtAlgorithm,
      audience: config.jwtAudience,
      clock,
      lifetimes: lifetimesOf(config),
    }),
    codes: createCodes({ ...secrets, length: config.smsCodeLength }),
    encryption,
    hasher: new PasswordHasher({
      ...{ cost: hashCost, argon2: await openArgon2(), processes, encryption, readImported },
      onUnusable: (user_id, reason) =>
        logger.error({ user_id, reason }, 'a stored password hash cannot be checked'),
    }),
  };
}

interface DeliveryParts extends AssembleParts {
  repositories: Repositories;
  encryption: DataEncryption | undefined;
  languages: Languages;
}

async function openDelivery(config: DeliveryConfig, parts: DeliveryParts) {
  const { logger, languages, write, repositories, encryption, sendsOwnOnly = false } = parts;
  const mailer = parts.mailer ?? (await openMailer(config.email, logger, write));
  const smsSender = parts.smsSender ?? (await openSmsSender(config.sms, logger, write));
  const messages = createMessages({ templates: createMailTemplates(config), config, languages });
  // The configuration is refused without the key.
  const store =
    config.mailStore === 'database'
      ? new JobStore({ rows: repositories.outbox, encryption: encryption!, logger, polls: !sendsOwnOnly })
      : undefined;
  const openQueue = <M extends object>(delivery: Delivery<M>, format: MessageFormat<M>): MessageQueue<M> =>
    store
      ? createStoredMessageQueue(delivery, format, { store, logger })
      : new MemoryMessageQueue({ ...delivery, logger });
  const release = async (slot: LoginAttempt) => void (await repositories.attempts.remove(slot));
  const mails = openQueue(mailDelivery({ mailer, messages, logger, release }), letterFormat);
  const texts = openQueue(textDelivery(smsSender), textFormat);
  return {
    ...{ mailer, mails, texts, messages, store, outbox: createOutbox({ queue: mails }) },
  };
}
