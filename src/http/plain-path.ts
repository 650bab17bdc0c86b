/** Targets of nearly all requests: no escape, no segment that is empty or begins with a dot, no fragment. */
const usual = /^(?:\/[\w~-][\w.~-]*)+(?:\?[^#]*)?$/;

/**
 * Returns whether the path of a request target has one reading: it stays the same when it is decoded and resolved (RFC 3986
 * §6.2.2). Proxies resolve dot segments, merge slashes and decode escapes before they compare a path with their rules, and
 * then pass the original on. A path that such a step would change could therefore match a rule about one route and reach
 * another, so no route is served under it.
 */
export function hasPlainPath(target: string): boolean {
  if (usual.test(target)) return true;
  if (target.includes('#')) return false;
  const [path = ''] = target.replace(/^https?:\/\/[^/?\\]*/i, '').split('?', 1);
  const decoded = decodedOrNull(path);
  if (decoded === null || !path.startsWith('/') || /[^\x21-\x7e]|\\/.test(path)) return false;
  if (decoded.includes('\\')) return false;
  // A slash at the end leaves an empty segment there: the route decides whether it names the same resource.
  const segments = decoded.slice(1).split('/');
  return segments.every((segment, i) => {
    if (segment === '') return i === segments.length - 1;
    return segment !== '.' && segment !== '..';
  });
}

function decodedOrNull(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}
