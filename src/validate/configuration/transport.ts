import type { ConnectionReport } from '../../storage/backend.ts';
import type { Transport } from '../../storage/transport.ts';
import type { Finding } from './finding.ts';

/** How to protect the connections of each kind of server. */
export const remedies = {
  postgresql: 'add sslmode=verify-full, and sslrootcert where its authority is your own, to database_url',
  mongodb:
    'write tls=true, and tlsCAFile where its authority is your own, into database_url, and no tlsAllowInvalid… or tlsInsecure',
  redis: 'write rediss://, with ssl_ca_certs where its authority is your own, in rate_limit_store_url',
} as const;

/** Checks whether an attacker on the network could read or change what a connection carries. */
export function checkTransport(transport: Transport, remedy: string): Finding {
  const { isLocal, isEncrypted, verifies } = transport;
  if (!isEncrypted) {
    return isLocal
      ? ['ok', 'the connection is not encrypted, and stays on this machine']
      : ['warn', `the connection to another machine is not encrypted: ${remedy}`];
  }
  if (verifies.name) return ['ok', 'the connection is encrypted, and the server is verified'];
  if (verifies.issuer) {
    return [
      'ok',
      'the connection is encrypted, and the authority of the server is verified, but not its name',
    ];
  }
  const unverified = 'the connection is encrypted, but the server is not verified';
  return isLocal
    ? ['ok', unverified]
    : ['warn', `${unverified}, so an attacker in between could impersonate it: ${remedy}`];
}

/** Returns a finding about the connection pooler, if there is one. */
export function checkPooler(pooler: ConnectionReport['pooler']): Finding[] {
  if (!pooler) return [];
  if (pooler.preparesStatements) {
    return [['ok', 'a connection pooler is in front of the database, and supports prepared statements']];
  }
  return [
    [
      'warn',
      'a connection pooler is in front of the database and does not support prepared statements (errors 42P05 or 26000), so every statement is planned each time: with PgBouncer, use 1.21 or newer and set max_prepared_statements above 0, or pool_mode = session',
    ],
  ];
}
