import type { SecondStepService } from '../services/second-step.ts';
import { type Field, mutation } from './field.ts';

export const secondStepFields = ({
  confirmLoginMfa,
  sendMfaCode,
  startMfaPasskey,
}: SecondStepService): Field[] => [
  mutation(confirmLoginMfa),
  ...(sendMfaCode ? [mutation(sendMfaCode)] : []),
  ...(startMfaPasskey ? [mutation(startMfaPasskey)] : []),
];
