// The second step of a sign-in, on its page and in the dialog: people choose among the methods of their account.

import { GatehouseError, getPasskey, hasPasskeys } from '../src/client/core.ts';
import { onPress, onSubmit, say, sayProblem, toProblem } from './forms.js';
import { buttonOf, fieldOf, formOf, part, partsOf } from './parts.js';
import { usedCode } from './sentences.js';
import { api } from './session.js';
import { rest } from './steps.js';
import { t } from './words.js';

/** @import { Explain, MfaMethod, ProblemCode, Session, Values } from './types.d.ts' */

/** The ends of the second step, each a sentence. @type {Partial<Record<ProblemCode, string>>} */
const endings = {
  invalid_token: t('page_that_took_too_long'),
  LOCKED: t('page_that_was_the_last_try'),
};
/** The ends of one text message. @type {Partial<Record<ProblemCode, string>>} */
const textEndings = {
  mfa_code_expired: t('page_this_code_has_expired'),
  mfa_code_missing: t('page_this_code_does_not_count'),
};

/**
 * Connects the chooser in this part of the page: each `data-method` is the form of one method, each `data-choose` leads to
 * one. A host's template may be older and have only the form for a code. `done` gets the session, `over` the sentence and
 * its place when the first step must be repeated. Returns the function that begins a step: the methods are those of the
 * challenge, of which the first is the strongest.
 * @param {HTMLElement} root
 * @param {{
 *   done: (answer: Session) => unknown,
 *   over: (sentence: string, region: HTMLElement) => void,
 * }} ends
 * @returns {(token: string, methods: MfaMethod[]) => void}
 */
export function connectSecondStep(root, { done, over }) {
  let mfaPendingToken = '';
  /** @type {MfaMethod[]} */
  let usable = [];
  let isTextSent = false;
  const ways = partsOf('[data-method]', root);
  /** @param {string | undefined} method */
  const formFor = method => ways.find(({ dataset }) => dataset.method === method);

  /** @type {Explain} */
  const explain = ({ code }, region) => {
    const ending = endings[code] ?? textEndings[code];
    if (!ending) return false;
    const canSendAnother = code in textEndings && region.closest('form')?.querySelector('[data-send-text]');
    if (canSendAnother) say(region, 'danger', t('page_problem_send_new', { problem: ending }));
    else over(ending, region);
    return true;
  };

  /** Shows the form of one method; its field, or its button, gets the focus. @param {string | undefined} method */
  function choose(method) {
    for (const way of ways) way.hidden = way.dataset.method !== method;
    const others = usable.filter(each => each !== method);
    for (const button of partsOf('button[data-choose]', root))
      button.hidden = !others.some(each => each === button.dataset.choose);
    for (const list of partsOf('[data-other-ways]', root)) list.hidden = others.length === 0;
    const way = formFor(method) ?? root;
    const target = way.querySelector('input[name=code]') ?? way.querySelector('button');
    if (target instanceof HTMLElement) target.focus();
  }

  async function sendText() {
    await api.sendMfaCode({ mfaPendingToken });
    isTextSent = true;
  }

  const codeForms =
    ways.length > 0 ? ways.filter(way => way instanceof HTMLFormElement) : [formOf('form', root)];
  for (const form of codeForms) {
    const method = /** @type {MfaMethod | undefined} */ (form.dataset.method);
    const isOfApp = method === undefined || method === 'totp';
    /** @param {Values} values */
    const enterCode = async ({ code: typed = '' }) => {
      const code = plain(typed);
      if (isOfApp && wasUsed(code)) throw new GatehouseError('mfa_code_wrong', usedCode);
      const answer = await api.confirmLoginMfa({ mfaPendingToken, ...(named() && { method }), code });
      if (isOfApp) rememberUsed(code);
      return done(answer);
    };
    onSubmit(form, enterCode, explain);
  }
  /** While text messages are the only method, the API takes no name of one. */
  const named = () => ways.length > 0 && !(usable.length === 1 && usable[0] === 'sms');

  for (const way of ways.filter(({ dataset }) => dataset.method === 'passkey')) {
    const region = part('[data-message]', way);
    const use = async () => {
      const { id, options } = await api.startMfaPasskey({ mfaPendingToken });
      const credential = await getPasskey(options);
      return done(await api.confirmLoginMfa({ mfaPendingToken, method: 'passkey', id, credential }));
    };
    onPress(buttonOf('[data-use-passkey]', way), region, use, explain);
  }

  for (const button of partsOf('button[data-send-text]', root)) {
    const region = part('[data-message]', button.closest('form') ?? root);
    const sendAgain = async () => {
      await sendText();
      say(region, 'success', t('page_a_new_code_is_on'));
      rest(button);
    };
    onPress(button, region, sendAgain, explain);
  }

  for (const button of partsOf('button[data-choose]', root)) {
    const { choose: method } = button.dataset;
    const way = formFor(method);
    if (!way) continue;
    const region = part('[data-message]', way);
    const go = async () => {
      if (method === 'sms' && !isTextSent) await sendText();
    };
    onPress(
      button,
      region,
      async () => {
        choose(method);
        await go();
      },
      explain,
    );
  }

  return (token, methods) => {
    // Text that was typed before the scripts were there stays.
    if (mfaPendingToken) for (const form of codeForms) form.reset();
    mfaPendingToken = token;
    // A text message has gone out by itself where that is the strongest method.
    isTextSent = methods[0] === 'sms';
    usable = methods.filter(each => formFor(each) && (each !== 'passkey' || hasPasskeys()));
    for (const region of partsOf('[data-message]', root)) say(region);
    if (ways.length > 0) choose(usable[0]);
    else {
      const form = formOf('form', root);
      fieldOf(form, 'code').focus();
      const isTexted = methods.find(each => each !== 'passkey') === 'sms';
      if (isTexted && !isTextSent)
        sendText().catch(error => sayProblem(part('[data-message]', form), toProblem(error)));
    }
  };
}

/** Returns a code without the spaces in which it is shown. @param {string} code */
const plain = code => code.replace(/\s/g, '');

/** Where the codes of authenticator apps are that this tab has just used. Each works once, so another try with one would be lost. */
const usedKey = 'svc.used_codes';
/** No code is good for longer. */
const goodMs = 90_000;

/** @returns {[code: string, at: number][]} */
const recent = () =>
  JSON.parse(sessionStorage.getItem(usedKey) ?? '[]').filter(
    (/** @type {[string, number]} */ [, at]) => Math.abs(Date.now() - at) < goodMs,
  );

/** @param {string} code */
export const rememberUsed = code =>
  sessionStorage.setItem(usedKey, JSON.stringify([...recent(), [code, Date.now()]]));

/** Returns whether this code was used just now. @param {string} code */
const wasUsed = code => recent().some(([used]) => used === code);
