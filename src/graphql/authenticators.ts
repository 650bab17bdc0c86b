import type { AuthenticatorsService } from '../services/authenticators.ts';
import { type Field, mutation, query } from './field.ts';

export const authenticatorsFields = (authenticators: AuthenticatorsService): Field[] => [
  query(authenticators.list),
  mutation(authenticators.rename),
  mutation(authenticators.remove),
  mutation(authenticators.replaceRecoveryCodes),
];
