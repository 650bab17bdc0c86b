import { redirect } from '@sveltejs/kit';
import { basketOf } from '../../lib/server/baskets.js';
import { getGatehouse } from '../../lib/server/gatehouse.js';

/** A page for people who are signed in. Anyone else signs in first, and comes back. */
export async function load({ request, setHeaders }) {
  const gatehouse = await getGatehouse();
  const session = await gatehouse.sessionOf(request, { browser: true });
  if (!session) redirect(307, '/account/login?next=/shop');
  setHeaders({ 'Cache-Control': 'private, no-store', Vary: 'Cookie' });
  return { email: session.user.email, items: basketOf(session.user.id) };
}
