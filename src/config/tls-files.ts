import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A file that a URL names, and the parameter that names it. */
export interface NamedFile {
  parameter: string;
  path: string;
}

/** The files of a TLS client: the trusted authorities, and its own certificate and key. */
export interface TlsFiles {
  ca?: NamedFile | undefined;
  crl?: NamedFile | undefined;
  cert?: NamedFile | undefined;
  key?: NamedFile | undefined;
  /** Decrypts the key. */
  passphrase?: string | undefined;
}

/** The contents of these files, as `node:tls` takes them. */
export type TlsMaterial = { [Name in keyof TlsFiles]: string };

/** Returns a parser of URLs that also checks the files which a URL names. */
export const withTlsFiles =
  <T extends object>(parse: (url: string) => T) =>
  (url: string): T => {
    const parsed: T & { tlsFiles?: TlsFiles } = parse(url);
    if (parsed.tlsFiles) readTlsFiles(parsed.tlsFiles);
    return parsed;
  };

const parts = ['ca', 'crl', 'cert', 'key'] as const;

/**
 * Reads the files, and checks that each has the right kind of content.
 * @throws {Error} that names parameter and file
 */
export function readTlsFiles(files: TlsFiles): TlsMaterial {
  const material: TlsMaterial = {};
  if (files.passphrase !== undefined) material.passphrase = files.passphrase;
  for (const part of parts) {
    const file = files[part];
    if (file) material[part] = readNamed(file);
  }
  const { ca, crl, cert, key, passphrase } = material;
  // OpenSSL accepts a list without any authority in it, and then trusts none.
  if (files.ca) assertUsable([files.ca], () => new X509Certificate(ca!));
  if (files.crl) assertUsable([files.crl], () => context({ crl }));
  const own = [files.cert, files.key].filter(file => file !== undefined);
  if (own.length > 0) assertUsable(own, () => context({ cert, key, passphrase }));
  return material;
}

// Most installations do not use this module, and an import would load it for all of them.
const context = (material: object) => process.getBuiltinModule('node:tls').createSecureContext(material);

function readNamed({ parameter, path }: NamedFile): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'does not exist' : `can't be read (${code})`;
    throw new Error(`names a file in ${parameter} that ${why}: ${path}`);
  }
}

function assertUsable(files: NamedFile[], use: () => unknown): void {
  try {
    use();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const named = [...new Set(files.map(({ parameter, path }) => `${parameter} (${path})`))].join(' and ');
    throw new Error(`names ${named}, which TLS can't use (${code ?? message})`);
  }
}
