import type { TlsFiles } from './tls-files.ts';
import {
  type Address,
  credentialsOf,
  decoded,
  oneOf,
  parseAddress,
  parseParameters,
  splitUrl,
  textOf,
  tlsFilesOf,
  type UrlParts,
  wholeOf,
} from './url-parts.ts';

/** libpq's levels of protection for a connection, from the weakest to the strongest. */
const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof sslModes)[number];

/** libpq's requirements for the kind of server. */
const sessionAttributes = [
  ...(['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const),
];
export type SessionAttributes = (typeof sessionAttributes)[number];

/** A PostgreSQL database, with libpq's parameters. */
export interface PostgresqlUrl {
  backend: 'postgresql';
  /** The URL in libpq's form. */
  url: string;
  hosts: Address[];
  database: string;
  user: string | undefined;
  password: string | undefined;
  /** Undefined if the URL leaves the choice to Gatehouse. */
  sslMode: SslMode | undefined;
  /** Whether the system's own certificate authorities are trusted. */
  trustsSystem: boolean;
  tlsFiles: TlsFiles;
  applicationName: string | undefined;
  /** Settings for the start of a session: `-c search_path=…`. */
  options: string | undefined;
  /** How long connecting to each host may take, in seconds. */
  connectTimeoutSeconds: number | undefined;
  target: SessionAttributes;
}

const tlsParameters = { ca: 'sslrootcert', cert: 'sslcert', key: 'sslkey' };
const names = [
  ...['host', 'port', 'sslmode', ...Object.values(tlsParameters), 'application_name', 'options'],
  ...['connect_timeout', 'target_session_attrs'],
];
const hints = {
  ssl: 'write sslmode=require, or stronger',
  schema: 'set database_schema',
  channel_binding: 'leave it out, and verify the server by sslmode=verify-full',
  pool_size: 'set database_pool_size',
};
const form = 'postgresql://<user>:<password>@<host>:<port>/<db>';
const defaultPort = 5432;

/** Parses what follows the scheme and its colon. @throws {Error} that says what is expected, and quotes no secret */
export function parsePostgresqlUrl(rest: string): PostgresqlUrl {
  const parts = splitUrl(rest);
  if (!parts) throw new Error(`must have the form ${form}`);
  const parameters = parseParameters(parts.query, { names, hints, lists: ['host'] });
  const database = decoded(parts.path);
  const sslMode = oneOf(parameters, 'sslmode', sslModes);
  const options = textOf(parameters, 'options');
  return {
    backend: 'postgresql',
    url: `postgresql:${rest}`,
    hosts: hostsOf(parts, parameters),
    database,
    sslMode,
    options,
    ...credentialsOf(parts),
    ...tlsOf(parameters, sslMode),
    applicationName: textOf(parameters, 'application_name'),
    connectTimeoutSeconds: wholeOf(parameters, 'connect_timeout'),
    target: oneOf(parameters, 'target_session_attrs', sessionAttributes) ?? 'any',
  };
}

/** Returns the hosts: those before the database, or those in parameters, as an unescaped Unix socket requires. */
function hostsOf({ hosts, path }: UrlParts, parameters: Map<string, string[]>): Address[] {
  const named = parameters.get('host')?.flatMap(list => list.split(','));
  if (named && hosts) throw new Error('must name its hosts once: before the database, or as host=');
  const items =
    named?.map(host => (host.startsWith('/') ? encodeURIComponent(host) : host)) ?? hosts.split(',');
  if (items.join('') === '' || path === '') throw new Error(`must name host and database: ${form}`);
  const ports = textOf(parameters, 'port')?.split(',') ?? [String(defaultPort)];
  if (ports.some(port => !/^\d{1,5}$/.test(port)) || ![1, items.length].includes(ports.length))
    throw new Error('has an invalid port: it must be one number, or one for each host');
  const addresses = items.map((item, i) => parseAddress(item, Number(ports[i] ?? ports[0])));
  if (!addresses.every(address => address !== null)) throw new Error(`must have the form ${form}`);
  return addresses;
}

/** @throws {Error} when parameters contradict each other, or would have no effect */
function tlsOf(parameters: Map<string, string[]>, sslMode: SslMode | undefined) {
  const { ca: root, cert, key } = tlsFilesOf(parameters, tlsParameters);
  const isStrong = sslMode !== undefined && sslModes.indexOf(sslMode) >= sslModes.indexOf('require');
  const first = root ?? cert ?? key;
  if (first && !isStrong) {
    throw new Error(
      `has ${first.parameter}, which protects nothing without sslmode=verify-full (or verify-ca, or require)`,
    );
  }
  const trustsSystem = root?.path === 'system';
  if (trustsSystem && sslMode !== 'verify-full') {
    throw new Error('has sslrootcert=system, which any certificate satisfies without sslmode=verify-full');
  }
  if (sslMode === 'verify-ca' && !root) {
    throw new Error(
      'has sslmode=verify-ca without sslrootcert, the file of the authority to trust: name it, or write sslmode=verify-full',
    );
  }
  return { trustsSystem, tlsFiles: { ca: trustsSystem ? undefined : root, cert, key } };
}
