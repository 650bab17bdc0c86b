import { getGatehouse } from './lib/server/gatehouse.js';

/** Gatehouse serves every path that is no route of this application: its API, its pages and their files. */
export async function handle({ event, resolve }) {
  if (event.route.id !== null) return resolve(event);
  const gatehouse = await getGatehouse();
  return gatehouse.fetch(event.request, { ip: event.getClientAddress() });
}
