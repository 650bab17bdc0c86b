export type { Clock } from './clock.ts';
export type { Config, ConfigInput } from './config/schema.ts';
export type { Claims, Purpose } from './crypto/tokens.ts';
export {
  ConfigError,
  type ConfigProblem,
  type ErrorCode,
  type FieldError,
  GatehouseError,
} from './errors.ts';
export type { EventName, Events } from './events.ts';
export { createGatehouse, type Gatehouse, type GatehouseOptions, type Parts } from './gatehouse.ts';
export { type Limiter, type LimitVerdict, RuntimeError } from './limits/rate-limit.ts';
export type { Logger } from './logger.ts';
export type { Mail, Mailer } from './mail/mailer.ts';
export type { AuditRecord } from './observability/audit.ts';
export type { Status } from './observability/status.ts';
export { MissingPackageError } from './optional.ts';
export type { Auth } from './rest/middleware.ts';
export type { UserPublic } from './services/views.ts';
export type { SmsSender, TextMessage } from './sms/sender.ts';
export { StorageError } from './storage/errors.ts';
