import type { MongodbUrl } from '../config/mongodb-url.ts';
import { shownAddress } from '../config/url-parts.ts';
import { databaseCode, isPassing } from './driver-codes.ts';
import { StorageError, storageErrorOf } from './errors.ts';
import { tlsFailure } from './transport.ts';

/** Yields the error of each server, which the driver keeps in its description of the deployment. */
function* serverErrors(error: unknown): Generator<unknown> {
  for (let e = error, depth = 0; e instanceof Error && depth < 8; e = e.cause, depth++) {
    const { reason } = e as { reason?: { servers?: Map<string, { error?: unknown }> } };
    for (const { error } of reason?.servers?.values() ?? []) if (error) yield error;
    yield e;
  }
}

/** Returns the code of the innermost error of Node or the server, because those of the driver's classes say less. */
function deepestCode(error: unknown): string {
  for (const each of serverErrors(error)) {
    for (let e = each; e instanceof Error; e = e.cause) {
      const { code } = e as NodeJS.ErrnoException;
      if (typeof code === 'string') return code;
    }
  }
  return databaseCode(error);
}

/** Returns the error for a secondary that the URL names directly. */
export const readOnlyError = () =>
  new StorageError(
    'MongoDB accepts no writes: this server is not the primary. Name the whole replica set in database_url.',
    'read_only',
  );

/**
 * Returns what is wrong with the server in one line that holds no password and no row; some causes are only recognised
 * while the schema is being installed.
 */
export function explain(error: unknown, database: MongodbUrl, isInstalling = false): unknown {
  const known = storageErrorOf(error);
  if (known) return known;
  const hosts = database.isSrv ? database.hosts.map(({ host }) => host) : database.hosts.map(shownAddress);
  const at = `MongoDB at ${hosts.join(', ')}`;
  const code = databaseCode(error);
  if (code === '18' || code === '8000') {
    return new StorageError(
      `${at} rejects the user or the password. Check user, password and authSource in database_url.`,
    );
  }
  if (code === '13' && isInstalling) {
    return new StorageError(
      `This MongoDB user may not create indexes in "${database.database}". Grant it readWrite there.`,
    );
  }
  // NotWritablePrimary, NotPrimaryNoSecondaryOk
  if (code === '10107' || code === '13435') return readOnlyError();
  for (const each of serverErrors(error)) {
    const failure = tlsFailure(each);
    if (failure) {
      return new StorageError(
        `The TLS connection to ${at} failed: ${failure}. Check tls, tlsCAFile and the hosts of database_url.`,
      );
    }
    // A server that requires TLS closes the connection of a client without it, and sends no reason.
    if (
      !database.isEncrypted &&
      each instanceof Error &&
      /^connection \S+ to .* closed$/.test(each.message)
    ) {
      return new StorageError(
        `${at} closes the connection without a reply, so it may require TLS: add tls=true to database_url, and tlsCAFile where its authority is your own.`,
      );
    }
  }
  if (isPassing(error)) {
    return new StorageError(
      `${at} is unreachable (${deepestCode(error)}). Check that it runs and that database_url names it.`,
    );
  }
  return error;
}
