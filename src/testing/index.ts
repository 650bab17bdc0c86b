import '../assert-node.ts';

import { resolve } from 'node:path';
import { type Schedule, scheduleOnTimer } from '../clock.ts';
import type { FeatureTestKit } from '../composition/features.ts';
import type { OpenFeature } from '../composition/open-feature.ts';
import type { Given, TestDelivery } from '../feature.ts';
import { everyFeature } from '../feature-parts.ts';
import { type Gatehouse, type GatehouseOptions, readOptions, startForHost } from '../gatehouse.ts';
import { consoleLogger, type Logger } from '../logger.ts';
import type { Mail, Mailer } from '../mail/mailer.ts';
import type { TextMessage } from '../sms/sender.ts';
import { cheapHash } from './cheap-hash.ts';
import { TestClock } from './clock.ts';
import { createPeople, type People } from './people.ts';
import { standInsFor } from './stand-ins.ts';

export type { TestDelivery } from '../feature.ts';
export type { Mail } from '../mail/mailer.ts';
export type { TextMessage } from '../sms/sender.ts';
export { TestClock } from './clock.ts';
export type { NewTestUser, SignInOptions, TestUser } from './people.ts';

/** An instance for the tests of an application. */
export interface TestGatehouse extends Gatehouse, People, FeatureTestKit {
  /** The time of the instance. It stands still until it is advanced. */
  readonly clock: TestClock;
  /** Every email so far, oldest first. Those of an operation are here when it has responded. */
  readonly mails: Mail[];
  /** Every text message so far, likewise. */
  readonly texts: TextMessage[];
  /** The deliveries to the webhooks of `svc.toml` so far, oldest first; nothing is sent. */
  readonly deliveries: TestDelivery[];
}

/** As `GatehouseOptions`; the secrets file of a test is made up. */
export interface TestOptions extends Omit<GatehouseOptions, 'configFile' | 'secretsFile'> {
  /** The configuration file: `svc.toml` in the working directory, where there is one, unless another is named; false for none. */
  configFile?: string | false | undefined;
}

/** Warnings and errors are what explains a failing test. */
const quietLogger: Logger = { ...consoleLogger, debug() {}, info() {}, audit() {} };

/** Runs at the end of the shorter one of two times. */
const earlierOf =
  (one: Schedule, other: Schedule): Schedule =>
  (ms, run) => {
    const cancels = [one(ms, run), other(ms, run)];
    return () => {
      for (const cancel of cancels) cancel();
    };
  };

/** Returns a sender that keeps what it sends, by the host's own one where there is one. */
function recording<M>(
  messages: M[],
  sender?: { send(message: M): Promise<void> } & Pick<Mailer, 'check' | 'close'>,
) {
  return {
    async send(message: M): Promise<void> {
      await sender?.send(message);
      messages.push(message);
    },
    ...(sender?.check && { check: () => sender.check!() }),
    close: async () => sender?.close?.(),
  };
}

/** A folder without configuration files. */
const elsewhere = import.meta.dirname;

/**
 * Returns an instance for the tests of an application, with its schema installed: in memory, with a clock that the test
 * moves, without servers, waiting and limits. It takes what `createGatehouse` takes, and everything that is given counts.
 * Of the configuration file counts what shapes the application: flags, own fields, roles, prefixes, URLs, policies. The
 * database, secrets, backends of emails and texts, webhooks, providers' addresses and limits are never those of a file, and
 * the environment is not read. Close it at the end.
 * @throws {ConfigError} with every problem of the options and the file
 * @throws {Error} in production, where passwords could be guessed without a limit
 * @example
 * const gatehouse = await createTestGatehouse();
 * const { user } = await gatehouse.createUser({ fullName: 'Ada Lovelace' });
 * const headers = { Authorization: `Bearer ${await gatehouse.signIn(user)}` };
 */
export async function createTestGatehouse(options: TestOptions = {}): Promise<TestGatehouse> {
  if (process.env.NODE_ENV === 'production') {
    throw new Error(
      'gatehouse-auth/testing has no limits and next to no password hashing, and sends nothing: with NODE_ENV=production, call createGatehouse.',
    );
  }
  const { configFile, ...given } = options;
  let file: Given = {};
  const { config, parts } = readOptions(given, {
    env: configFile ? { SVC_CONFIG: resolve(configFile) } : {},
    cwd: configFile === false ? elsewhere : process.cwd(),
    standIns(read) {
      file = read;
      return standInsFor(read);
    },
  });
  const clock = parts.clock instanceof TestClock ? parts.clock : new TestClock(parts.clock);
  const mails: Mail[] = [];
  const texts: TextMessage[] = [];

  const gatehouse = await startForHost(config, {
    ...parts,
    clock,
    schedule: earlierOf(clock.schedule, scheduleOnTimer),
    hashCost: cheapHash,
    settles: true,
    logger: parts.logger ?? quietLogger,
    mailer: recording(mails, parts.mailer),
    smsSender: recording(texts, parts.smsSender),
  });
  try {
    await gatehouse.installSchema();
  } catch (error) {
    await gatehouse.close();
    throw error;
  }
  const deliveries: TestDelivery[] = [];
  gatehouse.dependencies.events.recordWith(async (name, event) => {
    for (const { deliversInTests } of everyFeature)
      deliveries.push(...(deliversInTests?.(file, name, structuredClone(event)) ?? []));
  });
  const opened: readonly OpenFeature[] = Object.values(gatehouse.features);
  const kit: FeatureTestKit = Object.assign({}, ...opened.map(({ testKit }) => testKit?.()));
  return Object.assign(gatehouse, kit, {
    clock,
    mails,
    texts,
    deliveries,
    ...createPeople(gatehouse.dependencies, gatehouse.operations),
  });
}
