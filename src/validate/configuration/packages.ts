import type { Config } from '../../config/schema.ts';
import { everyFeature } from '../../feature-parts.ts';
import { createRateLimits } from '../../limits/rate-limit.ts';
import { providersOf } from '../../oauth/settings.ts';
import { isInstalled, lackOf } from '../../optional.ts';
import type { Finding } from './finding.ts';

/** An optional package that a configuration requires, and the setting that requires it. */
interface Need {
  name: string;
  purpose: string;
}

/** Checks whether every optional package that the configuration requires is installed. */
export function checkPackages(config: Config, isThere = isInstalled): Finding[] {
  const needs = needsOf(config);
  const lacking = needs.filter(({ name }) => !isThere(name));
  if (lacking.length > 0) return lacking.map(({ name, purpose }) => ['fail', lackOf(name, purpose)]);
  if (needs.length === 0) return [['ok', 'none is needed beside the package itself']];
  return [['ok', `${needs.map(({ name }) => name).join(', ')} can be loaded`]];
}

function needsOf(config: Config): Need[] {
  const { backend } = config.databaseUrl.parsed();
  const hasLimits = createRateLimits(config, null).isConfigured;
  const needs: [isNeeded: unknown, name: string, purpose: string][] = [
    [backend === 'postgresql', '@mikro-orm/postgresql', 'PostgreSQL'],
    [backend === 'mongodb', '@mikro-orm/mongodb', 'MongoDB'],
    [hasLimits, 'rate-limiter-flexible', 'Each *_rate_limit'],
    [hasLimits && config.rateLimitStoreUrl, 'ioredis', 'rate_limit_store_url'],
    [config.enableMetrics, 'prom-client', 'enable_metrics'],
    [config.email.backend === 'ses', '@aws-sdk/client-sesv2', 'email.backend = "ses"'],
    [config.sms.backend === 'sns', '@aws-sdk/client-sns', 'sms.backend = "sns"'],
    [providersOf(config).length > 0, 'openid-client', 'enable_oauth'],
  ];
  const ofFeatures = everyFeature.flatMap(feature => (feature.isOn(config) && feature.package) || []);
  return [
    ...needs.filter(([isNeeded]) => isNeeded).map(([, name, purpose]) => ({ name, purpose })),
    ...ofFeatures,
  ];
}
