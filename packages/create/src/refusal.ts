/** A reason for writing nothing, as one line for the person who ran the command. */
export class Refusal extends Error {
  override name = 'Refusal';
}
