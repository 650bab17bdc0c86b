import type {
  AdministrationOperations,
  ApiKeysOperations,
  TokensOperations,
} from './generated/operations.ts';
import type { Operation } from './operation.ts';
import type { OwnData } from './own.ts';
import type { Json } from './types.ts';

/** The methods that each module adds to a client. */
interface MethodsOf<Own extends OwnData> {
  administration: AdministrationOperations<Own>;
  apiKeys: ApiKeysOperations;
  tokens: TokensOperations & {
    /** Returns what an API asks for that has refused a token, as `issueAccessToken` takes it, or null. */
    challengeOf(response: Pick<Response, 'status' | 'headers'>): Challenge | null;
  };
}

/** The parts from which a module makes its methods, where they do more than to call an operation. */
export interface ModuleParts {
  /** Calls an operation of it. `token` is the session token with which it was called. */
  call(name: string, input: Json): Promise<{ result: unknown; token: string | null }>;
  /** Returns the present session token. */
  session(): string | null;
  /** Calls the listener when the session token has changed. */
  subscribe(listener: () => void): void;
}

/** The demands of an API, as `issueAccessToken` takes them. */
export interface Challenge {
  acrValues?: string[];
  /** In seconds. */
  maxAge?: number;
  scopes?: string[];
}

export type ModuleName = keyof MethodsOf<OwnData>;

/** A part of the client that an application loads where it needs it. */
export interface ClientModule<Name extends ModuleName = ModuleName> {
  readonly name: Name;
  readonly operations: readonly Operation[];
  /** Returns the methods that take the place of those of its operations, or are more. */
  readonly methods?: (parts: ModuleParts) => object;
}

/** The methods that modules add together. */
export type Added<Name extends ModuleName, Own extends OwnData> = (
  Name extends unknown
    ? (methods: MethodsOf<Own>[Name]) => void
    : never
) extends (methods: infer Methods) => void
  ? Methods
  : unknown;
