import { z } from 'zod';
import { reauthenticateInput } from '../contract/inputs/reauthenticate.ts';
import { MfaChallengeView, SessionView } from '../contract/views/sign-in.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import type { FactorProof } from '../domain/factor-proof.ts';
import { replacedSession } from '../domain/proof.ts';
import { sessionEndedError } from '../domain/reauthentication.ts';
import type { SignIn } from '../domain/sign-in.ts';
import { GatehouseError } from '../errors.ts';

/** Signing in again within a session, for changes that need a recent sign-in (CONTRACT §9.5). */
export function createReauthenticate(
  { config, reauthentication, hooks, define }: Dependencies,
  signIn: SignIn,
  proofs: readonly FactorProof[],
) {
  const alone = proofs.find(({ proveAlone }) => proveAlone);
  const reauthenticate = define(
    {
      name: 'reauthenticate',
      at: 'POST /reauthenticate',
      summary: 'Signs in again, with what a sign-in takes; the session is replaced by a new one.',
      description:
        'It takes the response of a passkey, or a password, after which the second step of the account may be due.',
      access: { kind: 'session', isOpenBeforeEnrolment: true },
      input: reauthenticateInput({ takesCredential: alone !== undefined }),
      output: z.union([SessionView, MfaChallengeView]),
      limit: 'reauthenticate',
      errors: [
        ...(['password_not_set', 'wrong_password', 'account_locked'] as const),
        ...(alone?.errors ?? []),
        ...(config.enableSms2fa ? (['rate_limited'] as const) : []),
        ...hooks.codesOf('beforeSignIn'),
      ],
    },
    async (
      { password, id, credential },
      { session, caller, trail },
    ): Promise<SessionView | MfaChallengeView> => {
      const { user, claims } = session;
      const replaces = replacedSession(claims);
      if (alone?.proveAlone && id != null && credential != null) {
        const proved = await alone.proveAlone(id, credential);
        if (proved.user.id !== user.id) throw new GatehouseError(alone.refusal);
        const proof = { amr: proved.amr, method: alone.kind, caller, replaces };
        const entered = await signIn.start(user, proof);
        if (!entered) throw sessionEndedError();
        return entered.answer;
      }
      await reauthentication.verify(session, password ?? '', caller, trail);
      const entered = await signIn.enter(user, { amr: ['pwd'], method: 'password', caller, replaces });
      if (!entered) throw sessionEndedError();
      return entered.answer;
    },
  );

  return { reauthenticate };
}
