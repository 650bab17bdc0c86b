import type { ConnectionOptions, PeerCertificate, SecureContext } from 'node:tls';
import type { PostgresqlUrl } from '../config/postgresql-url.ts';
import { readTlsFiles } from '../config/tls-files.ts';
import { type Address, isLocal } from '../config/url-parts.ts';
import { StorageError } from './errors.ts';
import type { Transport } from './transport.ts';

/** One way to a host. */
export type Way = 'clear' | 'tls';

const unverified = { issuer: false, name: false };

// Most installations do not use this module, and an import would load it for all of them.
const tls = () => process.getBuiltinModule('node:tls');

/**
 * Returns the ways to each host that `sslmode` allows, with libpq's meanings. If the URL leaves the choice open, a
 * connection that stays on this machine is not encrypted, and any other is encrypted if the server supports it.
 * @throws {StorageError} when a file of the URL cannot be used
 */
export function createWays(database: PostgresqlUrl) {
  const { sslMode, tlsFiles } = database;
  const verifies = {
    // As in libpq, `require` means `verify-ca` if the URL names a certificate authority.
    issuer: sslMode?.startsWith('verify') || (sslMode === 'require' && tlsFiles.ca !== undefined),
    name: sslMode === 'verify-full',
  };
  const secureContext = secureContextOf(database);

  return {
    /** Returns the ways in the order in which they are tried. */
    waysTo({ host }: Address): readonly Way[] {
      // libpq never encrypts connections through a Unix socket.
      if (host.startsWith('/')) return ['clear'];
      switch (sslMode ?? (isLocal(host) ? 'disable' : 'prefer')) {
        case 'disable':
          return ['clear'];
        case 'allow':
          return ['clear', 'tls'];
        case 'prefer':
          return ['tls', 'clear'];
        default:
          return ['tls'];
      }
    },

    /** Returns the driver's TLS options. */
    sslOf({ host }: Address, way: Way): ConnectionOptions | false {
      if (way === 'clear') return false;
      return {
        ...(secureContext && { secureContext }),
        rejectUnauthorized: verifies.issuer,
        // By default the driver would compare the certificate with "localhost" if the host is an address.
        checkServerIdentity: (_: string, certificate: PeerCertificate) =>
          verifies.name ? tls().checkServerIdentity(host, certificate) : undefined,
      };
    },

    transportBy: ({ host }: Address, way: Way): Transport => ({
      isLocal: isLocal(host),
      isEncrypted: way === 'tls',
      verifies: way === 'tls' ? verifies : unverified,
    }),
  };
}

/** Returns the trusted authorities and the client certificate, if the URL names any. */
function secureContextOf({ tlsFiles, trustsSystem }: PostgresqlUrl): SecureContext | undefined {
  if (!trustsSystem && !tlsFiles.ca && !tlsFiles.cert) return undefined;
  try {
    const { ca, ...material } = readTlsFiles(tlsFiles);
    const { createSecureContext, getCACertificates } = tls();
    const system = () => [...getCACertificates('default'), ...getCACertificates('system')];
    return createSecureContext({ ...material, ca: trustsSystem ? system() : ca });
  } catch (error) {
    throw new StorageError(`database_url ${(error as Error).message}.`);
  }
}
