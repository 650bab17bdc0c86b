import type { Registration } from '../services/registration.ts';
import { type Field, mutation } from './field.ts';

export const registrationFields = (registration: Registration): Field[] => [
  mutation(registration.register),
  mutation(registration.verify),
  mutation(registration.resendVerification),
];
