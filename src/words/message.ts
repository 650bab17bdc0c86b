import type { IntlMessageFormat } from 'intl-messageformat';
import type { Messages } from './messages.ts';

/** A message with values, plurals, choices or tags, parsed. */
export type Tree = ReturnType<IntlMessageFormat['getAst']>;

/** A message as it is shipped: a text that is shown as it is, or the tree of one with values, plurals or tags. */
export type Parsed = string | Tree;

/** The id of a message. */
export type MessageId = keyof Messages;

/** The id of a message without tags. */
export type TextId = { [Id in MessageId]: [Messages[Id]['tag']] extends [never] ? Id : never }[MessageId];

/** The id of a message that is shown as it is. */
export type PlainId = { [Id in TextId]: [keyof Messages[Id]['values']] extends [never] ? Id : never }[TextId];

/** The values of a message as an argument; none where it has none. */
export type ValuesOf<Id extends MessageId> = [keyof Messages[Id]['values']] extends [never]
  ? []
  : [values: Messages[Id]['values']];

/** The names of the tags of a message. */
export type TagOf<Id extends MessageId> = Messages[Id]['tag'];

/** Values of a message, by name. */
export type Values = Readonly<Record<string, string | number>>;

/** The id of a message about an act; each of them is told by how it ended. */
export type ActId = Extract<TextId, `act_${string}`>;

/** The id of a message of the console about an act: what was done, or what was tried. */
export type ConsoleActId = Extract<TextId, `console_act_${string}`>;

/** The id of a message about why something was refused. */
export type ReasonId = Extract<PlainId, `error_${string}`>;
