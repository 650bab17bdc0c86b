import { apiSegments } from './api-segments.ts';

/** A conflict between fields. */
export interface TogetherProblem {
  path: string[];
  message: string;
}

const defaults = { api_prefix: '/api/auth', ui_prefix: '/account', static_prefix: '/svc-static' };

type Given = Partial<Record<keyof typeof defaults | 'enable_ui_router', unknown>>;

/**
 * Returns a problem for each prefix under which one router would hide routes of another; while the pages are off, there is
 * only one router.
 */
export function collidingPrefixes(given: Given): TogetherProblem[] {
  if (given.enable_ui_router !== true) return [];
  const { api_prefix: api, ui_prefix: ui, static_prefix: statics } = { ...defaults, ...given };
  const problems: TogetherProblem[] = [];
  for (const [key, prefix] of Object.entries({ ui_prefix: ui, static_prefix: statics })) {
    if (typeof prefix !== 'string') continue;
    const segment = prefix.startsWith(`${api}/`) ? prefix.slice(`${api}/`.length).split('/', 1)[0]! : '';
    if (prefix === api) {
      problems.push({ path: [key], message: 'must differ from api_prefix' });
    } else if (apiSegments.includes(segment)) {
      problems.push({ path: [key], message: `lies within ${api}/${segment}, which belongs to the API` });
    }
  }
  if (ui === statics && ui !== api) {
    problems.push({ path: ['static_prefix'], message: 'must differ from ui_prefix' });
  }
  return problems;
}
