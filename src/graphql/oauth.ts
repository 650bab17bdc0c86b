import type { OAuthService } from '../services/oauth.ts';
import { type Field, mutation, query } from './field.ts';

export const oauthFields = (oauth: OAuthService): Field[] => [
  query(oauth.listProviders),
  mutation(oauth.startSignIn),
  mutation(oauth.exchange),
  mutation(oauth.startLink),
  mutation(oauth.unlink),
];
