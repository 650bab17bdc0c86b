import type { Phone } from '../services/phone.ts';
import { type Field, mutation } from './field.ts';

export const phoneFields = (phone: Phone): Field[] => [
  mutation(phone.startPhoneSetup),
  mutation(phone.confirmPhoneSetup),
  mutation(phone.disablePhone),
];
