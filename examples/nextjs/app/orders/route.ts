import { getGatehouse } from '../../lib/gatehouse.ts';

/** For programs, which send their token. */
export async function GET(request: Request): Promise<Response> {
  const gatehouse = await getGatehouse();
  const { auth, response } = await gatehouse.protect(request);
  return response ?? Response.json({ customer: auth.user.id, orders: [{ id: 1, item: 'Lantern' }] });
}
