// The inbox of development: lists the mails and text messages of the server as they come.

/**
 * @typedef {object} Message
 * @property {number} number
 * @property {'mail' | 'text'} kind
 * @property {string} to
 * @property {string} at
 * @property {string} subject
 * @property {string} text
 * @property {boolean} hasHtml
 * @property {string[]} links
 * @property {string[]} codes
 */

/** @param {string} selector @returns {HTMLElement} */
const part = selector => /** @type {HTMLElement} */ (document.querySelector(selector));
const state = part('[data-state]');
const list = part('[data-list]');
const shown = part('[data-message]');
const search = /** @type {HTMLInputElement} */ (part('#search'));
const empty = [...shown.childNodes];

/** How many messages the server keeps. */
const most = 200;

/** The latest comes first. @type {Message[]} */
let messages = [];
/** The number of the message that is open, and whether its reader has chosen it. */
let open = { number: 0, isChosen: false };

/**
 * Returns an element; strings in it are texts, never markup.
 * @param {string} name
 * @param {Record<string, string>} attributes
 * @param {(string | Node)[]} children
 */
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** @param {string} text @param {string} name */
function copyButton(text, name) {
  const button = element(
    'button',
    { type: 'button', class: 'button button-small', 'aria-label': `Copy ${name}` },
    'Copy',
  );
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
  return button;
}

/** @param {string} link */
const isWeb = link => /^https?:\/\//.test(link);

/** @param {string} heading @param {Node[]} rows */
const section = (heading, rows) =>
  rows.length > 0 ? [element('h3', {}, heading), element('ul', { class: 'list-plain' }, ...rows)] : [];

/** @param {Message} message */
function show({ number, kind, to, at, subject, text, hasHtml, links, codes }) {
  open.number = number;
  const time = element('time', { datetime: at }, new Date(at).toLocaleString());
  const linkRows = links
    .filter(isWeb)
    .map(link =>
      element(
        'li',
        { class: 'copy-row' },
        element('a', { href: link, target: '_blank', rel: 'noopener noreferrer' }, link),
        copyButton(link, 'the link'),
      ),
    );
  const codeRows = codes.map(code =>
    element('li', { class: 'copy-row' }, element('code', {}, code), copyButton(code, 'the code')),
  );
  const frame = element('iframe', {
    title: 'The mail as HTML',
    class: 'mail-frame',
    // Its document is of an origin of its own, and runs nothing.
    sandbox: 'allow-popups allow-popups-to-escape-sandbox',
    ...(hasHtml && { src: `/svc-dev/inbox/${number}.html` }),
  });
  shown.replaceChildren(
    element('h2', { class: 'card-title' }, subject || 'Text message'),
    element(
      'p',
      { class: 'small soft' },
      kind === 'mail' ? 'Mail to ' : 'Text message to ',
      element('bdi', {}, to),
      ' · ',
      time,
    ),
    ...section('Links', linkRows),
    ...section('Codes', codeRows),
    ...(hasHtml ? [element('h3', {}, 'HTML'), frame] : []),
    element('h3', {}, 'Text'),
    element('pre', { dir: 'auto', tabindex: '0', role: 'region', 'aria-label': 'Text' }, text),
  );
  mark();
}

function mark() {
  for (const button of list.querySelectorAll('button')) {
    button.setAttribute('aria-current', `${button.dataset.number === String(open.number)}`);
  }
}

function draw() {
  const sought = search.value.trim().toLowerCase();
  const found = messages.filter(({ to, subject }) => `${to} ${subject}`.toLowerCase().includes(sought));
  list.replaceChildren(
    ...found.map(message => {
      const { number, kind, to, at, subject, text } = message;
      const button = element(
        'button',
        { type: 'button', class: 'inbox-row', 'data-number': String(number) },
        element('strong', { dir: 'auto' }, kind === 'mail' ? subject : text),
        element(
          'span',
          { class: 'small soft' },
          element('bdi', {}, to),
          ` · ${new Date(at).toLocaleTimeString()}`,
        ),
      );
      button.addEventListener('click', () => {
        open.isChosen = true;
        show(message);
      });
      return element('li', {}, button);
    }),
  );
  mark();
}

/** @param {string} kind @param {string} text */
function say(kind, text) {
  state.className = `notice${kind && ` notice-${kind}`}`;
  state.textContent = text;
}

let isDrawing = false;
/** Draws once for all that came at the same time. */
function drawSoon() {
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(() => {
    isDrawing = false;
    draw();
    const [latest] = messages;
    // The latest is open until its reader opens another one.
    if (latest && !open.isChosen && open.number !== latest.number) show(latest);
  });
}

search.addEventListener('input', draw);
const stream = new EventSource('/svc-dev/inbox/messages');
stream.addEventListener('open', () => say('', 'Live: new messages appear by themselves.'));
stream.addEventListener('error', () =>
  say('warning', 'The server does not answer. This page connects again by itself.'),
);
// The server has started anew: its numbers begin again.
stream.addEventListener('begin', () => {
  messages = [];
  open = { number: 0, isChosen: false };
  shown.replaceChildren(...empty);
  drawSoon();
});
stream.addEventListener('message', ({ data }) => {
  messages.unshift(JSON.parse(data));
  messages.length = Math.min(messages.length, most);
  drawSoon();
});

export {};
