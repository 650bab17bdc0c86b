/**
 * Writes to standard output, and resolves when that is done: with the code of the error where it failed, which is `EPIPE`
 * when the reader has gone (`svc audit | head`).
 */
export function print(text: string): Promise<string | undefined> {
  const { stdout } = process;
  return new Promise(resolve => {
    const fail = ({ code = 'unknown reason' }: NodeJS.ErrnoException) => resolve(code);
    stdout.once('error', fail);
    stdout.write(text, error => {
      // The event that follows a failure needs its listener.
      if (error) return;
      stdout.off('error', fail);
      resolve(undefined);
    });
  });
}

/** Says why a command has not written all of its output. */
export const unwritable = (code: string | undefined) => `standard output can't be written (${code})`;

/** Control characters, and those that change the direction of the text after them. */
const changingTheTerminal = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Returns one line of a text that others wrote: nothing in it changes what a terminal shows, or in which order. */
export const oneLine = (text: string) => text.replace(changingTheTerminal, ' ');

/** Returns a text for HTML, in which no character is markup. */
export const escaped = (text: string) =>
  text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
