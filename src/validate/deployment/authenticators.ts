import { createHash, createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const stepMs = 30_000;

/** Returns the code that an authenticator app shows now, so many steps of thirty seconds from now (RFC 6238). */
export function totpCode(secret: string, steps = 0): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / stepMs) + steps));
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const number = mac.readUInt32BE(mac.at(-1)! & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** Returns for how many milliseconds the present code is shown. */
export const codeLastsMs = () => stepMs - (Date.now() % stepMs);

/** Returns the bytes of a Base32 text (RFC 4648 §6). */
function fromBase32(text: string): Buffer {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...text].map(letter => letters.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from(bits.match(/.{8}/g)?.map(byte => Number.parseInt(byte, 2)) ?? []);
}

export interface CreationOptions {
  challenge: string;
  rp: { id: string };
  user: { id: string };
}

/** Returns a passkey of this process: ES256, without attestation, user present and verified, no counter. */
export function createSoftwarePasskey() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(32);
  const id = credentialId.toString('base64url');
  let userHandle = '';

  const clientData = (type: string, challenge: string, origin: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

  return {
    /** Returns the answer to creation options (RegistrationResponseJSON). */
    create({ challenge, rp, user }: CreationOptions, origin: string): object {
      userHandle = user.id;
      const { x, y } = publicKey.export({ format: 'jwk' });
      const key = cborMap([
        ...([1, 3, -1] as const).map((label, i): [Buffer, Buffer] => [
          cborInt(label),
          cborInt([2, -7, 1][i]!),
        ]),
        [cborInt(-2), cborBytes(Buffer.from(x!, 'base64url'))],
        [cborInt(-3), cborBytes(Buffer.from(y!, 'base64url'))],
      ]);
      const credential = [Buffer.alloc(16), Buffer.from([0, credentialId.length]), credentialId, key];
      const authData = Buffer.concat([...authenticatorData(rp.id, 0x45), ...credential]);
      const attestationObject = cborMap([
        [cborText('fmt'), cborText('none')],
        [cborText('attStmt'), cborMap([])],
        [cborText('authData'), cborBytes(authData)],
      ]);
      const response = {
        clientDataJSON: clientData('webauthn.create', challenge, origin).toString('base64url'),
        attestationObject: attestationObject.toString('base64url'),
        transports: ['internal'],
      };
      return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
    },

    /** Returns the answer to request options (AuthenticationResponseJSON). */
    get({ challenge, rpId }: { challenge: string; rpId: string }, origin: string): object {
      const authData = Buffer.concat(authenticatorData(rpId, 0x05));
      const data = clientData('webauthn.get', challenge, origin);
      const signature = sign('sha256', Buffer.concat([authData, sha256(data)]), privateKey);
      const response = {
        clientDataJSON: data.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle,
      };
      return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
    },
  };
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();

/** WebAuthn §6.1: the hash of the relying party's id, flags, and a counter that is not used. */
const authenticatorData = (rpId: string, flags: number) => [
  sha256(rpId),
  Buffer.from([flags]),
  Buffer.alloc(4),
];

/** The head of a CBOR item with a length or value of at most 65535 (RFC 8949 §3). */
function cborHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255]);
}
const cborInt = (value: number) => (value < 0 ? cborHead(1, -1 - value) : cborHead(0, value));
const cborBytes = (bytes: Buffer) => Buffer.concat([cborHead(2, bytes.length), bytes]);
const cborText = (text: string) => Buffer.concat([cborHead(3, text.length), Buffer.from(text)]);
const cborMap = (entries: [Buffer, Buffer][]) =>
  Buffer.concat([cborHead(5, entries.length), ...entries.flat()]);
