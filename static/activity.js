// The acts on the account, newest first, in words.
import { tellsOf, wordsForAct } from './acts.js';
import { element, onPress, sayProblem, toProblem } from './forms.js';
import { buttonOf, icon, moment, part } from './parts.js';
import { agoText, deviceWords } from './sentences.js';
import { api } from './session.js';
import { pictureOf } from './sessions.js';
import { beside, nodes, t } from './words.js';

/** @import { Activity } from './types.d.ts' */

/** How many acts are shown at once. */
const size = 20;

/** Shows the list while its panel is open; a page without it has none. */
export function openActivity() {
  const list = document.querySelector('[data-activity]');
  const panel = list?.closest('details');
  if (!list || !panel) return;
  const region = part('[data-message]', panel);
  const more = buttonOf('[data-more-activity]', panel);
  /** @type {string | null} */
  let after = null;
  let tells = tellsOf();

  async function read() {
    const { items, nextCursor } = await api.activity({ limit: size, after });
    const lines = items.filter(tells).map(line);
    if (after === null) list?.replaceChildren(...lines);
    else {
      list?.append(...lines);
      lines[0]?.focus();
    }
    after = nextCursor;
    more.hidden = nextCursor === null;
  }

  onPress(more, region, read);
  panel.addEventListener('toggle', () => {
    if (!panel.open) return;
    after = null;
    tells = tellsOf();
    read().catch(error => sayProblem(region, toProblem(error)));
  });
}

/** @param {Activity} act */
function line(act) {
  const { at, device, ip } = act;
  const when = new Date(at);
  const name = device === null ? t('page_unknown_device_2') : deviceWords(device);
  const time = element('time', { datetime: at, title: moment.format(when) }, agoText(when));
  return element(
    'li',
    { class: 'item', tabindex: '-1' },
    icon(pictureOf(device ?? '')),
    element(
      'div',
      { class: 'item-text' },
      element('strong', {}, wordsForAct(act)),
      element(
        'span',
        { class: 'small soft' },
        ...nodes('page_seen', { time: () => time }, { what: ip ? beside(name, ip) : name }),
      ),
    ),
    act.outcome === 'ok' ? '' : element('span', { class: 'badge badge-warning' }, t('page_refused')),
  );
}
