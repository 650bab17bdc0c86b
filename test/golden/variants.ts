/** One rendering of something, and the configuration or state that it was rendered with. */
export interface Rendered {
  variant: string;
  text: string;
}

/**
 * Returns renderings of one page or mail in a compact form: each block of text once, with the numbers of the variants that
 * have it, where not all do. `split` returns the blocks of a rendering.
 */
export function recorded(title: string, renderings: Rendered[], split: (text: string) => string[]): string {
  const blocks = new Map<string, Set<number>>();
  for (const [index, { text }] of renderings.entries()) {
    for (const block of split(text)) {
      const seen = blocks.get(block) ?? new Set();
      blocks.set(block, seen.add(index));
    }
  }
  const lines = [...blocks].map(([block, seen]) =>
    seen.size === renderings.length ? `  ${block}` : `  [${ranges([...seen])}] ${block}`,
  );
  return [`# ${title}`, ...lines].join('\n');
}

/** Returns the numbers of the variants, for the head of a file. */
export const legend = (variants: string[]): string =>
  variants.map((variant, index) => `${index}: ${variant}`).join('\n');

/** Returns `0-3,7`. @param numbers sorted */
function ranges(numbers: number[]): string {
  const found: [from: number, to: number][] = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else found.push([number, number]);
  }
  return found.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** Returns the paragraphs of a text, each on one line, whatever their width is. Lines that end with a URL or begin with a label stay lines. */
export const paragraphs = (text: string): string[] =>
  text
    .split(/\n\s*\n|\n(?=(?:When|By|From): |https?:)|(?<=https?:\S+)\n/)
    .map(oneLine)
    .filter(Boolean);

/** Returns the words of a page or an HTML mail that are not in the brackets of the pseudo-language. */
export function outsideOfBrackets(html: string, data: readonly string[]): string[] {
  const seen = html
    .replace(/<(style|script)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, tag =>
      [...tag.matchAll(/\s(?:aria-label|placeholder|title|alt|data-none|data-title|data-label)="([^"]*)"/g)]
        .map(([, text]) => ` ${text} `)
        .join(''),
    );
  // A value of a message may be a message itself.
  const left = seen.replace(/⟦(?:[^⟦⟧]|⟦[^⟦⟧]*⟧)*⟧/g, '');
  const words = data.reduce((text, each) => text.replaceAll(each, ''), left);
  return words
    .split('\n')
    .map(line => line.trim())
    .filter(line => /\p{L}/u.test(line));
}

/** Elements that begin a block. */
const block =
  /(?=<(?:p|div|h\d|section|form|fieldset|legend|button|label|li|ul|ol|dl|dt|dd|option|select|table|thead|tbody|tr|td|th|dialog|nav|header|footer|main|input|details|summary|body|html|head|title|meta|link|script|template|pre)\b)/;

/** Returns the elements of a page or of an HTML mail, each on one line, without what only the browser's cache is told. */
export const elements = (html: string): string[] =>
  html
    .replace(/\?v=[\w-]{16}/g, '')
    .replace(/ data-svc-messages="[^"]*"/, '')
    .split(block)
    .map(text => text.replace(/\s+/g, ' ').replace(/ $/, ''))
    .filter(text => text !== '' && !/^<(?:script|link rel="modulepreload")/.test(text));
