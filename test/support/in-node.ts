const isTime = (value: unknown) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);

/** Returns a response of REST as Node gets the same thing: names in camelCase, times as `Date`, own fields as they are. */
// biome-ignore lint/suspicious/noExplicitAny: what a test reads of it, it also expects
export function asInNode(body: any): any {
  if (Array.isArray(body)) return body.map(asInNode);
  if (isTime(body)) return new Date(body);
  if (typeof body !== 'object' || body === null || body instanceof Date) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      name === 'fields' ? value : asInNode(value),
    ]),
  );
}
