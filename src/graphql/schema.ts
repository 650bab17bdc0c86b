import type { GraphQLSchema } from 'graphql';
import type { Services } from '../services/index.ts';
import { accountFields } from './account.ts';
import { adminFields } from './admin.ts';
import { activityFields, auditFields } from './audit.ts';
import { authenticatorsFields } from './authenticators.ts';
import { browserSessionFields } from './browser-session.ts';
import { createBuilder } from './builder.ts';
import { createConnections } from './connection.ts';
import { emailChangeFields } from './email-change.ts';
import { addErrorCodes } from './error-codes.ts';
import { featuresFields } from './features.ts';
import type { Field } from './field.ts';
import { createInputs } from './inputs.ts';
import { invitationsFields } from './invitations.ts';
import { loginFields } from './login.ts';
import { createFieldMaker } from './make-field.ts';
import { notMeFields } from './not-me.ts';
import { oauthFields } from './oauth.ts';
import { outboxFields } from './outbox.ts';
import { createOutputs } from './outputs.ts';
import { passkeysFields } from './passkeys.ts';
import { passwordFields, passwordResetFields } from './password.ts';
import { phoneFields } from './phone.ts';
import { profileFields } from './profile.ts';
import { reauthenticateFields } from './reauthenticate.ts';
import { registrationFields } from './registration.ts';
import { secondStepFields } from './second-step.ts';
import { sessionFields } from './session.ts';
import { sessionsFields } from './sessions.ts';
import { totpFields } from './totp.ts';
import { webhooksFields } from './webhooks.ts';

/** Returns every field of the services that exist: disabled features are not in the schema. */
export const fieldsOf = (services: Services): Field[] => [
  ...featuresFields(services.features),
  ...registrationFields(services.registration),
  ...loginFields(services.login),
  ...sessionFields(services.session),
  ...profileFields(services.profile),
  ...passwordFields(services.password),
  ...(services.passwordReset ? passwordResetFields(services.passwordReset) : []),
  ...invitationsFields(services.invitations),
  ...emailChangeFields(services.emailChange),
  ...(services.account ? accountFields(services.account) : []),
  ...(services.secondStep ? secondStepFields(services.secondStep) : []),
  ...(services.totp ? totpFields(services.totp) : []),
  ...(services.passkeys ? passkeysFields(services.passkeys) : []),
  ...(services.authenticators ? authenticatorsFields(services.authenticators) : []),
  ...reauthenticateFields(services.reauthenticate),
  ...(services.sessions ? sessionsFields(services.sessions) : []),
  ...(services.activity ? activityFields(services.activity) : []),
  ...(services.notMe ? notMeFields(services.notMe) : []),
  ...(services.browserSession ? browserSessionFields(services.browserSession) : []),
  ...(services.phone ? phoneFields(services.phone) : []),
  ...(services.oauth ? oauthFields(services.oauth) : []),
  ...(services.admin ? adminFields(services.admin) : []),
  ...(services.outbox ? outboxFields(services.outbox) : []),
  ...(services.audit ? auditFields(services.audit) : []),
  ...(services.webhooks ? webhooksFields(services.webhooks) : []),
];

/** Returns the schema of the services that exist, made from their operations. */
export function createGraphQLSchema(services: Services): GraphQLSchema {
  const builder = createBuilder({ hasJson: services.passkeys !== undefined });
  const maker = createFieldMaker({
    builder,
    inputs: createInputs(builder),
    outputs: createOutputs(builder),
    connections: createConnections(builder),
  });
  for (const field of fieldsOf(services)) maker.add(field);
  addErrorCodes(builder);
  return builder.toSchema();
}
