/** How a caller should react to an error; `http/problem.ts` maps each kind to its HTTP status. */
export type ErrorKind =
  | 'bad_request'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'too_large'
  | 'unsupported'
  | 'invalid'
  | 'too_many'
  | 'internal'
  | 'unavailable';

/** The error codes of a part, each with a title that is the same at every occurrence, in English (RFC 9457 §3.1.3). */
export type ErrorCodes = Readonly<Record<string, { readonly kind: ErrorKind; readonly title: string }>>;
