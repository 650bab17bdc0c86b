import type { TotpService } from '../services/totp.ts';
import { type Field, mutation } from './field.ts';

export const totpFields = (totp: TotpService): Field[] => [
  mutation(totp.startTotpSetup),
  mutation(totp.confirmTotpSetup),
];
