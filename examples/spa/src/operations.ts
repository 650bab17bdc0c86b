import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
export type Maybe<T> = T | null;
export type InputMaybe<T> = Maybe<T>;
export type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
export type MakeOptional<T, K extends keyof T> = Omit<T, K> & { [SubKey in K]?: Maybe<T[SubKey]> };
export type MakeMaybe<T, K extends keyof T> = Omit<T, K> & { [SubKey in K]: Maybe<T[SubKey]> };
export type MakeEmpty<T extends { [key: string]: unknown }, K extends keyof T> = { [_ in K]?: never };
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /** A moment in UTC as ISO 8601 has it, to the millisecond: `2026-01-31T12:00:00.000Z`. */
  DateTime: { input: string; output: string; }
};

export type AdminPromotePendingInput = {
  email: Scalars['String']['input'];
};

export type AdminUpdateUserInput = {
  /** At most 200 characters; null clears it. */
  fullName?: InputMaybe<Scalars['String']['input']>;
  id: Scalars['ID']['input'];
  /** False disables the account and ends its sessions. */
  isActive?: InputMaybe<Scalars['Boolean']['input']>;
  isSuperuser?: InputMaybe<Scalars['Boolean']['input']>;
};

export type AdminUserInput = {
  id: Scalars['ID']['input'];
};

export type ChangeEmailInput = {
  currentPassword: Scalars['String']['input'];
  newEmail: Scalars['String']['input'];
};

export type ChangePasswordInput = {
  currentPassword: Scalars['String']['input'];
  /** 8 to 128 characters. */
  newPassword: Scalars['String']['input'];
};

export type ConfirmEmailChangeInput = {
  /** From the link in the mail. */
  token: Scalars['String']['input'];
};

export type ConfirmLoginMfaInput = {
  code: Scalars['String']['input'];
  mfaPendingToken: Scalars['String']['input'];
};

export type ConfirmPhoneSetupInput = {
  code: Scalars['String']['input'];
  pendingToken: Scalars['String']['input'];
};

export type DeleteAccountInput = {
  currentPassword: Scalars['String']['input'];
};

export type DisablePhoneInput = {
  currentPassword: Scalars['String']['input'];
};

export type ExchangeOAuthInput = {
  /** Required where the flow was started with a challenge. */
  codeVerifier?: InputMaybe<Scalars['String']['input']>;
  /** From the address that the sign-in ended at. */
  id: Scalars['String']['input'];
};

export type ForgotPasswordInput = {
  email: Scalars['String']['input'];
};

export type LoginInput = {
  email: Scalars['String']['input'];
  password: Scalars['String']['input'];
};

export type LogoutInput = {
  /** End every session of this user, not this one alone. */
  everywhere?: InputMaybe<Scalars['Boolean']['input']>;
};

export type RegisterInput = {
  email: Scalars['String']['input'];
  /** At most 200 characters. */
  fullName?: InputMaybe<Scalars['String']['input']>;
  /** 8 to 128 characters. */
  password: Scalars['String']['input'];
};

export type ResendVerificationInput = {
  email: Scalars['String']['input'];
};

export type ResetPasswordInput = {
  /** 8 to 128 characters. */
  newPassword: Scalars['String']['input'];
  /** From the link in the mail. */
  token: Scalars['String']['input'];
};

export type StartOAuthLinkInput = {
  provider: Scalars['String']['input'];
  redirectTo?: InputMaybe<Scalars['String']['input']>;
};

export type StartOAuthSignInInput = {
  /** S256 (RFC 7636): then the exchange needs the verifier. */
  codeChallenge?: InputMaybe<Scalars['String']['input']>;
  provider: Scalars['String']['input'];
  /** A page of this site; the account page when absent. */
  redirectTo?: InputMaybe<Scalars['String']['input']>;
};

export type StartPhoneSetupInput = {
  currentPassword: Scalars['String']['input'];
  /** E.164: `+4915112345678`. */
  phoneNumber: Scalars['String']['input'];
};

export type UnlinkOAuthInput = {
  provider: Scalars['String']['input'];
};

export type UpdateProfileInput = {
  /** At most 200 characters; null clears it. */
  fullName?: InputMaybe<Scalars['String']['input']>;
};

export type VerifyInput = {
  /** From the link in the mail. */
  token: Scalars['String']['input'];
};

export type FeaturesQueryVariables = Exact<{ [key: string]: never; }>;


export type FeaturesQuery = { features?: { appName: string, registration: boolean, passwordReset: boolean, accountDeletion: boolean, sms2fa: boolean, oauth: boolean } | null };

export type MeQueryVariables = Exact<{ [key: string]: never; }>;


export type MeQuery = { me?: { id: string, email: string, fullName?: string | null, isMfaEnabled: boolean, phoneNumber?: string | null } | null };

export type AccountFragment = { id: string, email: string, fullName?: string | null, isMfaEnabled: boolean, phoneNumber?: string | null };

export type ProvidersQueryVariables = Exact<{ [key: string]: never; }>;


export type ProvidersQuery = { oauthProviders?: { available: Array<string>, linked: Array<{ provider: string, email?: string | null }> } | null };

export type RegisterMutationVariables = Exact<{
  input: RegisterInput;
}>;


export type RegisterMutation = { register?: { __typename: 'PendingRegistration' } | { __typename: 'User' } | null };

export type VerifyMutationVariables = Exact<{
  input: VerifyInput;
}>;


export type VerifyMutation = { verify?: { id: string } | null };

export type ResendVerificationMutationVariables = Exact<{
  input: ResendVerificationInput;
}>;


export type ResendVerificationMutation = { resendVerification?: { message: string } | null };

export type LoginMutationVariables = Exact<{
  input: LoginInput;
}>;


export type LoginMutation = { login?: { __typename: 'MfaChallenge', mfaPendingToken: string } | { __typename: 'Session', accessToken: string } | null };

export type ConfirmLoginMfaMutationVariables = Exact<{
  input: ConfirmLoginMfaInput;
}>;


export type ConfirmLoginMfaMutation = { confirmLoginMfa?: { accessToken: string } | null };

export type LogoutMutationVariables = Exact<{
  input?: InputMaybe<LogoutInput>;
}>;


export type LogoutMutation = { logout?: { message: string } | null };

export type ForgotPasswordMutationVariables = Exact<{
  input: ForgotPasswordInput;
}>;


export type ForgotPasswordMutation = { forgotPassword?: { message: string } | null };

export type ResetPasswordMutationVariables = Exact<{
  input: ResetPasswordInput;
}>;


export type ResetPasswordMutation = { resetPassword?: { message: string } | null };

export type UpdateProfileMutationVariables = Exact<{
  input: UpdateProfileInput;
}>;


export type UpdateProfileMutation = { updateProfile?: { id: string, email: string, fullName?: string | null, isMfaEnabled: boolean, phoneNumber?: string | null } | null };

export type ChangePasswordMutationVariables = Exact<{
  input: ChangePasswordInput;
}>;


export type ChangePasswordMutation = { changePassword?: { message: string } | null };

export type ChangeEmailMutationVariables = Exact<{
  input: ChangeEmailInput;
}>;


export type ChangeEmailMutation = { changeEmail?: { message: string } | null };

export type ConfirmEmailChangeMutationVariables = Exact<{
  input: ConfirmEmailChangeInput;
}>;


export type ConfirmEmailChangeMutation = { confirmEmailChange?: { email: string } | null };

export type DeleteAccountMutationVariables = Exact<{
  input: DeleteAccountInput;
}>;


export type DeleteAccountMutation = { deleteAccount?: { message: string } | null };

export type StartPhoneSetupMutationVariables = Exact<{
  input: StartPhoneSetupInput;
}>;


export type StartPhoneSetupMutation = { startPhoneSetup?: { pendingToken: string } | null };

export type ConfirmPhoneSetupMutationVariables = Exact<{
  input: ConfirmPhoneSetupInput;
}>;


export type ConfirmPhoneSetupMutation = { confirmPhoneSetup?: { id: string, email: string, fullName?: string | null, isMfaEnabled: boolean, phoneNumber?: string | null } | null };

export type DisablePhoneMutationVariables = Exact<{
  input: DisablePhoneInput;
}>;


export type DisablePhoneMutation = { disablePhone?: { message: string } | null };

export type StartOAuthSignInMutationVariables = Exact<{
  input: StartOAuthSignInInput;
}>;


export type StartOAuthSignInMutation = { startOAuthSignIn?: { authorizationUrl: string } | null };

export type ExchangeOAuthMutationVariables = Exact<{
  input: ExchangeOAuthInput;
}>;


export type ExchangeOAuthMutation = { exchangeOAuth?: { __typename: 'MfaChallenge', mfaPendingToken: string } | { __typename: 'OAuthSession', accessToken: string } | null };

export type StartOAuthLinkMutationVariables = Exact<{
  input: StartOAuthLinkInput;
}>;


export type StartOAuthLinkMutation = { startOAuthLink?: { authorizationUrl: string } | null };

export type UnlinkOAuthMutationVariables = Exact<{
  input: UnlinkOAuthInput;
}>;


export type UnlinkOAuthMutation = { unlinkOAuth?: { message: string } | null };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const AccountFragmentDoc = new TypedDocumentString(`
    fragment Account on User {
  id
  email
  fullName
  isMfaEnabled
  phoneNumber
}
    `, {"fragmentName":"Account"}) as unknown as TypedDocumentString<AccountFragment, unknown>;
export const FeaturesDocument = new TypedDocumentString(`
    query Features {
  features {
    appName
    registration
    passwordReset
    accountDeletion
    sms2fa
    oauth
  }
}
    `) as unknown as TypedDocumentString<FeaturesQuery, FeaturesQueryVariables>;
export const MeDocument = new TypedDocumentString(`
    query Me {
  me {
    ...Account
  }
}
    fragment Account on User {
  id
  email
  fullName
  isMfaEnabled
  phoneNumber
}`) as unknown as TypedDocumentString<MeQuery, MeQueryVariables>;
export const ProvidersDocument = new TypedDocumentString(`
    query Providers {
  oauthProviders {
    available
    linked {
      provider
      email
    }
  }
}
    `) as unknown as TypedDocumentString<ProvidersQuery, ProvidersQueryVariables>;
export const RegisterDocument = new TypedDocumentString(`
    mutation Register($input: RegisterInput!) {
  register(input: $input) {
    __typename
  }
}
    `) as unknown as TypedDocumentString<RegisterMutation, RegisterMutationVariables>;
export const VerifyDocument = new TypedDocumentString(`
    mutation Verify($input: VerifyInput!) {
  verify(input: $input) {
    id
  }
}
    `) as unknown as TypedDocumentString<VerifyMutation, VerifyMutationVariables>;
export const ResendVerificationDocument = new TypedDocumentString(`
    mutation ResendVerification($input: ResendVerificationInput!) {
  resendVerification(input: $input) {
    message
  }
}
    `) as unknown as TypedDocumentString<ResendVerificationMutation, ResendVerificationMutationVariables>;
export const LoginDocument = new TypedDocumentString(`
    mutation Login($input: LoginInput!) {
  login(input: $input) {
    __typename
    ... on Session {
      accessToken
    }
    ... on MfaChallenge {
      mfaPendingToken
    }
  }
}
    `) as unknown as TypedDocumentString<LoginMutation, LoginMutationVariables>;
export const ConfirmLoginMfaDocument = new TypedDocumentString(`
    mutation ConfirmLoginMfa($input: ConfirmLoginMfaInput!) {
  confirmLoginMfa(input: $input) {
    accessToken
  }
}
    `) as unknown as TypedDocumentString<ConfirmLoginMfaMutation, ConfirmLoginMfaMutationVariables>;
export const LogoutDocument = new TypedDocumentString(`
    mutation Logout($input: LogoutInput) {
  logout(input: $input) {
    message
  }
}
    `) as unknown as TypedDocumentString<LogoutMutation, LogoutMutationVariables>;
export const ForgotPasswordDocument = new TypedDocumentString(`
    mutation ForgotPassword($input: ForgotPasswordInput!) {
  forgotPassword(input: $input) {
    message
  }
}
    `) as unknown as TypedDocumentString<ForgotPasswordMutation, ForgotPasswordMutationVariables>;
export const ResetPasswordDocument = new TypedDocumentString(`
    mutation ResetPassword($input: ResetPasswordInput!) {
  resetPassword(input: $input) {
    message
  }
}
    `) as unknown as TypedDocumentString<ResetPasswordMutation, ResetPasswordMutationVariables>;
export const UpdateProfileDocument = new TypedDocumentString(`
    mutation UpdateProfile($input: UpdateProfileInput!) {
  updateProfile(input: $input) {
    ...Account
  }
}
    fragment Account on User {
  id
  email
  fullName
  isMfaEnabled
  phoneNumber
}`) as unknown as TypedDocumentString<UpdateProfileMutation, UpdateProfileMutationVariables>;
export const ChangePasswordDocument = new TypedDocumentString(`
    mutation ChangePassword($input: ChangePasswordInput!) {
  changePassword(input: $input) {
    message
  }
}
    `) as unknown as TypedDocumentString<ChangePasswordMutation, ChangePasswordMutationVariables>;
export const ChangeEmailDocument = new TypedDocumentString(`
    mutation ChangeEmail($input: ChangeEmailInput!) {
  changeEmail(input: $input) {
    message
  }
}
    `) as unknown as TypedDocumentString<ChangeEmailMutation, ChangeEmailMutationVariables>;
export const ConfirmEmailChangeDocument = new TypedDocumentString(`
    mutation ConfirmEmailChange($input: ConfirmEmailChangeInput!) {
  confirmEmailChange(input: $input) {
    email
  }
}
    `) as unknown as TypedDocumentString<ConfirmEmailChangeMutation, ConfirmEmailChangeMutationVariables>;
export const DeleteAccountDocument = new TypedDocumentString(`
    mutation DeleteAccount($input: DeleteAccountInput!) {
  deleteAccount(input: $input) {
    message
  }
}
    `) as unknown as TypedDocumentString<DeleteAccountMutation, DeleteAccountMutationVariables>;
export const StartPhoneSetupDocument = new TypedDocumentString(`
    mutation StartPhoneSetup($input: StartPhoneSetupInput!) {
  startPhoneSetup(input: $input) {
    pendingToken
  }
}
    `) as unknown as TypedDocumentString<StartPhoneSetupMutation, StartPhoneSetupMutationVariables>;
export const ConfirmPhoneSetupDocument = new TypedDocumentString(`
    mutation ConfirmPhoneSetup($input: ConfirmPhoneSetupInput!) {
  confirmPhoneSetup(input: $input) {
    ...Account
  }
}
    fragment Account on User {
  id
  email
  fullName
  isMfaEnabled
  phoneNumber
}`) as unknown as TypedDocumentString<ConfirmPhoneSetupMutation, ConfirmPhoneSetupMutationVariables>;
export const DisablePhoneDocument = new TypedDocumentString(`
    mutation DisablePhone($input: DisablePhoneInput!) {
  disablePhone(input: $input) {
    message
  }
}
    `) as unknown as TypedDocumentString<DisablePhoneMutation, DisablePhoneMutationVariables>;
export const StartOAuthSignInDocument = new TypedDocumentString(`
    mutation StartOAuthSignIn($input: StartOAuthSignInInput!) {
  startOAuthSignIn(input: $input) {
    authorizationUrl
  }
}
    `) as unknown as TypedDocumentString<StartOAuthSignInMutation, StartOAuthSignInMutationVariables>;
export const ExchangeOAuthDocument = new TypedDocumentString(`
    mutation ExchangeOAuth($input: ExchangeOAuthInput!) {
  exchangeOAuth(input: $input) {
    __typename
    ... on OAuthSession {
      accessToken
    }
    ... on MfaChallenge {
      mfaPendingToken
    }
  }
}
    `) as unknown as TypedDocumentString<ExchangeOAuthMutation, ExchangeOAuthMutationVariables>;
export const StartOAuthLinkDocument = new TypedDocumentString(`
    mutation StartOAuthLink($input: StartOAuthLinkInput!) {
  startOAuthLink(input: $input) {
    authorizationUrl
  }
}
    `) as unknown as TypedDocumentString<StartOAuthLinkMutation, StartOAuthLinkMutationVariables>;
export const UnlinkOAuthDocument = new TypedDocumentString(`
    mutation UnlinkOAuth($input: UnlinkOAuthInput!) {
  unlinkOAuth(input: $input) {
    message
  }
}
    `) as unknown as TypedDocumentString<UnlinkOAuthMutation, UnlinkOAuthMutationVariables>;