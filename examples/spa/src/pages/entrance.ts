import { client } from '../client.ts';
import { actionButton, link, paragraph } from '../elements.ts';
import { form } from '../form.ts';
import { pendingLogin } from '../once.ts';
import { type Page, present, takeParameter } from '../router.ts';
import { beginSignIn, failureInWords } from './external.ts';
import { finish } from './finish.ts';

const email = { name: 'email', label: 'Email', type: 'email', autocomplete: 'username' } as const;

/** Password first; a second step follows where the account has one. */
export async function login(): Promise<Page> {
  const features = await client.features();
  const failure = takeParameter('error');
  const signIn = form({
    fields: [
      email,
      { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' },
    ],
    submit: 'Sign in',
    send: async input => finish(await client.login(input)),
  });
  return {
    title: 'Sign in',
    content: [
      ...(failure ? [paragraph(failureInWords(failure))] : []),
      signIn,
      ...features.oauthProviders.map(({ name, label }) =>
        actionButton(`Continue with ${label}`, () => beginSignIn(name)),
      ),
      ...(features.passwordReset ? [paragraph(link('/forgot', 'Forgot your password?'))] : []),
      ...(features.registration ? [paragraph('New here? ', link('/register', 'Create an account'))] : []),
    ],
  };
}

export function mfa(): Page {
  const mfaPendingToken = pendingLogin.peek();
  if (!mfaPendingToken) return { title: 'Sign in again', content: [link('/login', 'To the sign-in')] };
  const confirm = form({
    fields: [{ name: 'code', label: 'Code', autocomplete: 'one-time-code', numeric: true }],
    submit: 'Sign in',
    async send({ code }) {
      const session = await client.confirmLoginMfa({ mfaPendingToken, code });
      pendingLogin.take();
      return finish(session);
    },
  });
  const content = [paragraph('We sent a code to your phone.'), confirm, link('/login', 'Start again')];
  return { title: 'Enter your code', content };
}

export async function register(): Promise<Page> {
  const { passwordMinLength } = await client.features();
  const create = form({
    fields: [
      email,
      { name: 'fullName', label: 'Name (optional)', autocomplete: 'name', optional: true },
      {
        name: 'password',
        label: `Password, at least ${passwordMinLength} characters`,
        type: 'password',
        autocomplete: 'new-password',
      },
    ],
    submit: 'Create account',
    async send(input) {
      const registered = await client.register(input);
      if ('id' in registered) return 'Your account is there. You can sign in now.';
      present(checkMail(input.email));
      return undefined;
    },
  });
  return { title: 'Create an account', content: [create, link('/login', 'Sign in')] };
}

const checkMail = (email: string): Page => ({
  title: 'Check your email',
  content: [
    paragraph(`Almost done: follow the link in the email that we sent to ${email}.`),
    actionButton('Send it again', async () => {
      const { message } = await client.resendVerification({ email });
      return message;
    }),
    paragraph('Is the address wrong? ', link('/register', 'Register with another one')),
    paragraph('Confirmed already? ', link('/login', 'Sign in')),
  ],
});

export function forgot(): Page {
  const ask = form({
    fields: [email],
    submit: 'Send me a link',
    send: async input => (await client.forgotPassword(input)).message,
  });
  return { title: 'Set a new password', content: [ask, link('/login', 'Back to the sign-in')] };
}
