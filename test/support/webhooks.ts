import type { IncomingHttpHeaders } from 'node:http';
import type { ConfigInput } from '../../src/config/schema.ts';
import { listen } from './listening.ts';

/** Secrets of webhooks: `whsec_` and 32 bytes in base64. */
export const webhookSecret = `whsec_${Buffer.alloc(32, 'first').toString('base64')}`;
export const otherSecret = `whsec_${Buffer.alloc(32, 'other').toString('base64')}`;

/** A webhook without a listener and with few events, for tests of other things. */
export const unheardWebhook = {
  webhooks: { crm: { url: 'http://127.0.0.1:9/', secret: webhookSecret, events: ['oauth_signin_started'] } },
} satisfies ConfigInput;

/** A delivery as an endpoint got it. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  id: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of it, it also expects
  event: any;
}

/** How an endpoint answers: with a status, with a status and headers, or never. */
export type Behaviour = number | { status: number; headers: Record<string, string> } | 'silent';

/** Starts a server that keeps what it gets; each path answers as `behave` says. */
export async function startReceiver() {
  const received: Received[] = [];
  const behaviours = new Map<string, (delivery: Received) => Behaviour | Promise<Behaviour>>();
  let inFlight = 0;
  const most = new Map<string, number>();
  const { origin, close } = await listen(async (request, response) => {
    const path = request.url ?? '';
    most.set(path, Math.max(most.get(path) ?? 0, ++inFlight));
    response.on('close', () => inFlight--);
    let body = '';
    request.setEncoding('utf8');
    for await (const chunk of request) body += chunk;
    const { headers } = request;
    const delivery = { path, headers, body, id: String(headers['webhook-id']), event: JSON.parse(body) };
    received.push(delivery);
    const behaviour = (await behaviours.get(path)?.(delivery)) ?? 204;
    if (behaviour === 'silent') return;
    const { status, headers: given } =
      typeof behaviour === 'number' ? { status: behaviour, headers: {} } : behaviour;
    response.writeHead(status, given).end(status === 204 ? undefined : 's3cret text of the endpoint');
  });
  return {
    origin,
    received,
    /** What arrived at a path, oldest first. */
    at: (path: string) => received.filter(delivery => delivery.path === path),
    behave: (path: string, behaviour: Behaviour | ((delivery: Received) => Behaviour | Promise<Behaviour>)) =>
      behaviours.set(path, typeof behaviour === 'function' ? behaviour : () => behaviour),
    /** How many requests have no response yet. */
    inFlight: () => inFlight,
    mostAtOnce: (path: string) => most.get(path) ?? 0,
    close,
  };
}
