import { addTo } from '../../../lib/server/baskets.js';
import { getGatehouse } from '../../../lib/server/gatehouse.js';

/** The form needs no token of its own: with `browser`, only requests from this site count. */
export async function POST({ request }) {
  const gatehouse = await getGatehouse();
  const { auth, response } = await gatehouse.protect(request, { browser: true });
  if (response) return response;
  addTo(auth.user.id, String((await request.formData()).get('item')));
  return new Response(null, { status: 303, headers: { Location: '/shop' } });
}
