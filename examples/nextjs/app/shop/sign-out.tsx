'use client';

import { useSession } from 'gatehouse-auth/react';

/** Ends the session, and takes the cookie away by which the pages know it. */
export function SignOut() {
  const { status, signOut } = useSession();
  // The server has rendered the button; it does something as soon as the browser knows the session.
  return (
    <button
      type="button"
      disabled={status !== 'signed-in'}
      onClick={() => void signOut().then(() => location.assign('/'))}
    >
      Sign out
    </button>
  );
}
