import type { TlsFiles } from './tls-files.ts';
import {
  type Address,
  decoded,
  fileOf,
  oneOf,
  parseAddress,
  parseParameters,
  splitUrl,
  textOf,
  wholeOf,
} from './url-parts.ts';

/** A MongoDB deployment. The driver reads the rest of the URL itself. */
export interface MongodbUrl {
  backend: 'mongodb';
  url: string;
  hosts: Address[];
  /** Whether the hosts are looked up in DNS. */
  isSrv: boolean;
  database: string;
  isEncrypted: boolean;
  verifies: { issuer: boolean; name: boolean };
  tlsFiles: TlsFiles;
  appName: string | undefined;
  maxPoolSize: number | undefined;
}

const tlsFlags = ['tlsAllowInvalidCertificates', 'tlsAllowInvalidHostnames', 'tlsInsecure'] as const;
const tlsFileNames = ['tlsCAFile', 'tlsCRLFile', 'tlsCertificateKeyFile'] as const;

/** The parameters that would weaken the guarantees of CONTRACT §4.5; Gatehouse's own values replace them. */
export const overruledNames = [
  ...['w', 'wtimeout', 'wtimeoutMS', 'journal', 'j', 'fsync', 'safe', 'readPreference', 'readPreferenceTags'],
  ...['maxStalenessSeconds', 'readConcernLevel', 'timeoutMS', 'socketTimeoutMS', 'serverSelectionTimeoutMS'],
  ...['connectTimeoutMS', 'waitQueueTimeoutMS'],
];

/** The parameters that the driver reads from a URL. */
const names = [
  ...['tls', 'ssl', ...tlsFlags, ...tlsFileNames, 'tlsCertificateKeyFilePassword'],
  ...['authMechanism', 'authMechanismProperties', 'authSource', 'appName', 'replicaSet', 'directConnection'],
  ...['loadBalanced', 'srvMaxHosts', 'srvServiceName', 'maxPoolSize', 'minPoolSize', 'maxConnecting'],
  ...['maxIdleTimeMS', 'heartbeatFrequencyMS', 'minHeartbeatFrequencyMS', 'serverMonitoringMode'],
  ...['localThresholdMS', 'retryReads', 'retryWrites', 'compressors', 'zlibCompressionLevel', 'family'],
  ...['autoSelectFamily', 'autoSelectFamilyAttemptTimeout', 'noDelay'],
  ...['proxyHost', 'proxyPort', 'proxyUsername', 'proxyPassword'],
  ...overruledNames,
];
const hints = {
  sslCA: 'write tlsCAFile',
  tlsDisableOCSPEndpointCheck: 'leave it out, as the driver makes no such check',
  tlsDisableCertificateRevocationCheck: 'leave it out, as the driver makes no such check',
  uuidRepresentation: 'leave it out, as no UUID is stored in binary',
};
const booleans = ['true', 'false'] as const;
const defaultPort = 27_017;

/** Parses the URL; `fallback` is the database if the URL names none. @throws {Error} that quotes no secret */
export function parseMongodbUrl(url: string, fallback: string): MongodbUrl {
  const [, scheme = '', rest = ''] = /^([^:]+):(.*)$/s.exec(url) ?? [];
  const isSrv = scheme.toLowerCase() === 'mongodb+srv';
  const parts = splitUrl(rest);
  const hosts = parts?.hosts.split(',').map(host => parseAddress(host, defaultPort));
  if (!parts || !hosts?.every(host => host !== null)) {
    throw new Error('must have the form mongodb://<user>:<password>@<host>:<port>/<db>');
  }
  if (isSrv && (hosts.length > 1 || /:\d+$/.test(parts.hosts)))
    throw new Error('must name one host and no port after mongodb+srv://');
  for (const part of [parts.user, parts.password]) decoded(part ?? '');
  const parameters = parseParameters(parts.query, {
    names,
    hints,
    lists: ['readPreferenceTags'],
    ignoresCase: true,
  });
  return {
    backend: 'mongodb',
    url,
    hosts,
    isSrv,
    database: databaseOf(parts.path) || fallback,
    ...tlsOf(parameters, isSrv),
    appName: textOf(parameters, 'appName'),
    maxPoolSize: wholeOf(parameters, 'maxPoolSize'),
  };
}

function databaseOf(path: string): string {
  const name = decoded(path);
  if (isMongodbName(name)) return name;
  throw new Error(
    'must end in the name of a database, without / \\ . @ $ quotes or spaces; in a password they are written as %2F and so on',
  );
}

/**
 * Excludes the characters that MongoDB rejects in a database name on some system, and `@`, which is a mistake in the
 * user's part.
 */
export const isMongodbName = (name: string) => /^[^/\\. "$*<>:|?@]*$/.test(name);

/** @throws {Error} when an option would have no effect: the driver ignores it silently */
function tlsOf(parameters: Map<string, string[]>, isSrv: boolean) {
  const flag = (name: string) => oneOf(parameters, name, booleans);
  const [tls, ssl] = [flag('tls'), flag('ssl')];
  if (tls && ssl && tls !== ssl) throw new Error('has tls and ssl, which contradict each other');
  const isEncrypted = (tls ?? ssl ?? String(isSrv)) === 'true';
  const [anyCertificate, anyName, anything] = tlsFlags.map(name => flag(name) === 'true');
  const of = [...tlsFlags, ...tlsFileNames, 'tlsCertificateKeyFilePassword'];
  const idle = isEncrypted ? undefined : of.find(name => parameters.has(name));
  if (idle) throw new Error(`has ${idle}, which does nothing without tls=true`);
  const insecure = tlsFlags.filter(name => parameters.has(name));
  if (insecure.length > 1 && insecure.includes('tlsInsecure'))
    throw new Error(`has tlsInsecure together with ${insecure[0]}, which is a part of it: choose one`);
  const file = (parameter: string) => fileOf(parameters, parameter);
  const own = file('tlsCertificateKeyFile');
  const passphrase = textOf(parameters, 'tlsCertificateKeyFilePassword');
  const tlsFiles: TlsFiles = {
    ca: file('tlsCAFile'),
    crl: file('tlsCRLFile'),
    cert: own,
    key: own,
    passphrase,
  };
  const issuer = isEncrypted && !anyCertificate && !anything;
  return { isEncrypted, verifies: { issuer, name: issuer && !anyName }, tlsFiles };
}
