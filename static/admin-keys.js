import { GatehouseError } from '../src/client/core.ts';
import { api } from './admin-api.js';
import { askFirst } from './admin-dialog.js';
import { holdFocus, notify, partNamed, rowOf, showParts } from './admin-parts.js';
import { part } from './parts.js';
import { t } from './words.js';

/** @import { SigningKey } from './types.d.ts' */

const parts = ['loading', 'failure', 'list'];

/** Creates the list of the keys that sign access tokens. */
export function createKeys() {
  const section = part('#keys');
  const list = partNamed(section, 'list');
  part('[data-reload]', section).addEventListener('click', open);

  async function open() {
    const found = await api.signingKeys().catch(() => null);
    const keepFocus = holdFocus(section);
    if (found) list.replaceChildren(...found.items.map(rowFor));
    showParts(section, parts, [found ? 'list' : 'failure']);
    keepFocus();
  }

  /** @param {SigningKey} key */
  function rowFor(key) {
    const { algorithm, state } = key;
    const row = rowOf('key-row', {
      ...key,
      isCurrent: state === 'current',
      isNext: state === 'next',
      isRetired: state === 'retired',
    });
    part('[data-rotate]', row).addEventListener('click', () => rotate(algorithm));
    return row;
  }

  /** @param {SigningKey['algorithm']} algorithm */
  async function rotate(algorithm) {
    notify();
    const question = {
      title: t('console_key_replace_title', { algorithm }),
      label: t('console_key_replace_label'),
    };
    let isTooNew = false;
    const isReplaced = await askFirst({
      ...question,
      text: t('console_key_replace_text'),
      work: () =>
        api.adminRotateSigningKeys({ algorithm }).then(
          () => true,
          problem => {
            isTooNew = problem instanceof GatehouseError && problem.code === 'key_not_published';
            if (isTooNew) return false;
            throw problem;
          },
        ),
    });
    const isForced =
      isTooNew &&
      (await askFirst({
        ...question,
        text: t('console_key_replace_forced'),
        isDangerous: true,
        work: () => api.adminRotateSigningKeys({ algorithm, force: true }).then(() => true),
      }));
    if (!isReplaced && !isForced) return;
    await open();
    notify(t('console_key_replaced', { algorithm }));
  }

  return { section, open };
}
