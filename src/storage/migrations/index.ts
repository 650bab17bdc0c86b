import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { TableNames } from '../../tables/index.ts';
import type { IdentityIssuers } from '../../tables/oauth-identity.ts';
import { initial } from './0001-initial.ts';
import { search } from './0002-search.ts';
import { contested } from './0003-contested.ts';
import { identityIssuer } from './0004-identity-issuer.ts';
import { boundCodes } from './0005-bound-codes.ts';
import { searchBeginnings } from './0006-search-beginnings.ts';
import { strongSignIn } from './0007-strong-sign-in.ts';
import { userFields } from './0008-user-fields.ts';
import { passwordFailures } from './0009-password-failures.ts';
import { severalProviders } from './0010-several-providers.ts';
import { outbox } from './0011-outbox.ts';
import { webhooks } from './0012-webhooks.ts';
import { audit } from './0013-audit.ts';
import { notMe } from './0014-not-me.ts';
import { searchOrder } from './0015-search-order.ts';
import { confirmedPhones } from './0016-confirmed-phones.ts';
import { reportedAccounts } from './0017-reported-accounts.ts';
import { passwordForm } from './0018-password-form.ts';
import { listOrder } from './0019-list-order.ts';
import { hourCounts } from './0020-hour-counts.ts';
import { signingKeys } from './0021-signing-keys.ts';
import { passwordSetAt } from './0022-password-set-at.ts';
import { locales } from './0023-locales.ts';
import { apiKeys } from './0024-api-keys.ts';
import { signedUpAt } from './0025-signed-up-at.ts';
import { type StepName, steps } from './names.ts';
import type { SqlBackend, SqlStep } from './step.ts';

/** Returns every step of the SQL schema, oldest first. A released step is never changed. */
export function createMigrations(
  names: TableNames,
  dialect: SqlBackend,
  issuers: IdentityIssuers,
): SqlStep[] {
  const classes: Record<StepName, Constructor<Migration>> = {
    '0001-initial': initial(names, dialect),
    '0002-search': search(names, dialect),
    '0003-contested': contested(names, dialect),
    '0004-identity-issuer': identityIssuer(names, dialect, issuers),
    '0005-bound-codes': boundCodes(names),
    '0006-search-beginnings': searchBeginnings(names, dialect),
    '0007-strong-sign-in': strongSignIn(names, dialect),
    '0008-user-fields': userFields(names, dialect),
    '0009-password-failures': passwordFailures(names, dialect),
    '0010-several-providers': severalProviders(names, dialect, issuers),
    '0011-outbox': outbox(names, dialect),
    '0012-webhooks': webhooks(names, dialect),
    '0013-audit': audit(names, dialect),
    '0014-not-me': notMe(names, dialect),
    '0015-search-order': searchOrder(names, dialect),
    '0016-confirmed-phones': confirmedPhones(names, dialect),
    '0017-reported-accounts': reportedAccounts(names, dialect),
    '0018-password-form': passwordForm(names, dialect),
    '0019-list-order': listOrder(names, dialect),
    '0020-hour-counts': hourCounts(names, dialect),
    '0021-signing-keys': signingKeys(names, dialect),
    '0022-password-set-at': passwordSetAt(names, dialect),
    '0023-locales': locales(names, dialect),
    '0024-api-keys': apiKeys(names, dialect),
    '0025-signed-up-at': signedUpAt(names, dialect),
  };
  return steps.map(step => ({ ...step, class: classes[step.name] }));
}
