import type { SessionService } from '../services/session.ts';
import { type Field, mutation } from './field.ts';

export const sessionFields = ({ logout }: SessionService): Field[] => [mutation(logout)];
