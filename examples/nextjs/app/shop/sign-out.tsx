'use client';

import { useSession } from 'gatehouse-auth/react';

/** Ends the session, and takes the cookie away by which the pages know it. */
export function SignOut() {
  const { signOut } = useSession();
  return (
    <button type="button" onClick={() => void signOut().then(() => location.assign('/'))}>
      Sign out
    </button>
  );
}
