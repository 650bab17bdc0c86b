// An instance whose clock is moved, and whose messages are read as their recipients would.
import { developmentSettings } from '../../src/cli/development.ts';
import { loadSettings } from '../../src/cli/settings.ts';
import { type Assembled, assemble } from '../../src/gatehouse.ts';
import type { RenderedMail } from '../../src/mail/mailer.ts';
import { DeliveryError } from '../../src/outgoing/delivery-error.ts';

/** Mails to this domain are refused for good. */
export const bouncing = 'bounces.example';

interface Call {
  token?: string | undefined;
  ip?: string;
  userAgent?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: an answer of the API has a form of its own for each operation
export type Answer = any;

/** The doors through which the demonstration acts. */
export interface Site {
  gatehouse: Assembled;
  /** Moves the clock to so many minutes before now. */
  moveTo(minutesAgo: number): void;
  /** The present time of the clock. */
  now(): Date;
  /** Calls an operation by REST. @throws {Error} where its status is another than the expected one, 200 or 201 or 202 or 204 */
  call(at: string, body?: object, options?: Call, expected?: number): Promise<Answer>;
  /** Waits for the next mail to an address whose subject fits, and returns the token of its link. */
  tokenOf(to: string, subject: RegExp): Promise<string>;
  /** Waits for the next text message to a phone, and returns its code. */
  codeTo(phone: string): Promise<string>;
  close(): Promise<void>;
}

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** How long a message may take, in milliseconds. */
const patienceMs = 30_000;

/** Opens the configured database as `svc serve --dev` does. */
export async function openSite(): Promise<Site> {
  const { config: given } = await loadSettings({}, {}, () => {});
  const { config } = await loadSettings({}, developmentSettings(given), () => {});
  const startedAt = Date.now();
  let minutesAgo = 0;
  let ticks = 0;
  // Two acts are never at the same time.
  const clock = { now: () => new Date(startedAt - minutesAgo * 60_000 + ticks++) };

  const mails: RenderedMail[] = [];
  const texts: { to: string; text: string }[] = [];
  const arrivals = new EventTarget();
  const arrived = () => void arrivals.dispatchEvent(new Event('arrival'));

  /** Takes the first message that fits, once it is there. */
  async function take<M>(list: M[], fits: (message: M) => boolean): Promise<M> {
    const late = AbortSignal.timeout(patienceMs);
    for (;;) {
      const found = list.findIndex(fits);
      if (found >= 0) return list.splice(found, 1)[0]!;
      await new Promise<void>((resolve, reject) => {
        arrivals.addEventListener('arrival', () => resolve(), { once: true });
        late.addEventListener('abort', () =>
          reject(new Error('A message of the demonstration did not come.')),
        );
      });
    }
  }

  const gatehouse = await assemble(config, {
    logger: silent,
    clock,
    mailer: {
      async send(mail) {
        if (mail.to.endsWith(`@${bouncing}`))
          throw new DeliveryError('The mail server does not accept the recipient', {
            code: 'EENVELOPE',
            permanent: true,
          });
        mails.push(mail);
        arrived();
      },
    },
    smsSender: {
      async send(text) {
        texts.push(text);
        arrived();
      },
    },
  });
  await gatehouse.installSchema();
  const base = `${config.baseUrl}${config.apiPrefix}`;

  return {
    gatehouse,
    now: clock.now,
    moveTo(minutes) {
      minutesAgo = minutes;
      ticks = 0;
    },
    async call(at, body, { token, ip = '198.51.100.1', userAgent } = {}, expected) {
      const [method = '', path] = at.split(' ');
      const headers = {
        'Content-Type': 'application/json',
        ...(token && { Authorization: `Bearer ${token}` }),
        ...(userAgent && { 'User-Agent': userAgent }),
      };
      const request = new Request(`${base}${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      const response = await gatehouse.fetch(request, { ip });
      const answer = response.status === 204 ? null : await response.json();
      if (expected === undefined ? !response.ok : response.status !== expected)
        throw new Error(`${at} was answered with ${response.status}: ${JSON.stringify(answer)}`);
      return answer;
    },
    async tokenOf(to, subject) {
      const { text } = await take(mails, mail => mail.to === to && subject.test(mail.subject));
      return new URL(/https?:\/\/\S+token=\S+/.exec(text)![0]).searchParams.get('token')!;
    },
    async codeTo(phone) {
      const { text } = await take(texts, message => message.to === phone);
      return /\d{4,10}/.exec(text)![0];
    },
    close: () => gatehouse.close(),
  };
}
