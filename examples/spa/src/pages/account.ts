import type { Features, User } from 'gatehouse-auth/client';
import { client } from '../client.ts';
import { actionButton, element, paragraph } from '../elements.ts';
import { form } from '../form.ts';
import { go, type Page, takeParameter } from '../router.ts';
import { login } from './entrance.ts';
import { failureInWords } from './external.ts';
import { phone } from './phone.ts';

const currentPassword = {
  name: 'currentPassword',
  label: 'Current password',
  type: 'password',
  autocomplete: 'current-password',
} as const;

const section = (title: string, ...children: Node[]) =>
  element('section', {}, element('h2', {}, title), ...children);

/** The account that is signed in; the sign-in for everybody else. */
export async function account(): Promise<Page> {
  if (!client.token) return login();
  const failure = takeParameter('error');
  const linked = takeParameter('linked');
  const [me, features] = await Promise.all([client.me(), client.features()]);
  return {
    title: me.fullName ?? me.email,
    content: [
      ...(failure ? [paragraph(failureInWords(failure))] : []),
      ...(linked ? [paragraph('It is linked now.')] : []),
      section('Profile', paragraph(me.email), profile(me)),
      section('Password', changePassword()),
      section('Address', changeEmail()),
      ...(features.sms2fa ? [section('Second step at sign-in', phone(me))] : []),
      ...(features.oauth ? [section('Other ways to sign in', ...(await providers()))] : []),
      section(
        'Leave',
        actionButton('Sign out', () => leave(false)),
        actionButton('Sign out everywhere', () => leave(true)),
      ),
      ...deletion(features),
    ],
  };
}

async function leave(everywhere: boolean): Promise<undefined> {
  await client.logout({ everywhere });
  go('/login', everywhere ? 'You are signed out on every device.' : 'You are signed out.');
  return undefined;
}

const profile = ({ fullName }: User) =>
  form({
    fields: [
      { name: 'fullName', label: 'Name', autocomplete: 'name', value: fullName ?? '', optional: true },
    ],
    submit: 'Save',
    async send(input) {
      await client.updateProfile(input);
      return 'Saved.';
    },
  });

const changePassword = () =>
  form({
    fields: [
      currentPassword,
      { name: 'newPassword', label: 'New password', type: 'password', autocomplete: 'new-password' },
    ],
    submit: 'Change password',
    async send(input) {
      // Every session ends with the password, this one too.
      await client.changePassword(input);
      go('/login', 'Your password is changed. Sign in with the new one.');
      return undefined;
    },
  });

const changeEmail = () =>
  form({
    fields: [
      { name: 'newEmail', label: 'New address', type: 'email', autocomplete: 'email' },
      currentPassword,
    ],
    submit: 'Change address',
    send: async input => (await client.changeEmail(input)).message,
  });

async function providers(): Promise<Node[]> {
  const { available, linked: identities } = await client.oauthProviders();
  const linked = new Set(identities.map(({ provider }) => provider));
  return available.map(provider =>
    linked.has(provider)
      ? actionButton(`Unlink ${provider}`, async () => {
          await client.unlinkOAuth({ provider });
          go('/');
          return undefined;
        })
      : actionButton(`Link ${provider}`, async () => {
          const { authorizationUrl } = await client.startOAuthLink({ provider });
          location.assign(authorizationUrl);
          return undefined;
        }),
  );
}

function deletion(features: Features): Node[] {
  if (!features.accountDeletion) return [];
  const remove = form({
    fields: [currentPassword],
    submit: 'Delete my account for good',
    isDangerous: true,
    async send(input) {
      await client.deleteAccount(input);
      go('/login', 'Your account is deleted.');
      return undefined;
    },
  });
  return [section('Delete', remove)];
}
