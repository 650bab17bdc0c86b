import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';
import { inject } from 'vitest';

/** A private key and its certificate, both in PEM. */
export interface Certificate {
  key: string;
  cert: string;
}

/** A certificate authority of one test's own. */
export interface Authority {
  /** Its own certificate in PEM: what a client has to trust. */
  cert: string;
  /** Signs a certificate for these names and addresses; the first name is the subject's. */
  sign(names: readonly string[]): Promise<Certificate>;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const day = 86_400_000;
/** From now on, so that no run comes too late; since yesterday, as clocks may differ. */
const validity = () => ({
  notBefore: new Date(Date.now() - day),
  notAfter: new Date(Date.now() + 3650 * day),
});

x509.cryptoProvider.set(crypto);
const newKeys = () => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);

/** Makes an authority; no other has its key. */
export async function createAuthority(name = 'Test authority'): Promise<Authority> {
  const keys = await newKeys();
  const issuer = `CN=${name} ${randomBytes(4).toString('hex')}`;
  const own = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: issuer,
    ...validity(),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  });
  return {
    cert: inPem(own),
    async sign(names) {
      const leaf = await newKeys();
      const certificate = await x509.X509CertificateGenerator.create({
        serialNumber: serialNumber(),
        subject: `CN=${names[0]}`,
        issuer,
        ...validity(),
        signingAlgorithm: algorithm,
        publicKey: leaf.publicKey,
        signingKey: keys.privateKey,
        extensions: [
          new x509.BasicConstraintsExtension(false),
          new x509.ExtendedKeyUsageExtension([
            x509.ExtendedKeyUsage.serverAuth,
            x509.ExtendedKeyUsage.clientAuth,
          ]),
          alternativeNames(names),
        ],
      });
      return { cert: inPem(certificate), key: await keyInPem(leaf) };
    },
  };
}

/** Makes a certificate for this name that is signed with its own key. */
export async function createSelfSigned(name: string): Promise<Certificate> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: `CN=${name}`,
    ...validity(),
    signingAlgorithm: algorithm,
    keys,
    extensions: [alternativeNames([name])],
  });
  return { cert: inPem(certificate), key: await keyInPem(keys) };
}

const alternativeNames = (names: readonly string[]) =>
  new x509.SubjectAlternativeNameExtension(
    names.map(value => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value })),
  );

const inPem = (certificate: x509.X509Certificate) => `${certificate.toString('pem')}\n`;

async function keyInPem({ privateKey }: CryptoKeyPair): Promise<string> {
  const key = await crypto.subtle.exportKey('pkcs8', privateKey);
  return `${x509.PemConverter.encode(key, 'PRIVATE KEY')}\n`;
}

/** Positive, as RFC 5280 §4.1.2.2 asks. */
const serialNumber = () => `01${randomBytes(8).toString('hex')}`;

/** Writes texts into files of one test's own and returns their paths. */
export async function writeFiles<Name extends string>(
  texts: Record<Name, string>,
): Promise<Record<Name, string>> {
  const folder = await mkdtemp(join(inject('temporaryFolder'), 'certificates-'));
  const paths = Object.entries<string>(texts).map(async ([name, text]) => {
    const path = join(folder, `${name}.pem`);
    await writeFile(path, text, { mode: 0o600 });
    return [name, path];
  });
  return Object.fromEntries(await Promise.all(paths));
}
