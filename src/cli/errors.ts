/** An error that a person at a terminal can act on; its message is one line. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
