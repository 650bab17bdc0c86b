// The own fields and the roles of an account.

import { wordsOf } from './admin-api.js';
import { complain } from './admin-parts.js';
import { busy, markField, toProblem } from './forms.js';
import { changedFieldsOf, fillOwnFields } from './own-fields.js';
import { buttonOf, partsOf } from './parts.js';
import { t } from './words.js';

/** @import { User } from './types.d.ts' */

/**
 * Creates the form of fields and roles; undefined where the application has none. `save` sends what was changed, and
 * nothing else, so that what its owner has changed meanwhile stays.
 * @param {HTMLElement} section
 * @param {(change: Partial<User>) => Promise<void>} save
 */
export function createOwn(section, save) {
  const form = document.getElementById('user-own');
  if (!(form instanceof HTMLFormElement)) return undefined;
  const boxes = partsOf('input[data-role]', form);
  const button = buttonOf('[type=submit]', form);
  const isOtherwise = () => boxes.some(({ checked, defaultChecked }) => checked !== defaultChecked);

  form.addEventListener('submit', event => {
    event.preventDefault();
    busy(button, async () => {
      for (const input of partsOf('input[data-own-field]', form)) {
        const isWrong = input.validity.badInput;
        if (markField(input, isWrong ? t('console_this_is_not_complete') : '')) continue;
        return input.focus();
      }
      const fields = changedFieldsOf(form);
      const roles = boxes.filter(({ checked }) => checked).map(({ value }) => value);
      try {
        await save({
          ...(Object.keys(fields).length > 0 && { fields }),
          ...(isOtherwise() && { roles }),
        });
      } catch (error) {
        const problem = toProblem(error);
        const named = problem.errors.map(({ path }) => form.elements.namedItem(path));
        const field = named.find(each => each instanceof HTMLInputElement);
        if (!(field instanceof HTMLInputElement)) return complain(problem);
        markField(
          field,
          wordsOf(problem, {
            invalid_input: t('console_it_is_wrong', { message: problem.errors[0]?.message ?? '' }),
          }),
        );
        field.focus();
      }
    });
  });

  return {
    /** @param {User} user */
    render({ fields, roles = [] }) {
      fillOwnFields(fields, section);
      for (const input of partsOf('input[data-own-field]', form)) markField(input, '');
      for (const box of boxes) box.checked = box.defaultChecked = roles.includes(box.value);
    },
  };
}
