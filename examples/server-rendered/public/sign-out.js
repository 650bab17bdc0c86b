// Ends the session, which takes the cookie away, and forgets the token that the sign-in pages keep.
document.querySelector('#sign-out').addEventListener('click', async () => {
  const token = localStorage.getItem('svc.access_token');
  await fetch('/api/auth/logout', { method: 'POST', headers: { Authorization: `Bearer ${token}` } });
  localStorage.removeItem('svc.access_token');
  location.assign('/');
});
