// One account: its facts, and what can be done to it.
import { actions } from './admin-actions.js';
import { api, wordsOf } from './admin-api.js';
import { askFirst } from './admin-dialog.js';
import { byId, complain, fill, notify, partOf, showParts } from './admin-parts.js';
import { place } from './admin-place.js';
import { badgesOf } from './admin-users.js';
import { busy, markField } from './forms.js';

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const states = ['loading', 'failure', 'badges', 'body'];

/**
 * The part that shows the account which the address names. `changed` is called when the service has changed something,
 * `leave` when there is nothing left to show.
 */
export function createUserView({ you, changed, leave }) {
  const section = byId('user');
  const title = byId('user-title');
  const nameForm = byId('user-name');
  const nameField = nameForm.elements.fullName;
  let user = null;
  let asked = 0;

  for (const [name, action] of Object.entries(actions)) {
    // A host's own template may leave one out.
    const button = section.querySelector(`[data-action="${name}"]`);
    button?.addEventListener('click', () => run(button, action));
  }
  byId('user-delete').addEventListener('click', remove);
  partOf(section, 'retry').addEventListener('click', open);
  nameForm.addEventListener('submit', event => {
    event.preventDefault();
    busy(byId('user-name-save'), saveName);
  });

  /** Brings the account that the address names; answers when it is there. */
  async function open() {
    const number = ++asked;
    const id = place().query.get('id') ?? '';
    if (user?.id !== id) {
      user = null;
      title.textContent = section.dataset.title;
      showParts(section, states, ['loading']);
    }
    const finish = await api.user(id).then(
      found => () => render(found),
      problem => () => fail(problem),
    );
    if (number === asked) finish();
  }

  function render(found) {
    user = { ...found, ...badgesOf(found, you) };
    title.textContent = user.email;
    fill(section, {
      ...user,
      hasPhone: user.isMfaEnabled || user.phoneNumber !== null,
      secondFactor: user.isMfaEnabled ? 'On, by text message' : 'Off',
      verified: user.isVerified ? 'Verified' : 'Not verified',
      zone,
    });
    nameField.value = user.fullName ?? '';
    markField(nameField, '');
    showParts(section, states, ['badges', 'body']);
  }

  function fail(problem) {
    const isGone = problem.code === 'not_found';
    const reason = isGone ? 'There is no account with this id. It may have been deleted.' : wordsOf(problem);
    user = null;
    title.textContent = section.dataset.title;
    fill(partOf(section, 'failure'), { reason, canRetry: !isGone });
    showParts(section, states, ['failure']);
  }

  /** What the service answers is what is shown, whatever was asked for. */
  async function accept(answer, said) {
    asked++;
    if (answer.id) render(answer);
    else await open();
    notify(said ? said(answer) : answer.message);
    changed();
  }

  async function run(button, { ask, work, said }) {
    notify();
    if (ask) {
      const answer = await askFirst({ ...ask(user), work: () => work(user) });
      if (answer) await accept(answer, said);
    } else {
      await busy(button, () =>
        work(user).then(
          answer => accept(answer, said),
          problem => complain(wordsOf(problem)),
        ),
      );
    }
    keepFocus(button);
  }

  /** A button that is gone leaves the focus to the one in its place, else to the heading. */
  function keepFocus(button) {
    if (section.hidden || button.checkVisibility()) return;
    const other = [...button.parentElement.children].find(it => it.matches('button') && it.checkVisibility());
    (other ?? title).focus();
  }

  async function remove() {
    notify();
    const { email, id, isYou } = user;
    const answer = await askFirst({
      title: `Delete ${email}?`,
      text: `The account and everything it holds here go for good.${isYou ? ' It is your own.' : ''}`,
      label: 'Delete for good',
      isDangerous: true,
      mustType: email,
      work: () => api.remove(id),
    });
    if (!answer) return;
    leave();
    notify(`${answer.message} It was ${email}.`);
    changed();
  }

  async function saveName() {
    notify();
    try {
      const answer = await api.update({ id: user.id, fullName: nameField.value.trim() || null });
      await accept(answer, ({ fullName }) =>
        fullName === null ? 'The name is cleared.' : 'The name is saved.',
      );
    } catch (problem) {
      if (problem.code !== 'invalid_input') return complain(wordsOf(problem));
      markField(nameField, wordsOf(problem));
      nameField.focus();
    }
  }

  return {
    section,
    open,
    /** Of the account that is shown. */
    get id() {
      return user?.id ?? null;
    },
  };
}
