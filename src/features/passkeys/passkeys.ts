import { randomBytes } from 'node:crypto';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { v7 as uuidv7 } from 'uuid';
import type { Clock } from '../../clock.ts';
import type { Config } from '../../config/schema.ts';
import type { AuthenticationMethod } from '../../crypto/claims.ts';
import type { PendingStep } from '../../domain/second-step.ts';
import type { Session } from '../../domain/session.ts';
import { isBlockedByReport } from '../../domain/trust.ts';
import { GatehouseError } from '../../errors.ts';
import type { Repositories } from '../../storage/repositories/index.ts';
import type { Authenticator } from '../../tables/authenticator.ts';
import type { Challenge } from '../../tables/challenge.ts';
import type { User } from '../../tables/user.ts';
import {
  algorithms,
  base64url,
  bytesOf,
  createAnswerRules,
  invalid,
  knownTransports,
  methodOf,
  transportsOf,
  verified,
} from './answers.ts';
import { challengeSeconds, createPasskeyChallenges } from './challenges.ts';
import { factor } from './factor.ts';
import type { PasskeyChallengeView } from './views.ts';
import type { WebAuthn } from './webauthn.ts';

export type Passkeys = ReturnType<typeof createPasskeys>;

interface Parts {
  config: Config;
  clock: Clock;
  repositories: Repositories;
  webauthn: WebAuthn;
}

/** Passkeys: WebAuthn Level 3, with discoverable credentials. */
export function createPasskeys({ config, clock, repositories, webauthn }: Parts) {
  const { users, authenticators, challenges } = repositories;
  const { rpId, origins } = config.passkeys;
  const { store, take } = createPasskeyChallenges({ clock, repositories });
  const { isAcceptable, assertNotEmbedded, assertNoAttestation } = createAnswerRules(webauthn);

  const isPasskey = ({ kind }: Authenticator) => kind === factor.kind;

  /**
   * Verifies an answer with a stored passkey and records its use.
   * @throws {GatehouseError} passkey_invalid
   */
  async function verify(
    row: Authenticator,
    credential: Record<string, unknown>,
    { value }: Challenge,
    requireUserVerification: boolean,
  ): Promise<AuthenticationMethod[]> {
    const answer = await verified(async () => {
      const response = credential as unknown as AuthenticationResponseJSON;
      assertNotEmbedded(response.response);
      return webauthn.verifyAuthenticationResponse({
        response,
        expectedChallenge: value!,
        expectedOrigin: origins,
        expectedRPID: rpId,
        requireUserVerification,
        credential: { id: row.credentialId, publicKey: bytesOf(row.publicKey!), counter: row.signCount },
      });
    });
    if (!answer.verified) throw invalid();
    const {
      newCounter: signCount,
      credentialBackedUp: isSynced,
      credentialDeviceType,
    } = answer.authenticationInfo;
    // A counter that another use has moved meanwhile means that two devices hold this key.
    if (!(await authenticators.recordUse(row, { signCount, isSynced, lastUsedAt: clock.now() })))
      throw invalid();
    return [methodOf(credentialDeviceType)];
  }

  /** Returns the stored passkey that an answer names, if its account matches. @throws {GatehouseError} passkey_invalid */
  async function findRow(credential: Record<string, unknown>): Promise<Authenticator> {
    const { id } = credential;
    const row =
      typeof id === 'string' && /^[\w-]{1,1400}$/.test(id) ? await authenticators.findByCredential(id) : null;
    if (!row || !isPasskey(row)) throw invalid();
    return row;
  }

  const handleIn = ({ response }: Record<string, unknown>): unknown =>
    (response as { userHandle?: unknown } | null | undefined)?.userHandle;

  return {
    /** Returns the options with which a browser creates a passkey for the account of a session. */
    async startSetup({ user, claims }: Session): Promise<PasskeyChallengeView> {
      const own = (await authenticators.listByUser(user.id)).filter(isPasskey);
      // One handle for all passkeys of an account, so that devices know them as one account.
      const begun = own.length === 0 ? await challenges.findOfUser(user.id, 'passkey_setup') : null;
      const userHandle = own[0]?.userHandle ?? begun?.userHandle ?? base64url(randomBytes(32));
      const options = await webauthn.generateRegistrationOptions({
        rpName: config.appName,
        rpID: rpId,
        userName: user.email,
        userDisplayName: user.fullName ?? user.email,
        userID: bytesOf(userHandle),
        timeout: challengeSeconds * 1000,
        attestationType: 'none',
        excludeCredentials: own.map(({ credentialId: id, transports }) => ({
          id,
          ...transportsOf(transports),
        })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        supportedAlgorithmIDs: algorithms,
      });
      const bound = { userId: user.id, boundTo: claims.jti, userHandle };
      const id = await store('passkey_setup', options.challenge, bound);
      return { id, options: options as unknown as Record<string, unknown> };
    },

    /**
     * Returns the passkey that a browser has created for this set-up, to be stored, and what it proves.
     * @throws {GatehouseError} not_found (no such set-up of this session), passkey_invalid
     */
    async finishSetup(
      { user, claims }: Session,
      id: string,
      credential: Record<string, unknown>,
      name: string,
    ) {
      const isBound = (c: Challenge) => c.userId === user.id && c.boundTo === claims.jti;
      const { value, userHandle } = await take(id, 'passkey_setup', isBound);
      const response = credential as unknown as RegistrationResponseJSON;
      const answer = await verified(async () => {
        assertNotEmbedded(response.response);
        assertNoAttestation(response.response);
        return webauthn.verifyRegistrationResponse({
          response,
          expectedChallenge: value!,
          expectedOrigin: origins,
          expectedRPID: rpId,
          requireUserVerification: true,
          supportedAlgorithmIDs: algorithms,
        });
      });
      if (!answer.verified) throw invalid();
      const {
        credential: created,
        credentialBackedUp: isSynced,
        credentialDeviceType,
      } = answer.registrationInfo;
      if (!isAcceptable(response.id, created)) throw invalid();
      const now = clock.now();
      const row = {
        id: uuidv7({ msecs: now.getTime() }),
        kind: factor.kind,
        name,
        createdAt: now,
        lastUsedAt: null,
        secret: null,
        lastStep: 0,
        credentialId: created.id,
        publicKey: base64url(created.publicKey),
        userHandle,
        signCount: created.counter,
        transports: knownTransports(response.response.transports),
        isSynced,
      };
      return { row, proved: methodOf(credentialDeviceType) };
    },

    /** Returns the options with which a browser offers the passkeys of this site. They name no account. */
    async startLogin(): Promise<PasskeyChallengeView> {
      const options = await webauthn.generateAuthenticationOptions({
        rpID: rpId,
        timeout: challengeSeconds * 1000,
        userVerification: 'required',
      });
      const id = await store('passkey_login', options.challenge, {});
      return { id, options: options as unknown as Record<string, unknown> };
    },

    /**
     * Returns the account that a passkey proves. A passkey with user verification is two factors. An unknown passkey, a
     * removed one, one that a report has made distrusted, and a wrong answer are refused alike.
     * @throws {GatehouseError} not_found (no such challenge), passkey_invalid
     */
    async proveLogin(
      id: string,
      credential: Record<string, unknown>,
    ): Promise<{ user: User; amr: AuthenticationMethod[] }> {
      const challenge = await take(id, 'passkey_login', () => true);
      const row = await findRow(credential);
      if (row.userHandle === null || handleIn(credential) !== row.userHandle) throw invalid();
      // The order matters: the user is read before the passkey is used. The removal of an account's passkeys ends its
      // sessions first, so either the use fails, or the cutoff is noticed when the session is issued (CONTRACT §4.3).
      const user = await users.find(row.userId);
      const amr = await verify(row, credential, challenge, true);
      if (!user || isBlockedByReport(user, row.createdAt)) throw invalid();
      return { user, amr: [...amr, 'mfa'] };
    },

    /** Returns the options of the second step: the passkeys of the account, for this pending token alone. */
    async startStep({ user, claims }: PendingStep): Promise<PasskeyChallengeView> {
      const own = (await authenticators.listByUser(user.id)).filter(isPasskey);
      if (own.length === 0) throw new GatehouseError('not_found');
      const options = await webauthn.generateAuthenticationOptions({
        rpID: rpId,
        timeout: challengeSeconds * 1000,
        userVerification: 'preferred',
        allowCredentials: own.map(({ credentialId, transports }) => ({
          id: credentialId,
          ...transportsOf(transports),
        })),
      });
      const bound = { userId: user.id, boundTo: claims.jti };
      const id = await store('passkey_mfa', options.challenge, bound);
      return { id, options: options as unknown as Record<string, unknown> };
    },

    /**
     * Proves the second step with a passkey of the account that began it.
     * @throws {GatehouseError} not_found (no such challenge of this pending token), passkey_invalid
     */
    async proveStep(
      { user, claims }: PendingStep,
      id: string,
      credential: Record<string, unknown>,
    ): Promise<AuthenticationMethod[]> {
      const isBound = (c: Challenge) => c.userId === user.id && c.boundTo === claims.jti;
      const challenge = await take(id, 'passkey_mfa', isBound);
      const row = await findRow(credential);
      const handle = handleIn(credential);
      if (row.userId !== user.id || (handle != null && handle !== row.userHandle)) throw invalid();
      return verify(row, credential, challenge, false);
    },
  };
}
