import type { Outcome, Report } from '../check.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Logger } from '../logger.ts';
import { checkAddresses } from './addresses.ts';
import { checkDatabase } from './database.ts';
import { checkMail, checkTextMessages } from './deliveries.ts';
import { checkDns, type NameResolver } from './dns.ts';
import { checkExternalSignIn } from './external-sign-in.ts';
import type { Finding } from './finding.ts';

export interface CheckupOptions {
  logger: Logger;
  report: Report;
  /** Also look the domain names up. */
  dns?: boolean | undefined;
  resolver?: NameResolver;
  /** Also send one mail there. */
  testRecipient?: string | undefined;
}

/** Looks at everything that a configuration leads to, and changes nothing but one count of requests. */
export async function checkUp(
  { config, filesRead, warnings }: LoadedConfig,
  options: CheckupOptions,
): Promise<void> {
  const { logger, report } = options;
  const say = (name: string, outcome: Outcome, detail: string) => report({ name, outcome, detail });
  const sayAll = (name: string, findings: Finding[]) => {
    for (const finding of findings) say(name, ...finding);
  };

  say('configuration', 'ok', filesRead.join(' and ') || 'environment and defaults alone');
  for (const warning of warnings) say('configuration', 'warn', warning);
  sayAll('addresses', checkAddresses(config));
  for (const { name, finding } of await checkDatabase(config)) say(name, ...finding);
  sayAll('mail', await checkMail(config, logger, options.testRecipient));
  say('text messages', ...(await checkTextMessages(config, logger)));
  say('sign-in', ...(await checkExternalSignIn(config)));
  if (options.dns) sayAll('dns', await checkDns(config, options.resolver));
}
