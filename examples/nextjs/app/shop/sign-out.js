'use client';

const key = 'svc.access_token';

/** Ends the session, takes the cookie away, and forgets the token. */
async function signOut() {
  await fetch('/api/auth/logout', {
    method: 'POST',
    headers: { Authorization: `Bearer ${localStorage.getItem(key)}` },
  });
  await fetch('/api/auth/browser-session', { method: 'DELETE' });
  localStorage.removeItem(key);
  location.assign('/shop');
}

export function SignOut() {
  return (
    <button type="button" onClick={signOut}>
      Sign out
    </button>
  );
}
