// The form that makes an account.
import { api, wordsOf } from './admin-api.js';
import { notify } from './admin-parts.js';
import { addressOf, moveTo } from './admin-place.js';
import { onSubmit, say, sayProblem } from './forms.js';
import { changedFieldsOf } from './own-fields.js';
import { fieldOf, formOf, part, partsOf } from './parts.js';
import { t } from './words.js';

/** @import { Sentences } from './sentences.js' */

/** @type {Sentences} */
const refusals = {
  rate_limited: t('console_the_address_has_had_too'),
};

/** Creates the form; `changed` is called when an account was made. @param {{ changed: () => void }} options */
export function createNewUser({ changed }) {
  const section = part('#new-user');
  const form = formOf('form', section);
  const [verified, invite] = [fieldOf(form, 'isVerified'), fieldOf(form, 'invite')];

  onSubmit(
    form,
    async ({ email = '', fullName }) => {
      const fields = changedFieldsOf(form);
      const roles = partsOf('input[data-role]', form)
        .filter(({ checked }) => checked)
        .map(({ value }) => value);
      const user = await api.adminCreateUser({
        ...{ email, fullName: fullName || null, isVerified: verified.checked, invite: invite.checked },
        ...(Object.keys(fields).length > 0 && { fields }),
        ...(roles.length > 0 && { roles }),
      });
      const said = invite.checked
        ? t('console_created_invited', { email: user.email })
        : t('console_created_unsent');
      changed();
      moveTo(addressOf('user', { id: user.id }));
      notify(said);
    },
    (problem, region) => {
      if (problem.code === 'invalid_input' || problem.code === 'email_taken') return false;
      sayProblem(region, problem, it => wordsOf(it, refusals));
      return true;
    },
  );

  return {
    section,
    async open() {
      form.reset();
      say(part('[data-message]', form));
    },
  };
}
