import { element } from './elements.ts';
import { reasonOf } from './words.ts';

/** What a page shows below its title. */
export interface Page {
  title: string;
  content: Node[];
}

type Pages = Record<string, () => Page | Promise<Page>>;

let pages: Pages = {};
/** Counts the pages that were asked for: one that comes late is not shown. */
let asked = 0;
const main = document.querySelector('main') as HTMLElement;

/** Goes to a page of the application, which first says what was done. */
export function go(path: string, said?: string): void {
  history.pushState(null, '', path);
  void show(said);
}

/** Takes what a mailed link or a redirect carries, and takes it out of the address bar and the history first. */
export function takeParameter(name: string): string | null {
  const url = new URL(location.href);
  const value = url.searchParams.get(name);
  url.searchParams.delete(name);
  history.replaceState(null, '', url);
  return value;
}

/** Shows the page of the address, and the page of every link that is followed. */
export function start(known: Pages): void {
  pages = known;
  addEventListener('popstate', () => void show());
  document.addEventListener('click', event => {
    const anchor = (event.target as Element).closest('a');
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
    if (!anchor || !isPlain || anchor.origin !== location.origin || !(anchor.pathname in pages)) return;
    event.preventDefault();
    go(anchor.pathname);
  });
  void show();
}

async function show(said?: string): Promise<void> {
  const current = ++asked;
  const page = pages[location.pathname] ?? (() => ({ title: 'There is no such page', content: [] }));
  const made = await Promise.resolve()
    .then(page)
    .catch((error: unknown) => ({ title: 'Something is wrong', content: [new Text(reasonOf(error))] }));
  if (current !== asked) return;
  const words = said ? [element('p', { className: 'said', role: 'status' }, said)] : [];
  present({ ...made, content: [...words, ...made.content] });
}

/** Shows the next step of the page that is there. */
export function present({ title, content }: Page): void {
  document.title = `${title} · Lanterns`;
  const heading = element('h1', { tabIndex: -1 }, title);
  main.replaceChildren(heading, ...content);
  // Screen readers begin at the new page's title.
  heading.focus();
}
