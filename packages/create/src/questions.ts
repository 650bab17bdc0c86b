import { cancel, intro, isCancel, select, text } from '@clack/prompts';
import type { Catalogue } from './catalogue.ts';
import { type Choices, defaults } from './choices.ts';
import { problemWith } from './target.ts';

/** Asks for the values that the command line has left open. Returns null where the person pressed Ctrl-C. */
export async function ask(choices: Choices, { templates, databases }: Catalogue) {
  intro('Enter accepts the value shown, Ctrl-C ends without writing anything.');
  const target =
    choices.target ??
    (await text({
      message: 'In which folder?',
      placeholder: defaults.target,
      defaultValue: defaults.target,
      validate: (value = '') => problemWith(value || defaults.target),
    }));
  if (isCancel(target)) return stopped();
  const template = choices.template ?? (await choose('Which framework?', templates, defaults.template));
  if (isCancel(template)) return stopped();
  const database = choices.database ?? (await choose('Which database?', databases, defaults.database));
  if (isCancel(database)) return stopped();
  return { target, template, database };
}

const choose = (message: string, from: Record<string, { label: string }>, initialValue: string) =>
  select({
    message,
    initialValue,
    options: Object.entries(from).map(([value, { label }]) => ({ value, label })),
  });

function stopped(): null {
  cancel('Nothing was written.');
  return null;
}
