/** The values of the names in a path: `id` of `/admin/users/:id`. */
export type PathParameters = Record<string, string>;

interface Found<T> {
  /** As it was added: `/admin/users/:id`. */
  pattern: string;
  resource: T;
  params: PathParameters;
}

/**
 * Maps paths to resources, letter by letter. A segment that begins with a colon stands for any segment that is not empty;
 * a path without such names is preferred.
 */
export function createPaths<T>() {
  const exact = new Map<string, Found<T>>();
  const patterns: { segments: string[]; pattern: string; resource: T }[] = [];

  return {
    add(pattern: string, resource: T): void {
      if (pattern.includes(':')) patterns.push({ segments: pattern.split('/'), pattern, resource });
      else exact.set(pattern, { pattern, resource, params: {} });
    },

    find(path: string): Found<T> | undefined {
      const found = exact.get(path);
      if (found) return found;
      const given = path.split('/');
      for (const { segments, pattern, resource } of patterns) {
        const params = segments.length === given.length ? match(segments, given) : null;
        if (params) return { pattern, resource, params };
      }
      return undefined;
    },
  };
}

/** Returns the decoded values, or null when the path is another one. A value that cannot be decoded is empty. */
function match(segments: string[], given: string[]): PathParameters | null {
  const params: PathParameters = {};
  for (const [i, segment] of segments.entries()) {
    const value = given[i]!;
    if (!segment.startsWith(':')) {
      if (segment !== value) return null;
    } else if (value === '') return null;
    else params[segment.slice(1)] = decoded(value);
  }
  return params;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
