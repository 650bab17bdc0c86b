import type { SessionsService } from '../services/sessions.ts';
import { type Field, mutation, query } from './field.ts';

export const sessionsFields = (sessions: SessionsService): Field[] => [
  query(sessions.list),
  mutation(sessions.end),
  mutation(sessions.endOthers),
];
