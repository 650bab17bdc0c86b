import type { ImportLine } from './import.ts';

/** The longest line, in bytes: many times what a user takes. */
const longestLine = 65_536;
const lineFeed = 0x0a;

/**
 * Returns the lines of a stream of UTF-8, with their numbers; blank ones are left out. A line that is too long is not kept
 * in memory, and one that is not UTF-8 is reported as such.
 */
export async function* readLines(bytes: AsyncIterable<Buffer>): AsyncGenerator<ImportLine> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let number = 0;
  let parts: Buffer[] = [];
  let length = 0;

  function end(): ImportLine | null {
    number++;
    const [line, size] = [Buffer.concat(parts), length];
    parts = [];
    length = 0;
    if (size > longestLine) {
      // Its first byte tells which form the file has.
      return {
        number,
        text: line.toString('latin1', 0, 1),
        problem: `is longer than ${longestLine / 1024} KiB`,
      };
    }
    try {
      // This also removes a byte order mark, which some systems put before the first line.
      const text = decoder.decode(line).trim();
      return text === '' ? null : { number, text };
    } catch {
      return { number, text: '', problem: 'is not UTF-8' };
    }
  }

  function add(part: Buffer): void {
    length += part.length;
    if (length <= longestLine) parts.push(part);
  }

  for await (const chunk of bytes) {
    let from = 0;
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, from)) {
      add(chunk.subarray(from, at));
      from = at + 1;
      const line = end();
      if (line) yield line;
    }
    add(chunk.subarray(from));
  }
  const last = length > 0 ? end() : null;
  if (last) yield last;
}
