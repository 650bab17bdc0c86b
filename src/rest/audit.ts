import type { ActivityService } from '../services/activity.ts';
import type { AuditService } from '../services/audit.ts';
import { type Route, route } from './route.ts';

export const auditRoutes = (audit: AuditService): Route[] => [
  route('GET', '/admin/audit', audit.listRecords),
];

export const activityRoutes = (activity: ActivityService): Route[] => [
  route('GET', '/activity', activity.list),
];
