import { z } from 'zod';
import { whole } from '../../config/schema/fields.ts';
import { defineFeature } from '../../feature.ts';
import { type AuditRows, createAuditRows } from './rows.ts';
import { auditRecords } from './table.ts';

interface Setting {
  auditStore: 'log' | 'database';
}

const isOn = ({ auditStore }: Setting) => auditStore === 'database';

/** Audit records in the database, for administrators and for the owners of accounts (CONTRACT §12.3). */
export const auditStore = defineFeature({
  settings: {
    audit_store: z
      .enum(['log', 'database'], 'must be log or database')
      .default('log')
      .describe(
        'Where audit records go; in the database administrators can search them, and people see their own',
      ),
    audit_retention_days: whole(1, 36_500)
      .default(365)
      .describe('For how many days audit records stay in the database; `svc purge` removes older ones'),
  },
  isOn,
  shown: { activity: z.boolean().describe('Whether people can see the recent activity of their account.') },
  tables: { audit: auditRecords },
  repositories: { audit: createAuditRows },
  purges: {
    audit: ({ repositories, config, before }: AuditPurge) =>
      repositories.audit.purge(before(config.auditRetentionDays)),
  },
  whenOff: {
    name: 'audit',
    text: 'records are in the log (audit_store): nobody can search them here',
    of: 'database',
  },
  development: () => ({ auditStore: 'database' }),
  pages: (config: Setting) => ({ keeps_activity: isOn(config) }),
  sample: { auditStore: 'database' },
  load: () => import('./open.ts'),
  commands: () => import('./command.ts'),
});

export interface AuditPurge {
  repositories: { audit: AuditRows };
  config: { auditRetentionDays: number };
  before(days: number): Date;
}
