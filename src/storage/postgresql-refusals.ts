import type { PostgresqlUrl, SessionAttributes } from '../config/postgresql-url.ts';
import { type Address, shownAddress } from '../config/url-parts.ts';
import { databaseCode, isPassing } from './driver-codes.ts';
import { StorageError, serverMessageOf, storageErrorOf } from './errors.ts';
import type { Way } from './postgresql-ways.ts';
import { tlsFailure } from './transport.ts';

/** The report of a session about its server. */
export interface SessionFacts {
  isStandby: boolean;
  isReadOnly: boolean;
}

/** A server that responds but is not of the kind that the URL requires. */
export class WrongServer extends StorageError {
  /** The kind of server, as the end of a sentence. */
  readonly is: string;

  constructor(host: Address, is: string, target: SessionAttributes) {
    super(
      `PostgreSQL at ${shownAddress(host)} ${is}, and database_url asks for target_session_attrs=${target}.`,
    );
    this.is = is;
  }
}

/** Returns why a server is not of the required kind, as the end of a sentence, or null if it is. */
export function unfitness(target: SessionAttributes, { isStandby, isReadOnly }: SessionFacts): string | null {
  switch (target) {
    case 'read-write':
      return isReadOnly ? `is read-only${isStandby ? ', because it is a standby' : ''}` : null;
    case 'read-only':
      return isReadOnly ? null : 'is not read-only';
    case 'primary':
      return isStandby ? 'is a standby' : null;
    case 'standby':
      return isStandby ? null : 'is not a standby';
    default:
      return null;
  }
}

interface PostgresError extends Error {
  /** The function of the server that refused: unlike the message, it is the same in every language. */
  routine?: string;
}

const noTls = /^The server does not support SSL connections$/;

/** Returns whether another way to the host may succeed: encrypted if this one was not, or the reverse. */
export const isAboutEncryption = (error: unknown): boolean =>
  tlsFailure(error) !== null ||
  /^(28000|08P01)$/.test(databaseCode(error)) ||
  (error instanceof Error && (noTls.test(error.message) || /establishing an SSL/.test(error.message)));

/** The connection attempt that failed. */
interface Tried {
  database: PostgresqlUrl;
  host: Address;
  ways: readonly Way[];
}

/** Returns a StorageError that says why a host refused a connection; the error itself if the reason is unknown. */
export function refusalOf(error: unknown, { database, host, ways }: Tried): unknown {
  const at = `PostgreSQL at ${shownAddress(host)}`;
  const { message, routine } = error as PostgresError;
  const code = databaseCode(error);
  const failure = tlsFailure(error);
  if (failure) {
    return new StorageError(
      `The TLS connection to ${at} failed: ${failure}. Check sslmode, sslrootcert and its host.`,
    );
  }
  if (noTls.test(message)) {
    return new StorageError(
      `${at} does not support TLS, and sslmode in database_url requires it. Turn ssl on there, or change sslmode.`,
    );
  }
  const isFromHostFile = code === '28000' && routine === 'ClientAuthentication';
  const wantsTls = isFromHostFile || (code === '08P01' && /SSL required/i.test(message));
  if (wantsTls && !ways.includes('tls')) {
    return new StorageError(
      `${at} rejects unencrypted connections, so it may require TLS: add sslmode=verify-full and sslrootcert to database_url. If it should not require TLS, its pg_hba.conf has no line for this client.`,
    );
  }
  if (isFromHostFile) {
    return new StorageError(
      `${at} does not allow ${userOf(database)} to connect to "${database.database}" from here. Its pg_hba.conf has no line for this client, or requires a client certificate (sslcert and sslkey).`,
    );
  }
  if (/client password must be a string/.test(message)) {
    return new StorageError(`${at} requires a password of ${userOf(database)}, and database_url has none.`);
  }
  return code === '08P01' ? poolerRefusal(message, at) : error;
}

/**
 * Returns the error for a pooler's refusal. Poolers use one code for all of them; their message holds what the URL says,
 * but no password and no row.
 */
function poolerRefusal(message: string, at: string): StorageError {
  const hints: [RegExp, string][] = [
    [/startup parameter/, ' Leave it out of database_url, or name it in ignore_startup_parameters.'],
    [/statement pooling/, ' Set pool_mode = transaction, or session.'],
  ];
  const hint = hints.find(([pattern]) => pattern.test(message))?.[1] ?? '';
  return new StorageError(
    `The connection pooler in front of ${at} refuses the connection: ${message}.${hint}`,
  );
}

/** Returns the name of the user; if the URL has none, the environment supplies it. */
const userOf = ({ user }: PostgresqlUrl) => (user === undefined ? 'this user' : `"${user}"`);

/** Returns the error for several hosts none of which can be used. */
export function noServer(failures: readonly { host: Address; error: unknown }[]): StorageError {
  const reasons = new Map(failures.map(({ host, error }) => [shownAddress(host), reasonOf(error)]));
  const list = [...reasons].map(([host, reason]) => `${host} ${reason}`).join('; ');
  return new StorageError(`None of the PostgreSQL servers can be used: ${list}.`);
}

const reasonOf = (error: unknown) =>
  error instanceof WrongServer ? error.is : `is unreachable (${silenceOf(error)})`;

/** Returns in a few words why no server responded. */
const silenceOf = (error: unknown): string =>
  error instanceof Error && /timeout/i.test(error.message) ? 'no response in time' : databaseCode(error);

/** Returns the error for a standby, or for a role or database with `default_transaction_read_only`. */
export const readOnlyError = () =>
  new StorageError(
    'PostgreSQL accepts no writes: it is a standby, or default_transaction_read_only is on. Name the primary in database_url.',
    'read_only',
  );

/** The rights on each table without which requests fail. */
export const neededRights = 'select, insert, update and delete';

/** The further facts about a failure. */
interface Circumstances {
  /** Whether the schema was being installed. */
  isInstalling?: boolean;
  isPooled?: boolean | undefined;
}

/** Returns what is wrong with the server, in one line that holds no password. */
export function explain(
  error: unknown,
  database: PostgresqlUrl,
  { isInstalling = false, isPooled = false }: Circumstances = {},
): unknown {
  const known = storageErrorOf(error);
  if (known) return known;
  const at = `PostgreSQL at ${database.hosts.map(shownAddress).join(', ')}`;
  const code = databaseCode(error);
  switch (code) {
    case '3D000':
      return new StorageError(
        `${at} has no database "${database.database}". Create it, or change database_url.`,
      );
    case '55000':
      // No statement of Gatehouse causes it: the server has refused the connection.
      return new StorageError(
        `${at} accepts no connections to "${database.database}" at the moment: its ALLOW_CONNECTIONS is false.`,
      );
    case '28P01':
    case '28000':
      return new StorageError(
        `${at} rejects the credentials of ${userOf(database)}. Check user and password in database_url.`,
      );
    case '25006':
      return readOnlyError();
    case '42501':
      if (!isInstalling) {
        return new StorageError(
          `${userOf(database)} may not read or write Gatehouse's tables: make it their owner, or grant it usage on their schema and ${neededRights} on them.`,
        );
      }
      return new StorageError(
        `${userOf(database)} may not create tables in "${database.database}" at ${shownAddress(database.hosts[0]!)}. Grant it CREATE on the schema.`,
      );
    case '08P01':
      // From the server itself, this code would mean that Gatehouse breaks the protocol.
      return isPooled ? poolerRefusal(serverMessageOf(error), at) : error;
  }
  if (isPassing(error)) {
    return new StorageError(
      `${at} is unreachable (${silenceOf(error)}). Check that it runs and is reachable.`,
    );
  }
  return error;
}
