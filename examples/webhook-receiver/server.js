// A receiver of Gatehouse's webhooks: it checks the signature, does everything once, and answers at once.
import { createServer } from 'node:http';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

const { PORT = '8100', WEBHOOK_SECRET } = process.env;
if (!WEBHOOK_SECRET) throw new Error('Set WEBHOOK_SECRET to the secret of the webhook: whsec_…');
const webhook = new Webhook(WEBHOOK_SECRET);

/** The largest delivery that is read, in bytes. */
const largestBody = 256 * 1024;

// The ids of what was done. A real receiver keeps them in its database, in the transaction that does the work.
const done = new Set();

/** The work for each type of event; every other type is acknowledged and ignored. */
const handlers = {
  user_registered: ({ user }) => console.log(`a new customer: ${user.id}`),
  user_deleted: ({ user }) => console.log(`a customer has left: ${user.id}`),
};

createServer(async (request, response) => {
  const answer = status => response.writeHead(status).end();
  if (request.method !== 'POST' || request.url !== '/webhooks') return answer(404);
  try {
    // The signature is that of the bytes, so they are checked before they are parsed.
    const event = webhook.verify(await bodyOf(request), request.headers);
    const id = request.headers['webhook-id'];
    if (!done.has(id)) {
      if (Object.hasOwn(handlers, event.type)) handlers[event.type](event.data);
      done.add(id);
    }
    answer(204);
  } catch (error) {
    const isForged = error instanceof WebhookVerificationError;
    console.error(isForged ? 'a delivery with a wrong signature' : error);
    // Whatever is not 2xx is sent again later.
    answer(isForged ? 401 : 500);
  }
}).listen(Number(PORT), 'localhost', () => console.log(`listening on http://localhost:${PORT}`));

async function bodyOf(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > largestBody) throw new Error('The body is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
