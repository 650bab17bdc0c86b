// Ways into an account that a report, "this was not me", has made distrusted.

import { element } from './forms.js';
import { t } from './words.js';

/** Says of a passkey, a connected account or an API key that it is distrusted. */
export const distrustedBadge = () =>
  element('span', { class: 'badge badge-warning' }, t('page_gives_no_access'));
