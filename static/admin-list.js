// A list with search (if its form has one), filters and pages with cursors, synchronised with the address.
import { countedUpTo } from '../src/count-limits.ts';
import { reasonOf } from './admin-api.js';
import { holdFocus, partNamed, showParts } from './admin-parts.js';
import { addressOf, moveTo, place } from './admin-place.js';
import { toProblem } from './forms.js';
import { fill, formOf, part, partsOf } from './parts.js';
import { t } from './words.js';

/** @import { Page, PageInput, Problem } from './types.d.ts' */

/** How long to wait for the next key of a search or a day, in milliseconds. */
const pauseMs = 300;
const usualSize = '25';
const states = ['failure', 'none', 'unmatched', 'table', 'pages'];

/**
 * Creates the list in the section of this name. `load(input, show, filters)` requests a page, `rowFor` returns the row of
 * one item, `counted` says how many items there are. `filters` has the values of the further fields of the
 * form, those with `data-filter`, that are not empty.
 * @template Item
 * @param {{
 *   name: string,
 *   load: (input: PageInput, show: string | undefined, filters: Record<string, string>) => Promise<Page<Item> & { total?: number, isCapped?: boolean }>,
 *   rowFor: (item: Item) => HTMLElement,
 *   counted: (values: { form: string, shown: number, count: number }) => string,
 * }} options
 */
export function createList({ name, load, rowFor, counted }) {
  const section = part(`#${name}`);
  const form = formOf('form', section);
  // Some lists have no search, and some no filter.
  const [search] = partsOf('input[name="search"]', form);
  const size = part('[name="size"]', form, HTMLSelectElement);
  const [show] = partsOf('select[name="show"]', form);
  const filters = [...partsOf('input[data-filter]', form), ...partsOf('select[data-filter]', form)];
  /** @param {string} of */
  const named = of => partNamed(section, of);
  const [results, rows, count] = [named('results'), named('rows'), named('count')];
  const [next, previous, retry] = [named('next'), named('previous'), named('retry')];
  /** @type {string | null} */
  let endCursor = null;
  let asked = 0;
  let timer = 0;

  form.addEventListener('submit', event => {
    event.preventDefault();
    apply();
  });
  form.addEventListener('change', ({ target }) => {
    // Each key of a day that is typed makes another day.
    if (target instanceof HTMLInputElement && target.type === 'date') applySoon(target.name);
    else if (target !== search) apply();
  });
  search?.addEventListener('input', event => {
    clearTimeout(timer);
    if (event instanceof InputEvent && event.isComposing) return;
    applySoon('search');
  });
  next.addEventListener('click', () => turn(next, endCursor, [...pagesBefore(), place().query.get('after')]));
  previous.addEventListener('click', () =>
    turn(previous, pagesBefore().at(-1) ?? null, pagesBefore().slice(0, -1)),
  );
  retry.addEventListener('click', open);

  /** Returns the values of the further filters that are set. @returns {Record<string, string>} */
  const filtered = () =>
    Object.fromEntries(
      filters.map(({ name, value }) => [name, value.trim()]).filter(([, value]) => value !== ''),
    );

  /** Returns the values of the form, without the defaults. */
  const wanted = () => ({
    ...(search?.value.trim() && { search: search.value.trim() }),
    ...(show?.value && { show: show.value }),
    ...filtered(),
    ...(size.value !== usualSize && { size: size.value }),
  });

  /**
   * Returns the cursors of the pages before this one, first to last; the first page has none. @returns {(string | null)[]}
   */
  const pagesBefore = () => history.state?.before ?? [];

  function apply({ replace = false } = {}) {
    clearTimeout(timer);
    const address = addressOf(name, wanted());
    moveTo(address, { replace: replace || address === location.hash });
  }

  /** Applies the form after the last key of a field; all of its keys make one step in the history. @param {string} field */
  function applySoon(field) {
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      // An operator who has opened another view meanwhile is not brought back.
      if (!section.hidden) apply({ replace: place().query.has(field) });
    }, pauseMs);
  }

  /**
   * Sets where a button leads; one that leads nowhere stays in place, so that it keeps its focus.
   * @type {(button: HTMLElement, after: string | null, before: (string | null)[]) => void}
   */
  function turn(button, after, before) {
    if (button.ariaDisabled === 'true' || results.ariaBusy === 'true') return;
    moveTo(addressOf(name, { ...wanted(), ...(after && { after }) }), { state: { before } });
  }

  /** Shows the form and the rows that the address names; resolves when they are shown. */
  async function open() {
    clearTimeout(timer);
    const number = ++asked;
    const { query } = place();
    const after = query.get('after');
    const text = query.get('search') ?? '';
    if (search && search.value.trim() !== text) search.value = text;
    choose(show, query.get('show'), '');
    choose(size, query.get('size'), usualSize);
    for (const filter of filters) {
      const value = query.get(filter.name) ?? '';
      // The part of a day that is being typed stays chosen.
      if (filter.value !== value) filter.value = value;
    }
    const narrowed = filtered();
    const isCut = Boolean(text || show?.value) || Object.keys(narrowed).length > 0;

    results.ariaBusy = 'true';
    const asking = { limit: Number(size.value), after, search: text || null };
    const finish = await load(asking, show?.value, narrowed).then(
      page => () =>
        page.items.length > 0 || after === null
          ? render(page, { isCut, after, isSearch: Boolean(text) })
          : apply({ replace: true }),
      error => () => fail(toProblem(error)),
    );
    // A response that a later request has overtaken is not shown. If the page has become empty, the first one is shown.
    if (number !== asked) return;
    const keepFocus = holdFocus(section);
    results.ariaBusy = null;
    finish();
    keepFocus();
  }

  /** @type {(page: Page<Item> & { total?: number, isCapped?: boolean }, how: { isCut: boolean, after: string | null, isSearch: boolean }) => void} */
  function render({ items, total: all, nextCursor, isCapped }, { isCut, after, isSearch }) {
    endCursor = nextCursor;
    const empty = isCut ? 'unmatched' : 'none';
    const hasPages = after !== null || endCursor !== null;
    showParts(section, states, [items.length > 0 ? 'table' : empty, ...(hasPages ? ['pages'] : [])]);
    rows.replaceChildren(...items.map(rowFor));
    next.ariaDisabled = endCursor === null ? 'true' : null;
    previous.ariaDisabled = after === null ? 'true' : null;
    const page = after === null ? 0 : pagesBefore().length;
    const isMore = isCapped || all === countedUpTo[isSearch ? 'search' : 'all'];
    // Some lists are not counted.
    const total = all ?? items.length;
    const isPart = items.length !== total;
    const form = isPart ? (isMore ? 'part_of_least' : 'part') : isMore ? 'least' : 'all';
    const shown = counted({ form, shown: items.length, count: total });
    const isOnePage = page === 0 && (all !== undefined || endCursor === null);
    count.textContent = isOnePage ? shown : t('console_count_page', { shown, page: page + 1 });
  }

  /** @param {Problem} problem */
  function fail(problem) {
    showParts(section, states, ['failure']);
    count.textContent = '';
    fill({ reason: reasonOf(problem) }, named('failure'));
  }

  return { section, open };
}

/**
 * Selects a value of a list, or the default if there is no such value.
 * @type {(select: HTMLSelectElement | undefined, value: string | null, usual: string) => void}
 */
function choose(select, value, usual) {
  if (!select) return;
  select.value = value ?? usual;
  if (select.selectedIndex === -1) select.value = usual;
}
