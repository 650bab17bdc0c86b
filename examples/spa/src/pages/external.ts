import { client } from '../client.ts';
import { link, paragraph } from '../elements.ts';
import { verifier } from '../once.ts';
import { type Page, takeParameter } from '../router.ts';
import { finish } from './finish.ts';

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, c => ({ '+': '-', '/': '_', '=': '' })[c]!);

/** Begins a sign-in that only this tab can pick up: it alone holds the verifier of the challenge (RFC 7636). */
export async function beginSignIn(provider: string): Promise<undefined> {
  const secret = base64url(crypto.getRandomValues(new Uint8Array(32)));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret));
  const codeChallenge = base64url(new Uint8Array(digest));
  const { authorizationUrl } = await client.startOAuthSignIn({ provider, codeChallenge });
  verifier.set(secret);
  location.assign(authorizationUrl);
}

/** Where the provider's answer ends up: the finished sign-in is picked up, once. */
export async function oauthComplete(): Promise<Page> {
  const id = takeParameter('id');
  const codeVerifier = verifier.take();
  if (id && codeVerifier) {
    finish(await client.exchangeOAuth({ id, codeVerifier }));
    return { title: 'Signing in', content: [] };
  }
  const content = [paragraph('This sign-in was begun elsewhere, or is over.'), link('/login', 'Sign in')];
  return { title: 'Sign in again', content };
}

const failures: Record<string, string> = {
  email_in_use: 'There is an account with this address. Sign in with its password, then link it.',
  identity_in_use: 'This identity belongs to another account here.',
  already_linked: 'One is linked already.',
  registration_closed: 'New accounts can’t be made at the moment.',
  email_not_verified: 'The provider has not verified this address.',
  user_inactive: 'This account is disabled.',
};

/** The word that a failed external sign-in leaves in the address, as a sentence. */
export const failureInWords = (code: string) =>
  failures[code] ?? 'The sign-in did not work. Please try again.';
