import type { WebhookEndpoint } from '../entities/webhook-endpoint.ts';
import type { Logger } from '../logger.ts';
import type { WebhookEndpointRows } from '../storage/repositories/webhook-endpoints.ts';
import type { NotTaken } from './webhook-request.ts';

/** After how long without taking anything an endpoint is switched off, in milliseconds (CONTRACT §12.2). */
const usualPatienceMs = 3 * 86_400_000;
/** How long what was read is used, in milliseconds: another process may switch an endpoint off, or on. */
const currentForMs = 4000;

interface Parts {
  rows: WebhookEndpointRows;
  logger: Logger;
  /** A monotonic clock, in milliseconds. */
  now: () => number;
  patienceMs?: number | undefined;
}

/**
 * Which endpoints are switched off, as all processes know it: a row in the database, read again every few seconds. The
 * database's clock decides.
 */
export class WebhookStates {
  readonly #parts: Parts;
  #known = new Map<string, WebhookEndpoint>();
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether an endpoint is off, as far as this process knows. */
  isOff = (name: string): boolean => this.#known.get(name)?.offAt != null;

  /**
   * Reads what other processes have changed, unless it was just read. While an endpoint is off it is always read: what is
   * stored, or replayed, right after it was switched on must not be given up.
   */
  async refresh(): Promise<void> {
    const { rows, now } = this.#parts;
    const isAnyOff = [...this.#known.keys()].some(this.isOff);
    if (!isAnyOff && now() - this.#readAt < currentForMs) return;
    const startedAt = now();
    this.#known = new Map((await rows.list()).map(row => [row.id, row]));
    this.#readAt = startedAt;
  }

  /** Reads them where that decides what becomes of an event: for the first time, and while one is off. */
  async refreshFor(names: readonly string[]): Promise<void> {
    const isUnread = this.#readAt === Number.NEGATIVE_INFINITY;
    // A failure is left to the next read.
    if (isUnread || names.some(this.isOff)) await this.refresh().catch(() => {});
  }

  /** Has the next refresh read. */
  forget(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }

  /** Records that an endpoint has taken a delivery. */
  async taken(name: string): Promise<void> {
    const state = this.#known.get(name);
    if (!state?.failingSince) return;
    this.#known.set(name, { ...state, failingSince: null });
    await this.#parts.rows.taken(name);
  }

  /** Records that an endpoint has not taken a delivery, and switches it off where that is due. */
  async failed(name: string, { isGone, code, message }: NotTaken): Promise<void> {
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
