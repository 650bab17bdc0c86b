import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { basketOf } from '../../lib/baskets';
import { getGatehouse } from '../../lib/gatehouse';
import { SignOut } from './sign-out';

/** A page for people who are signed in. Anyone else signs in first, and comes back. */
export default async function Shop() {
  const gatehouse = await getGatehouse();
  // A server component has the headers of the request, and no request.
  const request = new Request(`${gatehouse.config.baseUrl}/shop`, { headers: await headers() });
  const session = await gatehouse.sessionOf(request, { browser: true });
  if (!session) redirect('/account/login?next=/shop');
  return (
    <main>
      <h1>Basket of {session.user.email}</h1>
      <ul>
        {basketOf(session.user.id).map((item, i) => (
          <li key={i}>{item}</li>
        ))}
      </ul>
      <form method="post" action="/shop/basket">
        <label>
          Item <input name="item" required />
        </label>
        <button type="submit">Add</button>
      </form>
      <SignOut />
    </main>
  );
}
