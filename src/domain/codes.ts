import { isCurrent } from '../clock.ts';
import type { Codes } from '../crypto/codes.ts';
import { GatehouseError } from '../errors.ts';
import { within } from '../limits/within.ts';
import type { MessageQueue } from '../outgoing/message-queue.ts';
import type { TextMessage } from '../sms/sender.ts';
import type { MfaCode, MfaCodeKind } from '../tables/mfa-code.ts';
import type { Languages } from '../words/languages.ts';
import type { Dependencies } from './dependencies.ts';

export type TextedCodes = ReturnType<typeof createTextedCodes>;

/** How codes are made and sent. */
export interface Texting {
  codes: Codes;
  texts: MessageQueue<TextMessage>;
  languages: Languages;
}

/** An attempt at a code, with the pending token that it was sent with. */
interface Guess {
  code: string;
  /** The id (`jti`) of the pending token. */
  jti: string;
  ip: string | null;
}

/** Contains the hash of the code, because the previous version replaces a code and leaves this column as it was. */
const bindingOf = (codeHash: string, jti: string) => `${codeHash} ${jti}`;

/**
 * Returns whether a code was sent for this pending token. A code that the previous version has stored, while both
 * versions run, is not bound: as in that version, it is valid with every pending token of its user. It lives for ten
 * minutes at most.
 */
function isSentFor(jti: string, { codeHash, boundTo }: MfaCode): boolean {
  const isBound = boundTo?.startsWith(bindingOf(codeHash, '')) ?? false;
  return !isBound || boundTo === bindingOf(codeHash, jti);
}

/** Codes sent by text message: one outstanding per user and kind, bound to its phone and to its pending token. */
export function createTextedCodes(
  { config, clock, repositories, limits }: Pick<Dependencies, 'config' | 'clock' | 'repositories' | 'limits'>,
  { codes, texts, languages }: Texting,
) {
  const { lockout, smsCap } = limits;
  const { mfa_codes } = repositories;
  const max = config.smsCodeMaxAttempts;

  return {
    /**
     * Replaces the outstanding code of this kind and sends the new one by text message. The new code is valid only with
     * the pending token of this `jti`. Beyond the caps nothing is sent and the previous code stays valid.
     * @throws {GatehouseError} rate_limited
     */
    async send(
      binding: Pick<MfaCode, 'userId' | 'kind' | 'phoneNumber'>,
      jti: string,
      locale: string | null,
    ): Promise<void> {
      const { userId, kind, phoneNumber } = binding;
      const taken = await smsCap.reserveMessage(kind, userId, phoneNumber);
      const code = codes.generate();
      const codeHash = codes.hash(code, binding);
      const now = clock.now();
      const row = {
        ...{ userId, kind, phoneNumber, codeHash },
        boundTo: bindingOf(codeHash, jti),
        attempts: 0,
        createdAt: now,
        expiresAt: new Date(now.getTime() + config.smsCodeTtlSeconds * 1000),
      };
      const text = languages.of(locale).t(`sms_${kind}`, { app_name: config.appName, code });
      const lifetimeMs = config.smsCodeTtlSeconds * 1000;
      await within(taken, () => mfa_codes.replace(row));
      // When the database answers this too late, the message may be sent nevertheless: it counts.
      await texts.enqueue(kind, { to: phoneNumber, text }, { lifetimeMs });
    },

    /**
     * Consumes the code of this kind if the guess is right, and returns it. A guess is claimed before it is compared, so
     * parallel guesses never get more comparisons than the code allows (brute force). Wrong guesses also count towards a
     * limit of the user, which a new code does not reset. A guess with a pending token that a later one has replaced is
     * rejected and not counted.
     * @throws {GatehouseError} account_locked, invalid_token, mfa_code_missing, mfa_code_expired, mfa_code_wrong, LOCKED
     */
    async redeem(userId: string, kind: MfaCodeKind, { code, jti, ip }: Guess): Promise<MfaCode> {
      const counted = await lockout.open({ code: userId });
      const stored = await mfa_codes.find(userId, kind);
      if (!stored) throw new GatehouseError('mfa_code_missing');
      if (!isSentFor(jti, stored)) throw new GatehouseError('invalid_token');
      if (!isCurrent(stored.expiresAt, config.smsCodeTtlSeconds, clock.now())) {
        throw new GatehouseError('mfa_code_expired');
      }
      // A guess beyond the limit does not remove the code: one of the guesses before it may be right.
      if (!(await mfa_codes.claimGuess(stored, max))) throw new GatehouseError('LOCKED');
      const isRight = codes.matches(code, stored, stored.codeHash);
      const release = await counted.decide(isRight, ip);
      await release();
      if (!isRight) {
        const attempts = (await mfa_codes.find(userId, kind))?.attempts ?? max;
        if (attempts >= max) {
          await mfa_codes.consume(stored);
          throw new GatehouseError('LOCKED');
        }
        throw new GatehouseError('mfa_code_wrong', { attemptsRemaining: max - attempts });
      }
      if (!(await mfa_codes.consume(stored))) throw new GatehouseError('mfa_code_missing');
      return stored;
    },
  };
}
