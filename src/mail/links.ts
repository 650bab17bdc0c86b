/** A link that carries a token, and the same without it, for logs. */
export interface Link {
  url: string;
  url_without_token: string;
}

/**
 * Puts a value into a configured address: in place of `{name}` where that stands in it, else as a query parameter.
 * The address comes from the configuration alone; nothing of a request ever reaches it.
 */
export function linkTo(address: string, name: 'token' | 'id', value: string): Link {
  const placeholder = `{${name}}`;
  if (address.includes(placeholder)) {
    return { url: address.replace(placeholder, encodeURIComponent(value)), url_without_token: address };
  }
  const url = new URL(address);
  url.searchParams.set(name, value);
  return { url: url.href, url_without_token: address };
}
