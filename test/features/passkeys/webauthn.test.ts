import { hkdfSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openWebAuthn } from '../../../src/features/passkeys/webauthn.ts';
import { cbor } from '../../support/passkeys.ts';

/**
 * Test vectors of W3C Web Authentication Level 3 §16 (rp id example.org, origin https://example.org). The random values of
 * the specification are derived by HKDF, so that a wrong copy would not fit.
 */
const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
const site = { expectedOrigin: 'https://example.org', expectedRPID: 'example.org' };
const algorithms = [-8, -7, -257];
const webauthn = await openWebAuthn();

const es256 = {
  credentialId: 'f91f391db4c9b2fde0ea70189cba3fb63f579ba6122b33ad94ff3ec330084be4',
  attestationObject:
    'a363666d74646e6f6e656761747453746d74a068617574684461746158a4bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b559000000008446ccb9ab1db374750b2367ff6f3a1f0020f91f391db4c9b2fde0ea70189cba3fb63f579ba6122b33ad94ff3ec330084be4a5010203262001215820afefa16f97ca9b2d23eb86ccb64098d20db90856062eb249c33a9b672f26df61225820930a56b87a2fca66334b03458abf879717c12cc68ed73290af2e2664796b9220',
  created:
    '7b2274797065223a22776562617574686e2e637265617465222c226368616c6c656e6765223a22414d4d507434557878475453746e63647134313759447742466938767049612d7077386f4f755657345441222c226f726967696e223a2268747470733a2f2f6578616d706c652e6f7267222c2263726f73734f726967696e223a66616c73652c22657874726144617461223a22636c69656e74446174614a534f4e206d617920626520657874656e6465642077697468206164646974696f6e616c206669656c647320696e20746865206675747572652c207375636820617320746869733a20426b5165446a646354427258426941774a544c453551227d',
  publicKey:
    'a5010203262001215820afefa16f97ca9b2d23eb86ccb64098d20db90856062eb249c33a9b672f26df61225820930a56b87a2fca66334b03458abf879717c12cc68ed73290af2e2664796b9220',
  challenge: '39c0e7521417ba54d43e8dc95174f423dee9bf3cd804ff6d65c857c9abf4d408',
  authenticatorData: 'bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b51900000000',
  got: '7b2274797065223a22776562617574686e2e676574222c226368616c6c656e6765223a224f63446e55685158756c5455506f334a5558543049393770767a7a59425039745a63685879617630314167222c226f726967696e223a2268747470733a2f2f6578616d706c652e6f7267222c2263726f73734f726967696e223a66616c73657d',
  signature:
    '3046022100f50a4e2e4409249c4a853ba361282f09841df4dd4547a13a87780218deffcd380221008480ac0f0b93538174f575bf11a1dd5d78c6e486013f937295ea13653e331e87',
};

const ed25519 = {
  credentialId: 'ce9f840ed96599580cd140fbc7bb3230633f50f61041aff73308ae71caa8a2bd',
  publicKey: Buffer.from(
    cbor.map(
      ...[cbor.int(1), cbor.int(1), cbor.int(3), cbor.int(-8), cbor.int(-1), cbor.int(6), cbor.int(-2)],
      cbor.bytes(hex('44e06ddd331c36a8dc667bab52bcae63486c916aa5e339e6acebaa84934bf832')),
    ),
  ).toString('hex'),
  challenge: '895957e01c633a698348a2d8a31a54b7db27e8c1c43b2080d79ae2190267bfd2',
  authenticatorData: 'bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b50100000000',
  got: '7b2274797065223a22776562617574686e2e676574222c226368616c6c656e6765223a2269566c583442786a4f6d6d44534b4c596f7870557439736e364d48454f7943413135726947514a6e763949222c226f726967696e223a2268747470733a2f2f6578616d706c652e6f7267222c2263726f73734f726967696e223a66616c73657d',
  signature:
    'f5c59c7e46c34f6f8cc197101ddf9934fa2595f68eb1913a637e8419eb9ba4cfdfc48f85393bc0d40b011f0d6fecb097d6607525713223a0dc0d453993dae00b',
};

describe('the test vectors of W3C WebAuthn Level 3 §16', () => {
  const id = text(hex(es256.credentialId));
  const created = {
    ...{ id, rawId: id, type: 'public-key' as const, clientExtensionResults: {} },
    response: {
      clientDataJSON: text(hex(es256.created)),
      attestationObject: text(hex(es256.attestationObject)),
    },
  };
  const challenge = String(webauthn.decodeClientDataJSON(created.response.clientDataJSON).challenge);
  const register = (requireUserVerification: boolean) =>
    webauthn.verifyRegistrationResponse({
      ...{ response: created, expectedChallenge: challenge, requireUserVerification },
      ...{ ...site, supportedAlgorithmIDs: algorithms },
    });

  test('are derived as the specification says', () => {
    const derived = hkdfSync('sha256', 'WebAuthn test vectors', hex('00'), 'none.ES256', 32);
    expect(text(new Uint8Array(derived))).toBe(challenge);
  });

  test('a registration without attestation (ES256) verifies, without user verification', async () => {
    expect(await register(false)).toMatchObject({
      verified: true,
      registrationInfo: {
        fmt: 'none',
        credential: { id },
        credentialDeviceType: 'multiDevice',
        credentialBackedUp: true,
      },
    });
    await expect(register(true)).rejects.toThrow(/verif/i);
  });

  test.each([
    ['ES256', es256],
    ['EdDSA', ed25519],
  ])('an authentication verifies (%s), and none that differs in a bit', async (_name, vector) => {
    const id = text(hex(vector.credentialId));
    const verify = (signature: Uint8Array) =>
      webauthn.verifyAuthenticationResponse({
        response: {
          ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
          response: {
            clientDataJSON: text(hex(vector.got)),
            authenticatorData: text(hex(vector.authenticatorData)),
            signature: text(signature),
          },
        },
        expectedChallenge: text(hex(vector.challenge)),
        ...site,
        requireUserVerification: false,
        credential: { id, publicKey: hex(vector.publicKey), counter: 0 },
      });
    expect(await verify(hex(vector.signature))).toMatchObject({ verified: true });
    const other = hex(vector.signature);
    other[20]! ^= 1;
    expect(await verify(other).catch(() => ({ verified: false }))).toMatchObject({ verified: false });
  });
});
