import type { GraphQLSchema } from 'graphql';
import type { Authentication } from '../services/authentication.ts';
import type { Services } from '../services/index.ts';
import { addAccount } from './account.ts';
import { addAdmin } from './admin.ts';
import { createBuilder } from './builder.ts';
import { addEmailChange } from './email-change.ts';
import { addFeatures } from './features.ts';
import { addLogin } from './login.ts';
import { addOAuth } from './oauth.ts';
import { addPassword, addPasswordReset } from './password.ts';
import { addPhone } from './phone.ts';
import { addProfile } from './profile.ts';
import { addRegistration } from './registration.ts';
import { addSession } from './session.ts';
import { createSharedTypes } from './types.ts';

/** The schema of the services that exist: a field whose feature is off is not in it. */
export function createGraphQLSchema(services: Services, authentication: Authentication): GraphQLSchema {
  const builder = createBuilder(authentication);
  const types = createSharedTypes(builder);
  addFeatures(builder, services.features);
  addRegistration(builder, types, services.registration);
  addLogin(builder, types, services.login);
  addSession(builder, types, services.session);
  addProfile(builder, types, services.profile);
  addPassword(builder, types, services.password);
  if (services.passwordReset) addPasswordReset(builder, types, services.passwordReset);
  addEmailChange(builder, types, services.emailChange);
  if (services.account) addAccount(builder, types, services.account);
  if (services.phone) addPhone(builder, types, services.phone);
  if (services.oauth) addOAuth(builder, types, services.oauth);
  if (services.admin) addAdmin(builder, types, services.admin);
  return builder.toSchema();
}
