import type { LoadedConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import type { Logger } from '../../logger.ts';
import type { Outcome, Report } from '../check.ts';
import { checkAddresses } from './addresses.ts';
import { checkDatabase } from './database.ts';
import { checkMail, checkTextMessages } from './deliveries.ts';
import { checkDns } from './dns.ts';
import { checkExternalSignIn } from './external-sign-in.ts';
import { checkFeatureSettings } from './features.ts';
import type { Finding } from './finding.ts';
import { checkLanguages } from './languages.ts';
import { checkPackages } from './packages.ts';
import { rulesForPasswords } from './passwords.ts';
import { checkProxies } from './proxies.ts';
import { checkResources } from './resources.ts';
import { checkTemplates } from './templates.ts';

export interface CheckupOptions {
  logger: Logger;
  report: Report;
  /** Also look up the domain names. */
  dns?: boolean | undefined;
  /** Also send one email to this address. */
  testRecipient?: string | undefined;
}

/** Checks everything that a configuration refers to, and changes nothing but one count of requests. */
export async function checkUp(
  { config, filesRead, warnings }: LoadedConfig,
  options: CheckupOptions,
): Promise<void> {
  const { logger, report } = options;
  const say = (name: string, outcome: Outcome, detail: string) => report({ name, outcome, detail });
  const sayAll = (name: string, findings: Finding[]) => {
    for (const finding of findings) say(name, ...finding);
  };

  say('configuration', 'ok', filesRead.join(' and ') || 'environment and defaults only');
  for (const warning of warnings) say('configuration', 'warn', warning);
  sayAll('packages', checkPackages(config));
  sayAll('addresses', checkAddresses(config));
  say('proxies', ...checkProxies(config));
  for (const { name, finding } of await checkDatabase(config)) say(name, ...finding);
  const { graphql, passwords, ...others } = await checkFeatureSettings(config);
  sayAll('templates', await checkTemplates(config));
  sayAll('languages', checkLanguages(config));
  sayAll('resources', checkResources(config));
  sayAll('graphql', graphql ?? [checkGraphql(config)]);
  sayAll('mail', await checkMail(config, logger, options.testRecipient));
  say('text messages', ...(await checkTextMessages(config, logger)));
  sayAll('passwords', passwords ?? [['ok', `${rulesForPasswords(config)}; not checked for breaches`]]);
  for (const [name, findings = []] of Object.entries(others)) sayAll(name, findings);
  sayAll('sign-in', await checkExternalSignIn(config));
  if (options.dns) sayAll('dns', await checkDns(config));
}

const checkGraphql = ({ enableGraphql }: Config): Finding =>
  enableGraphql ? ['ok', 'any document within the limits is executed'] : ['ok', 'off (enable_graphql)'];
