import type { ActivityService } from '../services/activity.ts';
import type { AuditService } from '../services/audit.ts';
import { connection, type Field } from './field.ts';

export const auditFields = (audit: AuditService): Field[] => [connection(audit.listRecords, 'id')];

export const activityFields = (activity: ActivityService): Field[] => [connection(activity.list, 'id')];
