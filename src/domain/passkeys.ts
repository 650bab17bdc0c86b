import { randomBytes } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { v4 as uuidv4, v7 as uuidv7 } from 'uuid';
import { type Clock, isCurrent } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import type { PasskeyChallengeView } from '../contract/views/authenticators.ts';
import type { AuthenticationMethod } from '../crypto/claims.ts';
import type { WebAuthn } from '../crypto/webauthn.ts';
import { GatehouseError } from '../errors.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { Authenticator } from '../tables/authenticator.ts';
import type { Challenge, ChallengePurpose } from '../tables/challenge.ts';
import type { User } from '../tables/user.ts';
import type { PendingStep } from './second-step.ts';
import type { Session } from './session.ts';
import { isBlockedByReport } from './trust.ts';

export type Passkeys = ReturnType<typeof createPasskeys>;

/** How long a challenge can be answered, in seconds (CONTRACT §9.3). */
const challengeSeconds = 300;
/** COSE algorithms: EdDSA, ES256, RS256. */
const algorithms = [-8, -7, -257];

interface Parts {
  config: Config;
  clock: Clock;
  repositories: Repositories;
  webauthn: WebAuthn;
}

/** The longest credential id, in bytes (WebAuthn §7.1 step 25). */
const credentialIdBytes = 1023;

/** Returns what is stored of bytes, and back. */
const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));

/** The least length of an RSA key (NIST SP 800-131A). */
const leastRsaBits = 2048;

const invalid = (cause?: unknown) => new GatehouseError('passkey_invalid', { cause });

/** Returns the proof that a passkey is: a key that may leave its device is not bound to hardware (RFC 8176 §2). */
const methodOf = (deviceType: 'singleDevice' | 'multiDevice'): AuthenticationMethod =>
  deviceType === 'singleDevice' ? 'hwk' : 'swk';

/** Returns the result of a verification. Whatever is wrong with a credential, also its form, is the same refusal. */
async function verified<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify();
  } catch (cause) {
    throw invalid(cause);
  }
}

/** Passkeys: WebAuthn Level 3, with discoverable credentials. */
export function createPasskeys({ config, clock, repositories, webauthn }: Parts) {
  const { users, authenticators, challenges } = repositories;
  const { rpId, origins } = config.passkeys;

  /** Returns whether a public key is one of RSA below 2,048 bits (CONTRACT §9.3). */
  function isWeak(publicKey: Uint8Array<ArrayBuffer>): boolean {
    const { cose, decodeCredentialPublicKey } = webauthn;
    const key = decodeCredentialPublicKey(publicKey);
    if (!cose.isCOSEPublicKeyRSA(key)) return false;
    const modulus = BigInt(`0x0${Buffer.from(key.get(cose.COSEKEYS.n) ?? []).toString('hex')}`);
    return modulus.toString(2).length < leastRsaBits;
  }

  async function store(
    purpose: ChallengePurpose,
    value: string,
    bound: Partial<Pick<Challenge, 'userId' | 'boundTo' | 'userHandle'>>,
  ): Promise<string> {
    const id = uuidv4();
    const now = clock.now();
    const challenge = {
      ...{ id, purpose, value, userId: null, boundTo: null, userHandle: null, attempts: 0, createdAt: now },
      expiresAt: new Date(now.getTime() + challengeSeconds * 1000),
      ...bound,
    };
    await (purpose === 'passkey_setup' ? challenges.addSetup(challenge) : challenges.add(challenge));
    return id;
  }

  /**
   * Returns a challenge of this purpose, used up. Of several parallel requests one gets it.
   * @throws {GatehouseError} not_found
   */
  async function take(
    id: string,
    purpose: ChallengePurpose,
    isBound: (challenge: Challenge) => boolean,
  ): Promise<Challenge> {
    const challenge = await challenges.find(id, purpose);
    if (!challenge || !isBound(challenge)) throw new GatehouseError('not_found');
    const isOpen = isCurrent(challenge.expiresAt, challengeSeconds, clock.now());
    if (!(await challenges.take(id)) || !isOpen) throw new GatehouseError('not_found');
    return challenge;
  }

  const isPasskey = ({ kind }: Authenticator) => kind === 'passkey';

  /**
   * Rejects the answer of a page in a frame of another origin (WebAuthn §7.1 step 10, §7.2 step 13): no page that uses
   * passkeys is meant to be embedded.
   */
  function assertNotEmbedded({ clientDataJSON }: { clientDataJSON: string }): void {
    const { crossOrigin, topOrigin } = webauthn.decodeClientDataJSON(clientDataJSON);
    if (crossOrigin || topOrigin !== undefined)
      throw new Error('The page was embedded in one of another origin.');
  }

  /**
   * Rejects an attestation that was not asked for. Browsers leave only self attestation (WebAuthn §5.1.3); another one
   * would have certificates read, and revocation lists fetched, that a client names.
   */
  function assertNoAttestation({ attestationObject }: { attestationObject: string }): void {
    const decoded = webauthn.decodeAttestationObject(webauthn.isoBase64URL.toBuffer(attestationObject));
    const isSelf = decoded.get('fmt') === 'packed' && decoded.get('attStmt').get('x5c') === undefined;
    if (decoded.get('fmt') !== 'none' && !isSelf) throw new Error('The credential is attested.');
  }

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
      const idBytes = bytesOf(created.id).length;
      if (response.id !== created.id || idBytes > credentialIdBytes || isWeak(created.publicKey))
        throw invalid();
      const now = clock.now();
      const row = {
        id: uuidv7({ msecs: now.getTime() }),
        kind: 'passkey' as const,
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
      // The order matters: the user is read before the passkey is used. Whoever removes the passkeys of an account ends its
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

/** WebAuthn §5.8.4, and `cable` of browsers before `hybrid` was its name. */
const transportNames: unknown[] = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

/** Returns what is stored of the transports that a client names; nothing verifies them. */
const knownTransports = (named: unknown): string | null =>
  (Array.isArray(named) && transportNames.filter(name => named.includes(name)).join(',')) || null;

const transportsOf = (stored: string | null) =>
  stored === null ? {} : { transports: stored.split(',') as AuthenticatorTransport[] };
