// The client without its modules, as a browser loads it for signing in.
export type { Sha256 } from './call.ts';
export { type Client, type ClientOptions, createClient, type NewPasskey } from './client.ts';
export { type ClientErrorCode, type ErrorCode, type FieldError, GatehouseError } from './error.ts';
export type { ApiErrorCode } from './generated/error-codes.ts';
export type * from './generated/inputs.ts';
export type {
  AdministrationOperations,
  ApiKeysOperations,
  Operations,
  TokensOperations,
} from './generated/operations.ts';
export type * from './generated/views.ts';
export type { Challenge, ClientModule, ModuleName, ModuleParts } from './modules.ts';
export type { FieldsOf, FieldType, NoOwnData, OwnData, UserOf } from './own.ts';
export { createPasskey, getPasskey, hasPasskeys, offersPasskeys, type PasskeyRequest } from './passkey.ts';
export type { WantedSignIn } from './session.ts';
export type { TokenStorage } from './storage.ts';
export type { CallOptions, Json, NoInput, Page } from './types.ts';
