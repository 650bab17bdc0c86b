// A list with search, filters and pages behind cursors, in step with the address.
import { wordsOf } from './admin-api.js';
import { byId, counted, fill, partOf, showParts } from './admin-parts.js';
import { addressOf, moveTo, place } from './admin-place.js';

/** How long to wait for the next letter of a search, in milliseconds. */
const pauseMs = 300;
const usualSize = '25';
/** How far the service counts what a search finds. */
const searchCountsTo = 10_000;
const states = ['failure', 'none', 'unmatched', 'table', 'pages'];

/**
 * The list in the section of this name. `load(variables, show)` asks for a page, `rowFor` makes a row of one item,
 * `nouns` are what is counted, in the singular and the plural.
 */
export function createList({ name, load, rowFor, nouns }) {
  const section = byId(name);
  const form = section.querySelector('form');
  const { search, show, size } = form.elements;
  const [results, rows, count, next, previous, retry] = [
    ...['results', 'rows', 'count', 'next', 'previous', 'retry'],
  ].map(part => partOf(section, part));
  let endCursor = null;
  let asked = 0;
  let timer;

  form.addEventListener('submit', event => {
    event.preventDefault();
    apply();
  });
  form.addEventListener('change', ({ target }) => target !== search && apply());
  search.addEventListener('input', event => {
    clearTimeout(timer);
    if (event.isComposing) return;
    // The letters of one search are one step in the history.
    timer = setTimeout(() => {
      // Whoever has gone elsewhere meanwhile is not called back.
      if (!section.hidden) apply({ replace: place().query.has('search') });
    }, pauseMs);
  });
  next.addEventListener('click', () => turn(next, endCursor, [...pagesBefore(), place().query.get('after')]));
  previous.addEventListener('click', () => turn(previous, pagesBefore().at(-1), pagesBefore().slice(0, -1)));
  retry.addEventListener('click', open);

  /** What the form says, with the usual left out. */
  const wanted = () => ({
    ...(search.value.trim() && { search: search.value.trim() }),
    ...(show?.value && { show: show.value }),
    ...(size.value !== usualSize && { size: size.value }),
  });

  /** The cursors of the pages before this one, first to last; the first page has none. */
  const pagesBefore = () => history.state?.before ?? [];

  function apply({ replace = false } = {}) {
    clearTimeout(timer);
    const address = addressOf(name, wanted());
    moveTo(address, { replace: replace || address === location.hash });
  }

  /** A button that leads nowhere stays in place, so that it keeps its focus. */
  function turn(button, after, before) {
    if (button.ariaDisabled === 'true' || results.ariaBusy === 'true') return;
    moveTo(addressOf(name, { ...wanted(), ...(after && { after }) }), { state: { before } });
  }

  /** Brings form and rows to what the address says; answers when they are there. */
  async function open() {
    clearTimeout(timer);
    const number = ++asked;
    const { query } = place();
    const after = query.get('after');
    const text = query.get('search') ?? '';
    if (search.value.trim() !== text) search.value = text;
    choose(show, query.get('show'), '');
    choose(size, query.get('size'), usualSize);
    const isCut = Boolean(text || show?.value);

    results.ariaBusy = 'true';
    const finish = await load({ first: Number(size.value), after, search: text || null }, show?.value).then(
      page => () =>
        page.nodes.length > 0 || after === null
          ? render(page, { isCut, after, isSearch: Boolean(text) })
          : apply({ replace: true }),
      problem => () => fail(problem),
    );
    // An answer that a later question has overtaken is not shown. Of a page that is empty by now, the first one is.
    if (number !== asked) return;
    const hadFocus = results.contains(document.activeElement) && document.activeElement;
    results.ariaBusy = null;
    finish();
    if (hadFocus && !(hadFocus.isConnected && hadFocus.checkVisibility()))
      (retry.checkVisibility() ? retry : section.querySelector('h2')).focus();
  }

  function render({ nodes, totalCount, pageInfo }, { isCut, after, isSearch }) {
    endCursor = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    const empty = isCut ? 'unmatched' : 'none';
    const hasPages = after !== null || endCursor !== null;
    showParts(section, states, [nodes.length > 0 ? 'table' : empty, ...(hasPages ? ['pages'] : [])]);
    rows.replaceChildren(...nodes.map(rowFor));
    next.ariaDisabled = endCursor === null ? 'true' : null;
    previous.ariaDisabled = after === null ? 'true' : null;
    const page = after === null ? 0 : pagesBefore().length;
    const isMore = isSearch && totalCount === searchCountsTo;
    const total = `${isMore ? 'at least ' : ''}${counted(totalCount, nouns)}`;
    const part = nodes.length === totalCount ? total : `${nodes.length} of ${total}`;
    count.textContent = page > 0 ? `${part}, page ${page + 1}` : part;
  }

  function fail(problem) {
    showParts(section, states, ['failure']);
    count.textContent = '';
    fill(partOf(section, 'failure'), { reason: wordsOf(problem) });
  }

  return { section, open };
}

/** Chooses a value of a list, or the usual one when there is no such value. */
function choose(select, value, usual) {
  if (!select) return;
  select.value = value ?? usual;
  if (select.selectedIndex === -1) select.value = usual;
}
