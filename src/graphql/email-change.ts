import type { EmailChange } from '../services/email-change.ts';
import { type Field, mutation } from './field.ts';

export const emailChangeFields = ({ changeEmail, confirmEmailChange }: EmailChange): Field[] => [
  mutation(changeEmail),
  mutation(confirmEmailChange),
];
