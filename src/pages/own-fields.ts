import { camelCase } from '../config/names.ts';
import { type Level, type OwnData, reaches } from '../contract/own-fields.ts';
import { type ByLanguage, textIn } from '../words/by-language.ts';

/** Returns what templates know of the own fields that somebody of a level may see or set. */
export const ownFieldsFor = (
  level: Level,
  { userFields }: Pick<OwnData, 'userFields'>,
  textOf: (text: string | ByLanguage) => string = text => textIn(text, 'en'),
) =>
  Object.entries(userFields)
    .map(([name, { type, label, labels, required, editableBy, visibleTo }]) => ({
      ...{ name, graphql_name: camelCase(name), type, label: textOf(labels ?? label), required },
      is_editable: reaches(level, editableBy),
      is_visible: reaches(level, visibleTo),
    }))
    .filter(field => field.is_editable || field.is_visible);
