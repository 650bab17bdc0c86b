import type { Config } from '../config/schema.ts';
import { createTextedCodes, type TextedCodes, type Texting } from './codes.ts';
import type { Dependencies } from './dependencies.ts';
import { createSecondStep, type SecondStep } from './second-step.ts';
import { createSignIn, type SignIn } from './sign-in.ts';

/** How a sign-in ends, once its first factor is accepted. Features and services begin one. */
export interface SigningIn {
  signIn: SignIn;
  secondStep: SecondStep;
  /** Absent while `enable_sms_2fa` is off. */
  texted: TextedCodes | undefined;
}

export function createSigningIn(config: Config, parts: Dependencies, texting: Texting): SigningIn {
  const texted = config.enableSms2fa ? createTextedCodes(parts, texting) : undefined;
  const secondStep = createSecondStep({ ...parts, texted });
  const canBeDue = texted !== undefined || parts.strongSignIn.factors.hasAuthenticators;
  const signIn = createSignIn({ ...parts, secondStep: canBeDue ? secondStep : undefined });
  return { texted, secondStep, signIn };
}
