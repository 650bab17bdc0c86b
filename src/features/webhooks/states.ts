import type { Logger } from '../../logger.ts';
import type { WebhookError } from './request.ts';
import type { WebhookEndpointRows } from './rows.ts';
import type { WebhookEndpoint } from './table.ts';

/** An endpoint that accepts nothing for this long is switched off, in milliseconds (CONTRACT §12.2). */
const usualPatienceMs = 3 * 86_400_000;
/** How long the cached states are used, in milliseconds. Another process may switch an endpoint off or on. */
const currentForMs = 4000;

interface Parts {
  rows: WebhookEndpointRows;
  logger: Logger;
  /** A monotonic clock, in milliseconds. */
  now: () => number;
  patienceMs?: number | undefined;
}

/**
 * The states of endpoints, shared by all processes: a row of each failing endpoint in the database, cached for a few
 * seconds. Times are those of the database's clock.
 */
export class WebhookStates {
  readonly #parts: Parts;
  #known = new Map<string, WebhookEndpoint>();
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns whether an endpoint is off, by the cached states. */
  isOff = (name: string): boolean => this.#known.get(name)?.offAt != null;

  /**
   * Reads the states, unless they are cached. While an endpoint is off they are always read: a delivery that is stored or
   * replayed right after it was switched on must not become a dead letter.
   */
  async refresh(): Promise<void> {
    const { rows, now } = this.#parts;
    const isAnyOff = [...this.#known.keys()].some(this.isOff);
    if (!isAnyOff && now() - this.#readAt < currentForMs) return;
    const startedAt = now();
    this.#known = new Map((await rows.list()).map(row => [row.id, row]));
    this.#readAt = startedAt;
  }

  /** Reads the states before an event is stored for these endpoints, if they are unread or one of the endpoints is off. */
  async refreshFor(names: readonly string[]): Promise<void> {
    const isUnread = this.#readAt === Number.NEGATIVE_INFINITY;
    // After a failure the cached states are used; the next refresh reads again.
    if (isUnread || names.some(this.isOff)) await this.refresh().catch(() => {});
  }

  /** Invalidates the cache. */
  forget(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }

  /** Records that an endpoint has accepted a delivery. */
  async taken(name: string): Promise<void> {
    const state = this.#known.get(name);
    if (!state?.failingSince) return;
    this.#known.set(name, { ...state, failingSince: null });
    await this.#parts.rows.taken(name);
  }

  /** Records that an endpoint has not accepted a delivery, and switches it off when that is due. */
  async failed(name: string, { isGone, code, message }: WebhookError): Promise<void> {
    const { rows, patienceMs = usualPatienceMs } = this.#parts;
    if (isGone) {
      await this.#announce(name, await rows.switchOff(name, 'it answered 410: it is gone'), message);
      return;
    }
    if (this.#known.get(name)?.failingSince) {
      const why = `it has taken nothing for 3 days, at last: ${code}: ${message}`;
      await this.#announce(name, await rows.switchOffIfFailing(name, patienceMs, why), message);
      return;
    }
    await rows.failed(name);
    this.forget();
  }

  async #announce(webhook: string, isSwitchedOff: boolean, reason: string): Promise<void> {
    if (!isSwitchedOff) return;
    this.forget();
    this.#parts.logger.error({ webhook, reason }, 'a webhook was switched off');
    await this.refresh();
  }
}
