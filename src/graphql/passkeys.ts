import type { PasskeysService } from '../services/passkeys.ts';
import { type Field, mutation } from './field.ts';

export const passkeysFields = (passkeys: PasskeysService): Field[] => [
  mutation(passkeys.startPasskeySetup),
  mutation(passkeys.confirmPasskeySetup),
  mutation(passkeys.startPasskeyLogin),
  mutation(passkeys.loginWithPasskey),
];
