import './assert-node.ts';

export type { Assurance } from './assurance/judge.ts';
export type { Clock } from './clock.ts';
export type { Config, ConfigInput } from './config/schema.ts';
export type { NodeUser as UserPublic } from './contract/views/account.ts';
export type { Claims, Purpose } from './crypto/claims.ts';
export type { HookArguments, HookName, Hooks } from './domain/hooks.ts';
export {
  ConfigError,
  type ConfigProblem,
  type ErrorCode,
  type FieldError,
  GatehouseError,
  Refusal,
} from './errors.ts';
export type { EventName, StoredEventName } from './event-names.ts';
export type { AuditEvent as AuditRecord, EventDelivery, Events } from './events.ts';
export { createGatehouse, type Gatehouse, type GatehouseOptions, type Parts } from './gatehouse.ts';
export type { AccessAuth, AccessProtected, AccessRequirements } from './http/access-guard.ts';
export type { FetchHandler, FetchOptions } from './http/fetch.ts';
export type { Auth, Guard } from './http/guard.ts';
export type { Protected } from './http/guards.ts';
export type { NodeHandler } from './http/node.ts';
export type { Protection, SessionRequirements } from './http/requirements.ts';
export type { ResourceServer, TokenAuth, TokenRequirements } from './http/resource-server.ts';
export { type Limiter, type LimitVerdict, RuntimeError } from './limits/rate-limit.ts';
export type { Logger } from './logger.ts';
export type { Mail, Mailer, RenderedMail } from './mail/mailer.ts';
export type { MailKind, MailVariables } from './mail/mails.ts';
export type { Status } from './observability/status.ts';
export { MissingPackageError } from './optional.ts';
export type { Identification, MfaChallenge, Session, Sessions } from './server-api/sessions.ts';
export type {
  EmailChange,
  NewUser,
  NodeUserPage as UserPage,
  UserChanges,
  UserListing,
  Users,
} from './server-api/users.ts';
export type { SmsSender, TextMessage } from './sms/sender.ts';
export { StorageError } from './storage/errors.ts';
