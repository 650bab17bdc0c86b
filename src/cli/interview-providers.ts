import { readFileSync } from 'node:fs';
import { multiselect, note, password, text } from '@clack/prompts';
import type { OAuthSettings } from './merge-files.ts';
import { checkedAnswer, type Question, settingsOf, type Target, targetOf } from './oauth-questions.ts';
import { answered } from './prompt.ts';

const choices = {
  google: 'Google',
  github: 'GitHub',
  microsoft: 'Microsoft',
  apple: 'Apple',
  other: 'Another one with OpenID Connect',
};

/** Asks with which identity providers people may sign in, and what each needs. */
export async function askProviders(baseUrl: string): Promise<OAuthSettings[]> {
  const chosen = answered(
    await multiselect({
      message: 'With which identity providers may people sign in? (space to select; none is fine)',
      options: Object.entries(choices).map(([value, label]) => ({ value, label })),
      required: false,
    }),
  ) as (keyof typeof choices)[];
  const settings: OAuthSettings[] = [];
  for (const choice of chosen) {
    const target = choice === 'other' ? await askTarget(chosen) : targetOf(choice);
    note(`${baseUrl}/api/auth/oauth/${target.name}/callback`, `Register this redirect URI at ${target.name}`);
    settings.push(await askSettings(target));
  }
  return settings;
}

/** The name of a provider where none is typed. */
const usual = 'example';

async function askTarget(taken: readonly string[]): Promise<Target> {
  const validate = (name = usual) =>
    taken.includes(name)
      ? `${name} is one of the others already: choose another name.`
      : problemOf(() => targetOf(name, 'oidc'));
  const message = 'What is the provider called? The name is in its addresses.';
  return targetOf(
    answered(await text({ message, placeholder: usual, defaultValue: usual, validate })),
    'oidc',
  );
}

async function askSettings(target: Target): Promise<OAuthSettings> {
  const answers: Record<string, string> = {};
  for (const question of target.questions) answers[question.name] = await ask(target, question);
  return settingsOf(target, answers, false);
}

async function ask({ name }: Target, question: Question): Promise<string> {
  const { label, form, isOptional = false } = question;
  const validate = (value = '') => {
    if (isOptional && value === '') return undefined;
    return problemOf(() => checkedAnswer(question, form === 'file' ? readFileSync(value, 'utf8') : value));
  };
  const hint = form === 'file' ? ' In which file is it?' : isOptional ? ' (empty: the default)' : '';
  const message = `${name}: the ${label}.${hint}`;
  if (form === 'secret') return answered(await password({ message, validate }));
  const value = answered(await text({ message, defaultValue: '', validate }));
  return form === 'file' ? readFileSync(value, 'utf8') : value;
}

/** Returns what is wrong with an answer, as the function that takes it says. */
function problemOf(take: () => unknown): string | undefined {
  try {
    take();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
