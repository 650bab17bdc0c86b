import type { MessageId, TextId, Values, ValuesOf } from './message.ts';

/** A message by an id that the compiler does not know. */
export interface AnySaid {
  id: string;
  values: Values;
}

/** A message that is to be said, in the language of its reader. */
export interface Said<Id extends MessageId = TextId> extends AnySaid {
  id: Id;
}

/** The id of a message about a field of an input; it continues the field's name. */
export type FieldMessageId = Extract<TextId, `field_${string}`>;

/** Returns a message to be said. */
export const say = <Id extends TextId>(id: Id, ...[values = {}]: ValuesOf<Id> | [undefined?]): Said<Id> => ({
  id,
  values,
});

/** Returns whether a text is the id of a message about a field. */
export const isFieldMessage = (text: string): text is FieldMessageId => /^field_[a-z_]+$/.test(text);
