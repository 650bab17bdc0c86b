import { json } from '@sveltejs/kit';
import { getGatehouse } from '../../lib/server/gatehouse.js';

/** For programs, which send their token. */
export async function GET({ request }) {
  const gatehouse = await getGatehouse();
  const { auth, response } = await gatehouse.protect(request);
  return response ?? json({ customer: auth.user.id, orders: [{ id: 1, item: 'Lantern' }] });
}
