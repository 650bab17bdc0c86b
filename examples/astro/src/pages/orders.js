import { getGatehouse } from '../lib/gatehouse.js';

/** For programs, which send their token. */
export async function GET({ request }) {
  const gatehouse = await getGatehouse();
  const { auth, response } = await gatehouse.protect(request);
  return response ?? Response.json({ customer: auth.user.id, orders: [{ id: 1, item: 'Lantern' }] });
}
