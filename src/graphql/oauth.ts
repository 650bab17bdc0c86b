import type {
  ExchangeOAuthInput,
  StartOAuthLinkInput,
  StartOAuthSignInInput,
  UnlinkOAuthInput,
} from '../inputs/oauth.ts';
import type { OAuthService } from '../services/oauth.ts';
import type { OAuthProvidersView, OAuthSessionView, OAuthStartView } from '../services/views.ts';
import type { Builder, InputOf } from './builder.ts';
import { change, read } from './context.ts';
import type { SharedTypes } from './types.ts';

export function addOAuth(builder: Builder, types: SharedTypes, oauth: OAuthService): void {
  addOAuthSignIn(builder, types, oauth);
  addOAuthLinks(builder, types, oauth);
}

function startType(builder: Builder) {
  return builder.objectRef<OAuthStartView>('OAuthStart').implement({
    description: 'Where to send the browser.',
    fields: t => ({ authorizationUrl: t.exposeString('authorization_url') }),
  });
}

function addOAuthSignIn(builder: Builder, { MfaChallenge }: SharedTypes, oauth: OAuthService): void {
  const OAuthSession = builder.objectRef<OAuthSessionView>('OAuthSession').implement({
    description: 'A finished external sign-in.',
    fields: t => ({
      accessToken: t.exposeString('access_token'),
      tokenType: t.exposeString('token_type', { description: 'Always `bearer`.' }),
      expiresIn: t.exposeInt('expires_in', { description: 'Lifetime in seconds.' }),
      // Nullable as in MfaChallenge, so that one document can ask both for them.
      redirectTo: t.exposeString('redirect_to', { nullable: true }),
      wasNewAccount: t.exposeBoolean('was_new_account', { nullable: true }),
    }),
  });
  const Result = builder.unionType('ExchangeOAuthResult', {
    types: [OAuthSession, MfaChallenge],
    resolveType: view => ('access_token' in view ? OAuthSession : MfaChallenge),
  });
  const Exchange = builder.inputRef<InputOf<typeof ExchangeOAuthInput>>('ExchangeOAuthInput').implement({
    fields: t => ({
      id: t.string({ required: true, description: 'From the address that the sign-in ended at.' }),
      codeVerifier: t.string({ description: 'Required where the flow was started with a challenge.' }),
    }),
  });

  builder.mutationField('exchangeOAuth', t =>
    t.field({
      type: Result,
      nullable: true,
      description: 'Picks up a finished external sign-in, once.',
      args: { input: t.arg({ type: Exchange, required: true }) },
      resolve: (_, { input }, context) => change(oauth.exchange, context, input),
    }),
  );
}

function addOAuthLinks(builder: Builder, { Message }: SharedTypes, oauth: OAuthService): void {
  const Start = startType(builder);
  type Linked = OAuthProvidersView['linked'][number];
  const LinkedIdentity = builder.objectRef<Linked>('LinkedIdentity').implement({
    fields: t => ({
      provider: t.exposeString('provider'),
      email: t.exposeString('email', { nullable: true }),
      linkedAt: t.expose('linked_at', { type: 'DateTime' }),
      lastUsedAt: t.expose('last_used_at', { type: 'DateTime', nullable: true }),
    }),
  });
  const Providers = builder.objectRef<OAuthProvidersView>('OAuthProviders').implement({
    fields: t => ({
      available: t.exposeStringList('available'),
      linked: t.field({ type: [LinkedIdentity], resolve: view => view.linked }),
    }),
  });
  const SignIn = builder.inputRef<InputOf<typeof StartOAuthSignInInput>>('StartOAuthSignInInput').implement({
    fields: t => ({
      provider: t.string({ required: true }),
      redirectTo: t.string({ description: 'A page of this site; the account page when absent.' }),
      codeChallenge: t.string({ description: 'S256 (RFC 7636): then the exchange needs the verifier.' }),
    }),
  });
  const Link = builder.inputRef<InputOf<typeof StartOAuthLinkInput>>('StartOAuthLinkInput').implement({
    fields: t => ({ provider: t.string({ required: true }), redirectTo: t.string() }),
  });
  const Unlink = builder.inputRef<InputOf<typeof UnlinkOAuthInput>>('UnlinkOAuthInput').implement({
    fields: t => ({ provider: t.string({ required: true }) }),
  });

  builder.queryField('oauthProviders', t =>
    t.field({
      type: Providers,
      nullable: true,
      authScopes: { session: true },
      resolve: (_, _args, context) => read(oauth.listProviders, context),
    }),
  );
  builder.mutationFields(t => ({
    startOAuthSignIn: t.field({
      type: Start,
      nullable: true,
      description: 'Starts a sign-in with an external provider.',
      args: { input: t.arg({ type: SignIn, required: true }) },
      resolve: (_, { input }, context) => change(oauth.startSignIn, context, input),
    }),
    startOAuthLink: t.field({
      type: Start,
      nullable: true,
      description: 'Starts adding an external identity to the account that is signed in.',
      authScopes: { session: true },
      args: { input: t.arg({ type: Link, required: true }) },
      resolve: (_, { input }, context) => change(oauth.startLink, context, input),
    }),
    unlinkOAuth: t.field({
      type: Message,
      nullable: true,
      description: 'Removes an external identity, unless it is the last way to sign in.',
      authScopes: { session: true },
      args: { input: t.arg({ type: Unlink, required: true }) },
      resolve: (_, { input }, context) => change(oauth.unlink, context, input),
    }),
  }));
}
