import type { TlsFiles } from './tls-files.ts';
import {
  type Address,
  credentialsOf,
  oneOf,
  parseAddress,
  parseParameters,
  splitUrl,
  tlsFilesOf,
} from './url-parts.ts';

/** A Redis server. */
export interface RedisUrl {
  address: Address;
  user: string | undefined;
  password: string | undefined;
  database: number;
  isEncrypted: boolean;
  verifies: { issuer: boolean; name: boolean };
  tlsFiles: TlsFiles;
}

// The parameters of redis-py, and of clients that follow it.
const tlsParameters = { ca: 'ssl_ca_certs', cert: 'ssl_certfile', key: 'ssl_keyfile' };
const names = ['ssl_cert_reqs', 'ssl_check_hostname', ...Object.values(tlsParameters)];
const hints = {
  db: 'write its number after the host, as in redis://<host>:<port>/2',
  tlsCAFile: 'write ssl_ca_certs',
  cacert: 'write ssl_ca_certs',
  keyPrefix: 'set rate_limit_key_prefix',
};
const form = 'redis://<user>:<password>@<host>:<port>/<number>, or rediss://… for TLS';
const defaultPort = 6379;

/** Parses `rate_limit_store_url`. @throws {Error} that says what is expected, and quotes no secret */
export function parseRedisUrl(url: string): RedisUrl {
  const [, scheme, rest = ''] = /^(rediss?):(.*)$/is.exec(url) ?? [];
  const parts = scheme && splitUrl(rest);
  const address = parts && parseAddress(parts.hosts, defaultPort);
  if (!parts || !address || !/^\d{0,4}$/.test(parts.path)) throw new Error(`must have the form ${form}`);
  const isEncrypted = scheme.toLowerCase() === 'rediss';
  const parameters = parseParameters(parts.query, { names, hints });
  const [first] = parameters.keys();
  if (first && !isEncrypted) throw new Error(`has ${first}, which does nothing without rediss://`);
  const issuer = (oneOf(parameters, 'ssl_cert_reqs', ['required', 'none']) ?? 'required') === 'required';
  const name = (oneOf(parameters, 'ssl_check_hostname', ['true', 'false']) ?? 'true') === 'true';
  const tlsFiles = tlsFilesOf(parameters, tlsParameters);
  if (tlsFiles.ca && !issuer) throw new Error('has ssl_ca_certs, which does nothing with ssl_cert_reqs=none');
  return {
    address,
    isEncrypted,
    ...credentialsOf(parts),
    database: Number(parts.path),
    verifies: { issuer: isEncrypted && issuer, name: isEncrypted && issuer && name },
    tlsFiles,
  };
}
