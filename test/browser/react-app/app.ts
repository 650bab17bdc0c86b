import { createElement as h, type ReactElement, StrictMode, useState, version } from 'react';
import { type Client, createClient } from '../../../src/client/index.ts';
import { GatehouseProvider, type MfaMethod, useSession, useSignIn } from '../../../src/react/index.ts';

// A small application over the hooks: everything that they tell is on the page, and every act is a button.

/** What is on the page, by `data-…`. */
function Told(values: Record<string, string>): ReactElement[] {
  return Object.entries(values).map(([name, value]) =>
    h('output', { key: name, [`data-${name}`]: true }, value),
  );
}

const button = (text: string, onClick: () => void) =>
  h('button', { key: text, type: 'button', onClick }, text);

function Session({ client }: { client: Client }): ReactElement {
  const { status, user, signOut, refresh } = useSession();
  const [name, setName] = useState('');
  return h(
    'section',
    {},
    ...Told({ react: version, status, user: user?.email ?? '', name: user?.fullName ?? '' }),
    h('input', { 'aria-label': 'Name', value: name, onChange: event => setName(event.currentTarget.value) }),
    button('Rename', () => void client.updateProfile({ fullName: name }).then(refresh)),
    button('Refresh', () => void refresh()),
    button('Sign out', () => void signOut()),
    button('Add a passkey', () => void client.addPasskey({ name: 'Key' }).then(refresh)),
  );
}

function SignIn(): ReactElement {
  const { step, methods, error, pending, ...acts } = useSignIn();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const input = (label: string, value: string, set: (value: string) => void) =>
    h('input', { key: label, 'aria-label': label, value, onChange: event => set(event.currentTarget.value) });
  return h(
    'section',
    {},
    ...Told({ step, methods: methods.join(' '), error: error?.code ?? '', pending: String(pending) }),
    input('Email', email, setEmail),
    input('Password', password, setPassword),
    button('Sign in', () => void acts.withPassword(email, password)),
    button('Use a passkey', () => void acts.withPasskey()),
    input('Code', code, setCode),
    ...methods.map(method =>
      button(`Confirm by ${method}`, () => void acts.withCode(method as MfaMethod, code)),
    ),
    button('Send a code', () => void acts.sendCode()),
    button('Start again', () => acts.restart()),
  );
}

/** Returns the application, and counts in the title how often the session has ended. */
export function application(url: string, door: 'rest' | 'graphql', onSessionEnded: () => void): ReactElement {
  const client = createClient({ url, door, onSessionEnded });
  const children = [h(Session, { key: 'session', client }), h(SignIn, { key: 'sign-in' })];
  return h(StrictMode, {}, h(GatehouseProvider, { client }, children));
}
