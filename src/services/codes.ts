import type { Clock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import type { Codes } from '../crypto/codes.ts';
import type { MfaCode, MfaCodeKind } from '../entities/mfa-code.ts';
import type { User } from '../entities/user.ts';
import { GatehouseError } from '../errors.ts';
import type { Lockout } from '../limits/lockout.ts';
import type { SmsCap } from '../limits/sms-cap.ts';
import type { OutgoingQueue } from '../outgoing/queue.ts';
import type { TextMessage } from '../sms/sender.ts';
import type { Repositories } from '../storage/repositories/index.ts';

export type TextedCodes = ReturnType<typeof createTextedCodes>;

interface Parts {
  config: Config;
  clock: Clock;
  codes: Codes;
  repositories: Repositories;
  lockout: Lockout;
  smsCap: SmsCap;
  texts: OutgoingQueue<TextMessage>;
}

/** Codes by text message: one outstanding per user and kind, bound to the phone it was sent to. */
export function createTextedCodes({ config, clock, codes, repositories, lockout, smsCap, texts }: Parts) {
  const { mfa_codes } = repositories;
  const max = config.smsCodeMaxAttempts;
  const purpose = { login: 'sign-in', phone_setup: 'verification' } as const;

  return {
    /**
     * Replaces the outstanding code of this kind and texts the new one. Beyond the cap of the phone the earlier code
     * stays good. @throws {GatehouseError} rate_limited
     */
    async send(userId: string, kind: MfaCodeKind, phoneNumber: string): Promise<void> {
      await smsCap.takeMessage(kind, userId, phoneNumber);
      const code = codes.generate();
      const now = clock.now();
      await mfa_codes.replace({
        userId,
        kind,
        phoneNumber,
        codeHash: codes.hash(code, { userId, kind, phoneNumber }),
        attempts: 0,
        createdAt: now,
        expiresAt: new Date(now.getTime() + config.smsCodeTtlSeconds * 1000),
      });
      texts.enqueue(kind, { to: phoneNumber, text: `Your ${config.appName} ${purpose[kind]} code: ${code}` });
    },

    /**
     * Takes the code of this kind if the guess is right, and answers it. A guess is claimed before it is compared, so
     * however many come at once, no more are compared than the code allows; wrong ones also fill a count of the user,
     * which a new code does not refill.
     * @throws {GatehouseError} account_locked, mfa_code_missing, mfa_code_expired, mfa_code_wrong, LOCKED
     */
    async redeem(user: User, kind: MfaCodeKind, guess: string, ip: string | null): Promise<MfaCode> {
      const counted = await lockout.open({ code: user.id });
      const stored = await mfa_codes.find(user.id, kind);
      if (!stored) throw new GatehouseError('mfa_code_missing');
      if (stored.expiresAt <= clock.now()) throw new GatehouseError('mfa_code_expired');
      // Whoever comes too late leaves the code to those before, of whom one may be right.
      if (!(await mfa_codes.claimGuess(stored, max))) throw new GatehouseError('LOCKED');
      const isRight = codes.matches(guess, stored, stored.codeHash);
      const release = await counted.decide(isRight, ip);
      await release();
      if (!isRight) {
        const attempts = (await mfa_codes.find(user.id, kind))?.attempts ?? max;
        if (attempts >= max) {
          await mfa_codes.take(stored);
          throw new GatehouseError('LOCKED');
        }
        throw new GatehouseError('mfa_code_wrong', { attemptsRemaining: max - attempts });
      }
      if (!(await mfa_codes.take(stored))) throw new GatehouseError('mfa_code_missing');
      return stored;
    },

    removeAll: (userId: string) => mfa_codes.removeAll(userId),
  };
}
