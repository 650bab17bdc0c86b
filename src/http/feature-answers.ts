import type { HttpRequest, HttpResponse } from './message.ts';

/** Handlers of paths of the API that belong to no operation, for every method. */
export interface Answer {
  respond(request: HttpRequest): Promise<HttpResponse>;
  /** Its description in OpenAPI, by methods in lower case. */
  readonly described: Readonly<Record<string, object>>;
}

/** Answers by their paths below `api_prefix`. */
export type Answers = Readonly<Record<`/${string}`, Answer>>;
