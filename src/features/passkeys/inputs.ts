import { z } from 'zod';
import { challengeId, credential, setupChoices, setupId } from '../../contract/inputs/authenticators.ts';

export const ConfirmPasskeySetupInput = z.strictObject({ id: setupId, credential, ...setupChoices });

export const LoginWithPasskeyInput = z.strictObject({ id: challengeId, credential });
