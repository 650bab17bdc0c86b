// One account: its facts, and the actions on it.
import { actions } from './admin-actions.js';
import { api, reasonOf, wordsOf } from './admin-api.js';
import { createUserAudit } from './admin-audit.js';
import { askFirst } from './admin-dialog.js';
import { createOwn } from './admin-own.js';
import { complain, holdFocus, notify, partNamed, showParts } from './admin-parts.js';
import { addressOf, place } from './admin-place.js';
import { createApiKeys, createFactors, createIdentities, createSessions } from './admin-security.js';
import { busy, markField, toProblem } from './forms.js';
import { fieldOf, fill, formOf, part, partsOf } from './parts.js';
import { t } from './words.js';

/** @import { Action } from './admin-actions.js' */
/** @import { You } from './admin-users.js' */
/** @import { AuditRecord, Page, Problem } from './types.d.ts' */
/** @import { ApiKey, Authenticators, Identity, Message, SessionItem, SessionList, User, UserApiKeys, UserIdentities } from './types.d.ts' */
/** @typedef {User & { isYou: boolean }} Shown */
/** @typedef {[Promise<User>, Promise<Authenticators>?, Promise<SessionList>?, Promise<UserIdentities>?, Promise<Page<AuditRecord>>?, Promise<UserApiKeys>?]} Promises */

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const states = ['loading', 'failure', 'badges', 'body'];

/**
 * Creates the view of the account that the address names. `changed` is called when the service has changed something,
 * `leave` when there is nothing left to show.
 * @param {{ you: You, changed: () => void, leave: () => void }} options
 */
export function createUserView({ you, changed, leave }) {
  const section = part('#user');
  const title = part('#user-title');
  const { title: usualTitle = '' } = section.dataset;
  const nameForm = formOf('#user-name');
  const nameField = fieldOf(nameForm, 'fullName');
  const factors = createFactors(section);
  const sessions = createSessions(section, (button, session) => run(button, endSession(session)));
  const identities = createIdentities(section, (button, identity) => run(button, unlink(identity)));
  const keys = createApiKeys(section, (button, key) => run(button, removeKey(key)));
  const records = createUserAudit(section);
  const own = createOwn(section, save);
  /** @type {Shown | null} */
  let user = null;
  let asked = 0;

  for (const [name, action] of Object.entries(actions)) {
    // The host application's own template may omit one.
    for (const button of partsOf(`[data-action="${name}"]`, section))
      button.addEventListener('click', () => run(button, action));
  }
  part('#user-delete').addEventListener('click', remove);
  partNamed(section, 'retry').addEventListener('click', open);
  nameForm.addEventListener('submit', event => {
    event.preventDefault();
    busy(part('#user-name-save'), saveName);
  });
  // A host's own template may be older.
  const emailForm = document.querySelector('form#user-email');
  emailForm?.addEventListener('submit', event => {
    event.preventDefault();
    if (emailForm instanceof HTMLFormElement) changeEmail(emailForm);
  });

  /** Shows the account that the address names; resolves when it is shown. */
  async function open() {
    const keep = holdFocus(section);
    await load();
    keep();
  }

  async function load() {
    const number = ++asked;
    const id = place().query.get('id') ?? '';
    if (user?.id !== id) {
      user = null;
      title.textContent = usualTitle;
      showParts(section, states, ['loading']);
    }
    const loads = [
      ...[api.user({ id }), factors?.load(id), sessions?.load(id), identities?.load(id)],
      ...[records?.load(id), keys?.load(id)],
    ];
    const finish = await Promise.all(/** @type {Promises} */ (loads)).then(
      found => () => render(...found),
      error => () => fail(toProblem(error)),
    );
    if (number === asked) finish();
  }

  /** @type {(found: User, factorsOfUser?: Authenticators, sessionsOfUser?: SessionList, identitiesOfUser?: UserIdentities, recordsOfUser?: Page<AuditRecord>, keysOfUser?: UserApiKeys) => void} */
  function render(found, factorsOfUser, sessionsOfUser, identitiesOfUser, recordsOfUser, keysOfUser) {
    // Only the account itself says whether it is reported or locked, and no act but unlocking changes that here.
    const { reportedAt, lockedUntil } = user ?? {};
    user = { reportedAt, lockedUntil, ...found, isYou: found.id === you.id };
    title.textContent = user.email;
    const apps = factorsOfUser?.items.filter(({ kind }) => kind === 'totp') ?? [];
    const hasPhoneOn = user.phoneNumber && !factorsOfUser?.phoneNeedsConfirmation;
    const means = [hasPhoneOn && 'text', apps.length > 0 && 'app'].filter(Boolean).join('_') || 'none';
    const secondFactor = user.isMfaEnabled ? t('console_second_factor_on', { means }) : t('console_off');
    const verified = user.isVerified ? t('console_verified') : t('console_not_verified');
    const hasPhone = user.isMfaEnabled || user.phoneNumber !== null;
    const hasFactors = hasPhone || Boolean(factorsOfUser?.items.length || factorsOfUser?.recoveryCodesLeft);
    fill(
      {
        ...{ ...user, hasPhone, hasFactors, secondFactor, verified, zone },
        ...{ isReported: Boolean(user.reportedAt), isLocked: Boolean(user.lockedUntil) },
        isRestricted: asksForFactor(user) && !user.isMfaEnabled && factorsOfUser?.items.length === 0,
      },
      section,
    );
    if (factorsOfUser) factors?.render(factorsOfUser);
    if (sessionsOfUser) sessions?.render(sessionsOfUser);
    if (identitiesOfUser) identities?.render(identitiesOfUser);
    if (recordsOfUser) records?.render(recordsOfUser);
    if (keysOfUser) keys?.render(keysOfUser);
    own?.render(user);
    for (const link of partsOf('a[data-audit]', section))
      link.href = addressOf('audit', { subject: user.id });
    nameField.value = user.fullName ?? '';
    markField(nameField, '');
    showParts(section, states, ['badges', 'body']);
  }

  /** Whether the configuration asks this account for a second factor. @param {User} of */
  const asksForFactor = ({ isSuperuser }) =>
    section.dataset.enrolment === 'everyone' || (section.dataset.enrolment === 'superusers' && isSuperuser);

  /** @param {Problem} problem */
  function fail(problem) {
    const isGone = problem.code === 'not_found';
    const reason = isGone ? t('console_there_is_no_account_with') : reasonOf(problem);
    user = null;
    title.textContent = usualTitle;
    fill({ reason, canRetry: !isGone }, partNamed(section, 'failure'));
    showParts(section, states, ['failure']);
  }

  /**
   * Shows the result that the service returns, whatever was requested.
   * @type {(answer: User | Message, said?: (user: User) => string) => Promise<void>}
   */
  async function accept(answer, said) {
    asked++;
    // The factors, sessions, identities and keys are not part of any response.
    if ('message' in answer || factors || sessions || identities || records || keys) await load();
    else render(answer);
    notify('message' in answer ? answer.message : said?.(answer));
    changed();
  }

  /** @type {(button: HTMLElement, action: Action) => Promise<void>} */
  async function run(button, { ask, work, said, refused }) {
    notify();
    const subject = user;
    if (!subject) return;
    const heading = part('h2, h3', button.closest('section') ?? section);
    if (ask) {
      const answer = await askFirst({ ...ask(subject), work: () => work(subject) });
      if (answer) await accept(answer, said);
    } else {
      await busy(button, () =>
        work(subject).then(
          answer => accept(answer, said),
          error => complain(toProblem(error), refused),
        ),
      );
    }
    keepFocus(button, heading);
  }

  /**
   * If the button is gone, moves the focus to the one in its place, otherwise to the heading of its section.
   * @type {(button: HTMLElement, heading: HTMLElement) => void}
   */
  function keepFocus(button, heading) {
    if (section.hidden || button.checkVisibility()) return;
    const others = button.parentElement ? partsOf('button', button.parentElement) : [];
    const other = others.find(it => it.checkVisibility());
    (other ?? heading).focus();
  }

  /** @type {(session: SessionItem) => Action} */
  const endSession = ({ id: sessionId, isCurrent }) => ({
    ...(isCurrent && {
      ask: () => ({
        title: t('console_end_your_own_session'),
        text: t('console_you_are_signed_out_of'),
        label: t('console_end_it'),
        isDangerous: true,
      }),
    }),
    work: ({ id }) => api.adminEndSession({ id, sessionId }),
    refused: { not_found: t('console_this_session_has_ended_already') },
  });

  /** @type {(key: ApiKey) => Action} */
  const removeKey = ({ id: keyId, name }) => ({
    ask: ({ email }) => ({
      title: t('console_api_key_remove_title', { name, email }),
      text: t('console_api_key_remove_text'),
      label: t('console_api_key_remove_label'),
      isDangerous: true,
    }),
    work: ({ id }) => api.adminRemoveApiKey({ id, keyId }),
    refused: { not_found: t('console_api_key_gone') },
  });

  /** @type {(identity: Identity & { label: string }) => Action} */
  const unlink = ({ provider, label }) => ({
    ask: ({ email }) => ({
      title: t('console_unlink_from', { label, email }),
      text: t('console_no_longer_signs_this_account', { label }),
      label: t('console_unlink_2'),
      isDangerous: true,
    }),
    work: ({ id }) => api.adminUnlinkOAuth({ id, provider }),
    refused: { not_found: t('console_this_identity_was_unlinked_already') },
  });

  async function remove() {
    notify();
    if (!user) return;
    const { email, id, isYou } = user;
    const answer = await askFirst({
      title: t('console_delete_2', { email }),
      text: isYou ? t('console_the_account_and_all_of') : t('console_the_account_and_all_of_its'),
      label: t('console_delete_permanently'),
      isDangerous: true,
      mustType: email,
      work: () => api.adminDeleteUser({ id }),
    });
    if (!answer) return;
    leave();
    notify(t('console_message_it_was', { message: answer.message, email }));
    changed();
  }

  /** Asks first, and moves the account to the address of the form. @param {HTMLFormElement} form */
  async function changeEmail(form) {
    notify();
    if (!user) return;
    const { id, email: former } = user;
    const [address, verified] = [fieldOf(form, 'email'), fieldOf(form, 'isVerified')];
    const password = form.elements.namedItem('requireNewPassword');
    const isStopped = password instanceof HTMLInputElement && password.checked;
    const email = address.value.trim();
    const answer = await askFirst({
      title: email ? t('console_move_to', { former, email }) : t('console_move', { former }),
      text: isStopped
        ? t('console_every_session_of_the_account_ends')
        : t('console_every_session_of_the_account_ends_and'),
      label: t('console_change_the_address'),
      isDangerous: true,
      work: () =>
        api.adminChangeEmail({
          id,
          email,
          isVerified: verified.checked,
          ...(isStopped && { requireNewPassword: true }),
        }),
    });
    if (!answer) return address.focus();
    form.reset();
    await accept(answer, () => t('console_the_address_of_the_account', { email: answer.email }));
  }

  /** Saves fields and roles. @param {Partial<User>} change */
  async function save(change) {
    notify();
    if (user) await accept(await api.adminUpdateUser({ id: user.id, ...change }), () => t('console_saved'));
  }

  async function saveName() {
    notify();
    if (!user) return;
    try {
      const answer = await api.adminUpdateUser({ id: user.id, fullName: nameField.value.trim() || null });
      await accept(answer, ({ fullName }) =>
        fullName === null ? t('console_the_name_is_cleared') : t('console_the_name_is_saved'),
      );
    } catch (error) {
      const problem = toProblem(error);
      if (problem.code !== 'invalid_input') return complain(problem);
      markField(nameField, wordsOf(problem));
      nameField.focus();
    }
  }

  return {
    section,
    open,
    /** The id of the account that is shown. */
    get id() {
      return user?.id ?? null;
    },
  };
}
