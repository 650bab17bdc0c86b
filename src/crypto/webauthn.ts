import { importOptional } from '../optional.ts';

/** What Gatehouse uses of the package that reads and verifies WebAuthn data. */
export type WebAuthn = Pick<
  typeof import('@simplewebauthn/server'),
  | 'generateAuthenticationOptions'
  | 'generateRegistrationOptions'
  | 'verifyAuthenticationResponse'
  | 'verifyRegistrationResponse'
> &
  Pick<
    typeof import('@simplewebauthn/server/helpers'),
    'decodeAttestationObject' | 'decodeClientDataJSON' | 'isoBase64URL'
  >;

export const passkeyPackage = '@simplewebauthn/server';

/** Loads the package of passkeys. @throws {MissingPackageError} when it is not installed */
export const openWebAuthn = (): Promise<WebAuthn> =>
  importOptional(passkeyPackage, 'enable_passkeys', async () => {
    const [server, { decodeAttestationObject, decodeClientDataJSON, isoBase64URL }] = await Promise.all([
      import('@simplewebauthn/server'),
      import('@simplewebauthn/server/helpers'),
    ]);
    return { ...server, decodeAttestationObject, decodeClientDataJSON, isoBase64URL };
  });
