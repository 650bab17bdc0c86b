'use client';

import { useSession } from 'gatehouse-auth/react';

/** Rendered by the browser: it knows the session by the hooks. */
export default function Home() {
  const { status, user } = useSession();
  if (status === 'loading') return <p>One moment…</p>;
  if (status === 'signed-out') return <a href="/account/login?next=/shop">Sign in</a>;
  return (
    <p>
      Welcome, {user?.fullName ?? user?.email}. <a href="/shop">To your basket</a>
    </p>
  );
}
