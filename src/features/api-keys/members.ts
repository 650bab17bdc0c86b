import type { NodeUser } from '../../contract/views/account.ts';
import type { ApiKey } from './views.ts';

/** A key to be made. */
export interface NewApiKey {
  /** Its name for people. */
  name: string;
  /** Its scopes: `profile`, and those of `[resources]`. */
  scopes: readonly string[];
  /** `api_key_default_days` when absent; 0 for a key without end, where there may be some. */
  expiresInDays?: number | null | undefined;
}

/** A key that counts: whose it is, and what it opens. */
export interface VerifiedApiKey {
  user: NodeUser;
  apiKey: ApiKey;
  scopes: string[];
}

/** API keys, for your own program (docs/api-keys.md). */
export interface ApiKeyServer {
  /**
   * Makes a key for an account with a verified address. `key` is shown only now.
   * @throws {GatehouseError} not_found, invalid_input, account_disabled, email_not_verified, api_key_limit
   * @example const { key } = await gatehouse.apiKeys.create(ada.id, { name: 'Nightly report', scopes: ['profile'] });
   */
  create(userId: string, key: NewApiKey): Promise<{ apiKey: ApiKey; key: string }>;
  /**
   * Returns the keys of an account, newest first.
   * @throws {GatehouseError} not_found
   * @example const keys = await gatehouse.apiKeys.list(ada.id);
   */
  list(userId: string): Promise<ApiKey[]>;
  /**
   * Removes a key: it is refused at once.
   * @throws {GatehouseError} not_found
   * @example await gatehouse.apiKeys.remove(ada.id, apiKey.id);
   */
  remove(userId: string, id: string): Promise<void>;
  /**
   * Returns whose a key is and what it opens, or null where it does not count.
   * @throws {GatehouseError} unavailable
   * @example const found = await gatehouse.apiKeys.verify(key);
   */
  verify(key: string): Promise<VerifiedApiKey | null>;
}

/** The additions of API keys to the kit for tests of a host. */
export interface ApiKeyTestKit {
  /**
   * Makes a key for a user of a test and returns it; by default with every scope that a key may have. There while
   * `enableApiKeys` is on.
   * @throws {GatehouseError} not_found, invalid_input, account_disabled, email_not_verified, api_key_limit
   * @example const headers = { 'X-API-Key': await gatehouse.createApiKey(user, { scopes: ['profile'] }) };
   */
  createApiKey(user: Pick<NodeUser, 'id'>, key?: Partial<NewApiKey>): Promise<string>;
}

/** The members that API keys add to the server API. */
export interface ApiKeyMembers {
  /** API keys, for your own program (docs/api-keys.md); its functions throw while `enable_api_keys` is off. */
  readonly apiKeys: ApiKeyServer;
}
