import { z } from 'zod';
import { count, id, time } from '../../contract/views/fields.ts';
import { pageOf } from '../../contract/views/pages.ts';
import type { StoredAuditRecord } from './table.ts';

const outcome = z.enum(['ok', 'refused', 'failed']).meta({
  id: 'AuditOutcome',
  description: 'Done, refused for a reason that `code` names, or failed on the side of the service.',
  values: {
    ok: 'It was done.',
    refused: 'It was refused, for a reason that `code` names.',
    failed: 'It failed on the side of the service.',
  },
});
const code = z
  .string()
  .nullable()
  .describe('Why it was refused (an error code), or what is still required: `mfa_required`.');
const ip = z.string().nullable().describe('The address of the client.');

export const AuditRecordView = z
  .object({
    id: id.describe('The id of the record.'),
    at: time.describe('When it ended; of several acts, the first.'),
    operation: z.string().describe('What was done.'),
    by: z.enum(['self', 'admin', 'cli', 'host', 'system']).meta({
      id: 'AuditActorRole',
      description:
        'Who acted: a user, a superuser, an operator at the command line, the application, or Gatehouse by itself.',
      values: {
        self: 'The user whose session it was, or somebody without a session.',
        admin: 'A superuser.',
        cli: 'An operator at the command line.',
        host: 'The application, by the server API.',
        system: 'Gatehouse by itself, because it was time.',
      },
    }),
    actor: z
      .string()
      .nullable()
      .describe(
        'The id of the user whose session it was; on the command line a user of the operating system. Null without a session.',
      ),
    actor_email: z
      .string()
      .optional()
      .describe('With `with_addresses`: the address that the actor has now; absent without an account.'),
    subject: z.string().nullable().describe('The id of the user whom it concerned.'),
    subject_email: z
      .string()
      .optional()
      .describe('With `with_addresses`: the address that this user has now; absent without an account.'),
    outcome,
    code,
    changes: z
      .array(z.string())
      .nullable()
      .describe(
        'What was changed, where the operation does not say it: names of fields, a flag with its value.',
      ),
    count: count.describe(
      'For how many acts it stands: equal refusals without a session are one record a minute. Of one look at several accounts, how many these were.',
    ),
    ip,
    request_id: z.string().nullable().describe('The id of the request in the log.'),
  })
  .meta({ id: 'AuditRecord', description: 'An act that is relevant to security.' });
export type AuditRecordView = z.infer<typeof AuditRecordView>;

export const toAuditRecordView = (row: StoredAuditRecord): AuditRecordView => ({
  id: row.id,
  at: row.at.toISOString(),
  operation: row.operation,
  by: row.by,
  actor: row.actor,
  subject: row.subject,
  outcome: row.outcome,
  code: row.code,
  changes: row.changes === '' ? [] : (row.changes?.split(',') ?? null),
  count: row.count,
  ip: row.ip,
  request_id: row.requestId,
});

export const AuditPage = pageOf(AuditRecordView, {
  id: 'AuditPage',
  description: 'A page of audit records.',
});
export type AuditPage = z.infer<typeof AuditPage>;

export const ActivityView = z
  .object({
    id: id.describe('Identifies the act.'),
    at: time.describe('When it ended.'),
    operation: z.string().describe('What was done.'),
    outcome,
    code,
    ip,
    device: z.string().nullable().describe('The browser and system: "Firefox on Linux".'),
  })
  .meta({ id: 'Activity', description: 'An act of the owner of the account, or in the name of the owner.' });
export type ActivityView = z.infer<typeof ActivityView>;

export const toActivityView = (row: StoredAuditRecord): ActivityView => ({
  id: row.id,
  at: row.at.toISOString(),
  operation: row.operation,
  outcome: row.outcome,
  code: row.code,
  ip: row.ip,
  device: row.device,
});

export const ActivityPage = pageOf(ActivityView, {
  id: 'ActivityPage',
  description: 'A page of acts of the owner of the account.',
});
export type ActivityPage = z.infer<typeof ActivityPage>;
