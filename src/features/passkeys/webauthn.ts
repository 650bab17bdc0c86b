import { importOptional } from '../../optional.ts';

/** The functions that Gatehouse uses of the package that reads and verifies WebAuthn data. */
export type WebAuthn = Pick<
  typeof import('@simplewebauthn/server'),
  | 'generateAuthenticationOptions'
  | 'generateRegistrationOptions'
  | 'verifyAuthenticationResponse'
  | 'verifyRegistrationResponse'
> &
  Pick<
    typeof import('@simplewebauthn/server/helpers'),
    'cose' | 'decodeAttestationObject' | 'decodeClientDataJSON' | 'decodeCredentialPublicKey' | 'isoBase64URL'
  >;

/** Loads the package of passkeys. @throws {MissingPackageError} when it is not installed */
export const openWebAuthn = (): Promise<WebAuthn> =>
  importOptional('@simplewebauthn/server', 'enable_passkeys', async () => {
    const [server, helpers] = await Promise.all([
      import('@simplewebauthn/server'),
      import('@simplewebauthn/server/helpers'),
    ]);
    return { ...server, ...helpers };
  });
