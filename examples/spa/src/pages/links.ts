import { client } from '../client.ts';
import { actionButton, link, paragraph } from '../elements.ts';
import { form } from '../form.ts';
import { go, type Page, takeParameter } from '../router.ts';

/** Where emailed links lead. Mail scanners follow links too, so opening a page does nothing: its button does. */
function confirmation(
  { title, button, said }: { title: string; button: string; said: string },
  confirm: (token: string) => Promise<unknown>,
): Page {
  const token = takeParameter('token');
  if (!token) {
    return {
      title,
      content: [paragraph('This page needs the link from the email.'), link('/login', 'Sign in')],
    };
  }
  const done = async () => {
    await confirm(token);
    go('/login', said);
    return undefined;
  };
  return { title, content: [actionButton(button, done)] };
}

export const verify = (): Page =>
  confirmation(
    {
      title: 'Confirm your address',
      button: 'This address is mine',
      said: 'Your address is confirmed. You can sign in now.',
    },
    token => client.verify({ token }),
  );

export const confirmEmailChange = (): Page =>
  confirmation(
    {
      title: 'Confirm your new address',
      button: 'Use this address',
      said: 'Your address is changed. Sign in with the new one.',
    },
    token => client.confirmEmailChange({ token }),
  );

export function resetPassword(): Page {
  const title = 'Choose a new password';
  const token = takeParameter('token');
  if (!token) return { title, content: [link('/forgot', 'Ask for a link first')] };
  const choose = form({
    fields: [{ name: 'newPassword', label: 'New password', type: 'password', autocomplete: 'new-password' }],
    submit: 'Set password',
    async send({ newPassword }) {
      await client.resetPassword({ token, newPassword });
      go('/login', 'Your password is set. You can sign in with it now.');
      return undefined;
    },
  });
  return { title, content: [choose, link('/login', 'To the sign-in')] };
}
