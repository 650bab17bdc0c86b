/** A word in angle brackets, as templates and manuals write a value to be replaced. */
const whole = /^<(\w+)>$/;
/** Neither bracket may occur in a URL (RFC 3986 §2), so in one it marks a placeholder at any position. */
const within = /<(\w+)>/;

/** Returns the placeholder that a secret still holds, or null. */
export function placeholderIn(text: string): string | null {
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  return (isUrl ? within : whole).exec(text)?.[1] ?? null;
}
