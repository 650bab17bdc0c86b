import { createClient } from 'gatehouse-auth/client';
import { GatehouseProvider, useSession, useSignIn } from 'gatehouse-auth/react';
import { createRoot } from 'react-dom/client';

const client = createClient({
  url: `${API}/api/auth`,
  door: 'graphql',
  userFields: { company: 'string' },
  roles: ['editor'],
});

function App() {
  const { status, user, signOut } = useSession();
  const { withPassword, error } = useSignIn();
  if (status === 'loading') return <p>One moment…</p>;
  if (status === 'signed-in')
    return (
      <p>
        {user.fields.company} ({user.roles.join()}){' '}
        <button type="button" onClick={signOut}>
          Sign out
        </button>
      </p>
    );
  return (
    <form action={data => withPassword(data.get('email'), data.get('password'))}>
      <input name="email" aria-label="Email" />
      <input name="password" type="password" aria-label="Password" />
      <button type="submit">Sign in</button>
      {error && <p role="alert">{error.message}</p>}
    </form>
  );
}

createRoot(document.getElementById('root')).render(
  <GatehouseProvider client={client}>
    <App />
  </GatehouseProvider>,
);
