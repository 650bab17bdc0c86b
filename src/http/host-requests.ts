import type { Languages } from '../words/languages.ts';
import type { ClientAddress } from './node.ts';
import type { IsTrusted } from './proxies.ts';

/** How the requests of a host are read. */
export interface HostRequests {
  clientOf: ClientAddress;
  languages: Languages;
  /** Null while no proxy is trusted. */
  isTrusted: IsTrusted | null;
}
