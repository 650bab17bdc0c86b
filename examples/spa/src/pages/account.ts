import { run } from '../api.ts';
import { actionButton, element, paragraph } from '../elements.ts';
import { form } from '../form.ts';
import {
  type AccountFragment,
  ChangeEmailDocument,
  ChangePasswordDocument,
  DeleteAccountDocument,
  FeaturesDocument,
  type FeaturesQuery,
  LogoutDocument,
  MeDocument,
  ProvidersDocument,
  StartOAuthLinkDocument,
  UnlinkOAuthDocument,
  UpdateProfileDocument,
} from '../operations.ts';
import { go, type Page, takeParameter } from '../router.ts';
import { session } from '../session.ts';
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
  if (!session.get()) return login();
  const failure = takeParameter('error');
  const linked = takeParameter('linked');
  const [{ me }, { features }] = await Promise.all([run(MeDocument), run(FeaturesDocument)]);
  if (!me) return login();
  return {
    title: me.fullName ?? me.email,
    content: [
      ...(failure ? [paragraph(failureInWords(failure))] : []),
      ...(linked ? [paragraph('Your Google account is linked now.')] : []),
      section('Profile', paragraph(me.email), profile(me)),
      section('Password', changePassword()),
      section('Address', changeEmail()),
      ...(features?.sms2fa ? [section('Second step at sign-in', phone(me))] : []),
      ...(features?.oauth ? [section('Other ways to sign in', ...(await providers()))] : []),
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
  await run(LogoutDocument, { input: { everywhere } });
  session.clear();
  go('/login', everywhere ? 'You are signed out on every device.' : 'You are signed out.');
  return undefined;
}

const profile = ({ fullName }: AccountFragment) =>
  form({
    fields: [
      { name: 'fullName', label: 'Name', autocomplete: 'name', value: fullName ?? '', optional: true },
    ],
    submit: 'Save',
    async send(input) {
      await run(UpdateProfileDocument, { input });
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
      await run(ChangePasswordDocument, { input });
      // Every session ends with the password, this one too.
      session.clear();
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
    send: async input => (await run(ChangeEmailDocument, { input })).changeEmail?.message,
  });

async function providers(): Promise<Node[]> {
  const { oauthProviders } = await run(ProvidersDocument);
  const linked = new Set(oauthProviders?.linked.map(({ provider }) => provider));
  return (oauthProviders?.available ?? []).map(provider =>
    linked.has(provider)
      ? actionButton(`Unlink ${provider}`, async () => {
          await run(UnlinkOAuthDocument, { input: { provider } });
          go('/');
          return undefined;
        })
      : actionButton(`Link ${provider}`, async () => {
          const { startOAuthLink } = await run(StartOAuthLinkDocument, { input: { provider } });
          location.assign(startOAuthLink!.authorizationUrl);
          return undefined;
        }),
  );
}

function deletion(features: FeaturesQuery['features']): Node[] {
  if (!features?.accountDeletion) return [];
  const remove = form({
    fields: [currentPassword],
    submit: 'Delete my account for good',
    isDangerous: true,
    async send(input) {
      await run(DeleteAccountDocument, { input });
      session.clear();
      go('/login', 'Your account is deleted.');
      return undefined;
    },
  });
  return [section('Delete', remove)];
}
