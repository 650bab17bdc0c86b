/**
 * Returns whether a value is an object without a class: of an instance, what the class defines would be overlooked. An
 * object of another realm counts, such as that of a test environment.
 */
export function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
