import { getGatehouse } from '../lib/gatehouse.js';

/** Gatehouse serves every path that is no page of this application: its API, its pages and their files. */
export async function ALL({ request, clientAddress }) {
  const gatehouse = await getGatehouse();
  return gatehouse.fetch(request, { ip: clientAddress });
}
