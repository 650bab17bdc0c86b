import type { UserPublic } from './contract/views/account.ts';
import type { AuthenticatorView } from './contract/views/authenticators.ts';
import { type EventName, eventNames, type StoredEventName } from './event-names.ts';
import type { Logger } from './logger.ts';
import type { AuditRecord } from './observability/audit.ts';
import type { OAuthMode } from './tables/oauth-state.ts';

/** Who made a change: the user, a superuser, an operator at the command line, or the host by the server API. */
export type By = 'self' | 'admin' | 'cli' | 'host';

/** How a session began; a host that identified the person itself names the method. */
export type SignInMethod = 'password' | 'mfa' | 'oauth' | 'passkey' | (string & {});

/** The acts whose emails have a link "this was not me" (CONTRACT §12.4). */
export const disownable = ['sign_in', 'authenticator', 'phone', 'identity', 'email'] as const;
export type Disownable = (typeof disownable)[number];

/** A link that was emailed; log the one without its token. */
interface Link {
  url: string;
  url_without_token: string;
}

/** The events that a host can listen to, each with its one argument. They are emitted after the change is stored. */
export interface Events {
  user_registered: { user: UserPublic };
  verification_requested: { email: string } & Link;
  user_verified: { user: UserPublic };
  user_logged_in: { user: UserPublic; method: SignInMethod };
  user_logged_out: { user: UserPublic };
  user_invited: { user: UserPublic } & Link;
  invitation_accepted: { user: UserPublic };
  password_reset_requested: { user: UserPublic } & Link;
  password_reset_completed: { user: UserPublic };
  password_changed: { user: UserPublic };
  password_blocked: { user: UserPublic };
  second_step_failed: { user: UserPublic };
  new_sign_in: { user: UserPublic; device: string | null; ip: string | null };
  not_me_reported: { user: UserPublic; about: Disownable };
  email_change_requested: { user: UserPublic; new_email: string } & Link;
  email_changed: { user: UserPublic; previous_email: string; by: By };
  phone_setup_started: { user: UserPublic; phone: string };
  mfa_enabled: { user: UserPublic };
  mfa_disabled: { user: UserPublic };
  mfa_login_started: { user: UserPublic };
  authenticator_added: { user: UserPublic; authenticator: AuthenticatorView };
  authenticator_removed: { user: UserPublic; authenticator: AuthenticatorView; by: By };
  recovery_code_used: { user: UserPublic; left: number };
  oauth_signin_started: { provider: string; mode: OAuthMode; user?: UserPublic };
  oauth_signin_completed: { user: UserPublic; provider: string; mode: OAuthMode; was_new: boolean };
  oauth_account_linked: { user: UserPublic; provider: string };
  oauth_account_unlinked: { user: UserPublic; provider: string };
  user_updated: { user: UserPublic; by: By };
  user_deleted: { user: UserPublic; by: By };
  audit: AuditRecord;
}

export type Handler<E extends EventName> = (event: Events[E]) => unknown;

/** The second argument of a handler of stored events. */
export interface EventDelivery {
  /** The same in every attempt, so that a handler can recognise an event that it has handled. */
  id: string;
  /** The number of this attempt, from 1. */
  attempt: number;
}

/** As `Handler`, of events that were stored; the delivery tells one try from another. */
export type StoredHandler<E extends EventName> = (event: Events[E], delivery: EventDelivery) => unknown;

/** Stores events for whoever gets them later, before the act is acknowledged. */
export type Recorder = <E extends StoredEventName>(
  name: E,
  event: Events[E],
  act?: string,
) => Promise<void> | undefined;

/** After how long a handler that has not returned is logged, in milliseconds. */
const slowHandlerMs = 10_000;

/** Passes events to the host's handlers. A handler that throws or never returns affects nothing else. */
export class EventHub {
  readonly #handlers = new Map<EventName, Set<Handler<never>>>();
  readonly #recorders: Recorder[] = [];
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /**
   * Calls the handler at every such event from now on, until the returned function is called.
   * @throws {TypeError} when there is no such event
   */
  on<E extends EventName>(name: E, handler: Handler<E>): () => void {
    assertEvent(name, eventNames);
    const handlers = this.#handlers.get(name) ?? new Set();
    this.#handlers.set(name, handlers);
    handlers.add(handler);
    return () => handlers.delete(handler);
  }

  /** Has events stored, too; nothing is waited for while nobody does. */
  recordWith(recorder: Recorder): void {
    this.#recorders.push(recorder);
  }

  /**
   * Starts every handler and waits for none. Returns what is to be awaited before the act is acknowledged: that the event
   * is stored for those who get it later (CONTRACT §12.2 and §15.4), so that no end of the process loses it.
   * @param act identifies an act that may be done again after a stop: its event keeps its id then
   * @throws {GatehouseError} unavailable, when it cannot be stored
   */
  emit<E extends EventName>(name: E, event: Events[E], act?: string): Promise<void> | undefined {
    for (const handler of this.#handlers.get(name) ?? []) {
      // A copy for each handler: its changes must not reach the response or another handler.
      void this.#call(name, handler as Handler<E>, structuredClone(event));
    }
    if (name === 'audit' || this.#recorders.length === 0) return undefined;
    return this.#record(name, event as Events[StoredEventName], act);
  }

  async #record(name: StoredEventName, event: Events[StoredEventName], act?: string): Promise<void> {
    await Promise.all(this.#recorders.map(record => record(name, event, act)));
  }

  async #call<E extends EventName>(name: E, handler: Handler<E>, event: Events[E]): Promise<void> {
    const warnLate = () =>
      this.#logger.warn({ event: name }, `an event handler takes longer than ${slowHandlerMs} ms`);
    const timer = setTimeout(warnLate, slowHandlerMs).unref();
    try {
      await handler(event);
    } catch (err) {
      this.#logger.error({ event: name, err }, 'an event handler failed');
    } finally {
      clearTimeout(timer);
    }
  }
}

/** @throws {TypeError} when it is none of these events */
export function assertEvent(name: string, known: readonly string[]): void {
  if (!known.includes(name)) {
    throw new TypeError(`${name} is none of these events: ${known.join(', ')}.`);
  }
}
