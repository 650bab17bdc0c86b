import type { Json } from './types.ts';

export interface Credentials {
  create(options: object): Promise<unknown>;
  get(options: object): Promise<unknown>;
}

/** WebAuthn Level 3 §5.1. A browser of Level 2 has none of the methods that convert JSON. */
interface PasskeyApi {
  parseCreationOptionsFromJSON?(options: Json): unknown;
  parseRequestOptionsFromJSON?(options: Json): unknown;
  isConditionalMediationAvailable?(): Promise<boolean>;
}

/** The parts of a browser that are used. A server that renders has none of them, and the types of Node do not know them. */
interface Browser {
  window?: {
    localStorage: Record<'getItem' | 'removeItem', (key: string) => string | null> & {
      setItem(key: string, value: string): void;
    };
    addEventListener(event: string, listener: () => void): void;
    removeEventListener(event: string, listener: () => void): void;
  };
  navigator?: { credentials: Credentials };
  /** Absent where the page is neither on https nor on loopback. */
  PublicKeyCredential?: PasskeyApi;
}

export const browser = globalThis as unknown as Browser;
