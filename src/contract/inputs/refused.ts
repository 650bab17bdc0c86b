import type { Values, ValuesOf } from '../../words/message.ts';
import type { FieldMessageId } from '../../words/said.ts';

type Suffix<Id extends string> = Id extends `field_${infer Name}` ? Name : never;
type FieldMessage = Suffix<FieldMessageId>;

/**
 * Returns the message of a check, which schemas name by its id; the bounds of a length or a number are values of it by
 * themselves: `least`, `most`.
 */
export const field = <Name extends FieldMessage>(name: Name): `field_${Name}` => `field_${name}`;

/** Returns the message of a refinement, with its values. */
export const refused = <Name extends FieldMessage>(
  name: Name,
  ...[params]: ValuesOf<`field_${Name}`>
): { error: string; params: Values | undefined } => ({ error: field(name), params });
