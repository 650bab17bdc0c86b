import type { Step } from '../schema-state.ts';

/** The names of every step of the SQL schema, oldest first. A released step keeps its name, its number and its place. */
export const stepNames = [
  '0001-initial',
  '0002-search',
  '0003-contested',
  '0004-identity-issuer',
  '0005-bound-codes',
  '0006-search-beginnings',
  '0007-strong-sign-in',
  '0008-user-fields',
  '0009-password-failures',
  '0010-several-providers',
  '0011-outbox',
  '0012-webhooks',
  '0013-audit',
  '0014-not-me',
  '0015-search-order',
  '0016-confirmed-phones',
  '0017-reported-accounts',
  '0018-password-form',
  '0019-list-order',
  '0020-hour-counts',
  '0021-signing-keys',
  '0022-password-set-at',
  '0023-locales',
  '0024-api-keys',
  '0025-signed-up-at',
] as const;

export type StepName = (typeof stepNames)[number];

/**
 * Every step, without its work, for which the ORM is needed. Each so far only adds to what the first version knows, so that
 * an instance of that version can run beside it.
 */
export const steps: readonly (Step & { name: StepName })[] = stepNames.map(name => ({
  name,
  compatibleFrom: '0001-initial',
}));
