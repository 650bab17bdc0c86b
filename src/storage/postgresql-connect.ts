import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { PostgresqlUrl, SessionAttributes } from '../config/postgresql-url.ts';
import type { Address } from '../config/url-parts.ts';
import { isPassing } from './driver-codes.ts';
import {
  isAboutEncryption,
  noServer,
  refusalOf,
  type SessionFacts,
  unfitness,
  WrongServer,
} from './postgresql-refusals.ts';
import { createWays, type Way } from './postgresql-ways.ts';
import type { Transport } from './transport.ts';

type Connected = (error: unknown, client?: Client) => void;

/** The driver's client, as far as it is used here. */
interface Client extends EventEmitter {
  connection: EventEmitter & { stream: Socket };
  /** The number of the session, as the server, or a pooler in front of it, assigned it. */
  processID: number | null;
  connect(callback?: Connected): Promise<Client> | undefined;
  query(query: object): Promise<{ rows: Record<string, unknown>[] }>;
}
export type ClientClass = new (options: object) => Client;

interface Bounds {
  /** How long all attempts at one connection may take together, in milliseconds. */
  timeoutMs: number;
  /** How long the server may take for a statement, in milliseconds; 0 for no limit. */
  statementTimeoutMs: number;
}

/** Ignores the error event of a broken connection: its statement fails with the same error. */
const ignore = () => {};

/**
 * Returns a connector that works as libpq does: it connects to the first host that meets the requirements of the URL,
 * encrypted as `sslmode` says. The driver itself supports only one host and one way to connect to it.
 * @throws {StorageError} when a file of the URL cannot be used
 */
export function createConnector(database: PostgresqlUrl, { timeoutMs, statementTimeoutMs }: Bounds) {
  const { waysTo, sslOf, transportBy } = createWays(database);
  const hostMs = Math.min(
    Math.floor(timeoutMs / database.hosts.length),
    (database.connectTimeoutSeconds ?? Number.POSITIVE_INFINITY) * 1000,
  );
  const targets: readonly SessionAttributes[] =
    database.target === 'prefer-standby' ? ['standby', 'any'] : [database.target];
  let latest: { host: Address; transport: Transport; isPooled: boolean } | undefined;

  /** The hosts, beginning with the one that was suitable last time; those that did not respond come last. */
  let order: readonly Address[] = database.hosts;
  const others = (host: Address) => order.filter(each => each !== host);

  /** Returns the driver's client class with its way to connect replaced. */
  const routed = (base: ClientClass): ClientClass =>
    class RoutedClient extends base {
      readonly #options: object;

      constructor(options: object) {
        super(options);
        this.#options = options;
      }

      override connect(callback?: Connected) {
        const connecting = this.#connect();
        if (!callback) return connecting;
        connecting.then(
          () => callback(null, this),
          error => callback(error),
        );
        return undefined;
      }

      async #connect(): Promise<Client> {
        // The pool listens for errors only after it has received the client.
        this.on('error', ignore);
        try {
          await this.#connectToFirst();
          return this;
        } catch (error) {
          // The pool drops a client that failed to connect without closing it, although it may be connected to an
          // unsuitable server.
          this.#hangUp();
          throw error;
        } finally {
          this.off('error', ignore);
        }
      }

      async #connectToFirst(): Promise<void> {
        const failures: { host: Address; error: unknown }[] = [];
        for (const target of targets) {
          for (const host of order) {
            try {
              await this.#connectTo(host, target);
              order = [host, ...others(host)];
              return;
            } catch (error) {
              failures.push({ host, error });
              if (error instanceof WrongServer) continue;
              // As in libpq, a host that rejects this user ends the search; one that is unavailable does not.
              if (!isPassing(error)) throw error;
              order = [...others(host), host];
            }
          }
        }
        throw database.hosts.length === 1 ? failures.at(-1)!.error : noServer(failures);
      }

      async #connectTo(host: Address, target: SessionAttributes): Promise<void> {
        const way = await this.#connectInAnyWay(host);
        const isPooled = !(await this.#begin(host, target));
        latest = { host, isPooled, transport: transportBy(host, way) };
      }

      async #connectInAnyWay(host: Address): Promise<Way> {
        const ways = waysTo(host);
        for (const [i, way] of ways.entries()) {
          try {
            await this.#attempt(host, way);
            return way;
          } catch (error) {
            const isLast = i === ways.length - 1;
            if (isLast || !isAboutEncryption(error)) {
              throw refusalOf(error, { database, host, ways: ways.slice(0, i + 1) });
            }
          }
        }
        throw new Error('there is no way to a host');
      }

      #attempt({ host, port }: Address, way: Way): Promise<void> {
        const ssl = sslOf({ host, port }, way);
        // Not a copy: the pool makes the password non-enumerable.
        const options = Object.create(this.#options);
        this.#renew(Object.assign(options, { host, port, ssl, connectionTimeoutMillis: hostMs }));
        return new Promise((resolve, reject) => {
          super.connect(error => (error ? reject(error) : resolve()));
        });
      }

      #hangUp(): void {
        this.connection.removeAllListeners();
        this.connection.on('error', ignore);
        this.connection.stream.destroy();
      }

      /** The driver's client can connect only once, so this one is reset to the state of a new one. */
      #renew(options: object): void {
        this.#hangUp();
        const fresh = Object.getOwnPropertyDescriptors<object>(new base(options));
        // Listeners are kept.
        for (const name of ['_events', '_eventsCount', '_maxListeners']) Reflect.deleteProperty(fresh, name);
        Object.defineProperties(this, fresh);
      }

      /**
       * Checks what kind of server it is, and returns whether the session is exclusively ours. Only then is anything set
       * in it: a pooler passes the session, with its settings, on to other clients.
       */
      async #begin(host: Address, target: SessionAttributes): Promise<boolean> {
        const isOwn = `pg_backend_pid() = ${this.processID ?? 0}`;
        const { rows } = await this.query({
          text: `select ${isOwn} as "isOwn", pg_is_in_recovery() as "isStandby",
            current_setting('transaction_read_only') = 'on' as "isReadOnly",
            case when ${isOwn} then set_config('statement_timeout', '${statementTimeoutMs}', false) end`,
          query_timeout: hostMs,
        });
        const session = rows[0] as unknown as SessionFacts & { isOwn: boolean };
        const reason = unfitness(target, session);
        if (reason !== null) throw new WrongServer(host, reason, database.target);
        return session.isOwn;
      }
    };

  return {
    routed,
    timeoutMs,
    /** Tries the host of the latest connection last from now on. */
    avoidLatest() {
      if (latest) order = [...others(latest.host), latest.host];
    },
    /** Returns what is known of the latest connection; undefined before the first one. */
    latest: () => latest,
  };
}
