import type { App } from './app.ts';

interface Described {
  method: string;
  path: string;
  operationId: string;
  /** Whether its answer can hold a session token. */
  givesSession: boolean;
}

/** The operations of an app, as its OpenAPI document has them. */
export async function operationsOf(app: App): Promise<Described[]> {
  const { body: document } = await app.rest('GET', '/openapi.json');
  const { schemas } = document.components;
  const holdsToken = (schema: unknown): boolean => {
    const text = JSON.stringify(schema ?? {});
    const referred = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name!);
    return text.includes('"access_token"') || referred.some(name => holdsToken(schemas[name]));
  };
  return Object.entries(document.paths as Record<string, Record<string, Record<string, never>>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => operation.operationId)
        .map(([method, { operationId, responses }]) => ({
          ...{ path, operationId: String(operationId), method: method.toUpperCase() },
          givesSession: holdsToken(responses?.['200']),
        })),
  );
}
