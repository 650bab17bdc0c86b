import type { Reauthenticate } from '../services/reauthenticate.ts';
import { type Field, mutation } from './field.ts';

export const reauthenticateFields = (service: Reauthenticate): Field[] => [mutation(service.reauthenticate)];
