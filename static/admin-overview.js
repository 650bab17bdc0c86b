import { api } from './admin-api.js';
import { holdFocus, showParts } from './admin-parts.js';
import { fill, part, partsOf } from './parts.js';
import { numberText } from './sentences.js';

/** @import { Overview } from './types.d.ts' */

const parts = ['loading', 'failure', 'list'];

/** Creates the view of the last 24 hours in numbers. */
export function createOverview() {
  const section = part('#overview');
  part('[data-reload]', section).addEventListener('click', open);

  async function open() {
    const overview = await api.adminOverview().catch(() => null);
    const keepFocus = holdFocus(section);
    if (overview) render(overview);
    showParts(section, parts, [overview ? 'list' : 'failure']);
    keepFocus();
  }

  /** @param {Overview} overview */
  function render(overview) {
    for (const place of partsOf('[data-number]', section)) {
      const name = /** @type {Exclude<keyof Overview, 'since'>} */ (place.dataset.number);
      place.textContent = numberText(overview[name]);
    }
    fill({ since: overview.since }, section);
  }

  return { section, open };
}
