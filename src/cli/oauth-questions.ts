import { isPlainName } from '../config/plain-names.ts';
import { isP256 } from '../config/providers.ts';
import { type ProviderKind, provider, providerKinds } from '../config/schema/providers.ts';
import { CommandError } from './errors.ts';
import type { OAuthSettings } from './merge-files.ts';

/** One thing that the set-up of a provider has to be told. */
export interface Question {
  /** The field of the configuration. */
  name: keyof typeof provider.shape;
  /** Its name for people. */
  label: string;
  /** `file`: a secret of several lines, which the command line reads from a file. */
  form: 'text' | 'secret' | 'file';
  isOptional?: boolean;
}

const clientId: Question = { name: 'client_id', label: 'client id', form: 'text' };
const clientSecret: Question = { name: 'client_secret', label: 'client secret', form: 'secret' };

/** The questions of each kind. */
const questionsByKind: Record<ProviderKind, readonly Question[]> = {
  oidc: [{ name: 'issuer', label: 'issuer', form: 'text' }, clientId, clientSecret],
  github: [clientId, clientSecret],
  microsoft: [clientId, clientSecret, { name: 'tenant', label: 'tenant', form: 'text', isOptional: true }],
  apple: [
    { ...clientId, label: 'client id' },
    { name: 'team_id', label: 'team id', form: 'text' },
    { name: 'key_id', label: 'key id', form: 'text' },
    { name: 'private_key', label: 'private key', form: 'file' },
  ],
};

/** A provider to set up. */
export interface Target {
  name: string;
  kind: ProviderKind;
  questions: readonly Question[];
}

/**
 * Returns what to ask for. A provider that is called as a kind is of this kind; `google` is asked for its id and secret.
 * @throws {CommandError} when the kind is unknown
 */
export function targetOf(name: string, kind?: string): Target {
  const isKind = (text: string): text is ProviderKind => (providerKinds as readonly string[]).includes(text);
  const chosen = kind ?? (isKind(name) ? name : 'oidc');
  if (!isKind(chosen)) {
    throw new CommandError(`There is no kind ${chosen}: it is one of ${providerKinds.join(', ')}.`);
  }
  if (!isPlainName(name)) {
    throw new CommandError(
      `A provider cannot be called ${name}: use at most 50 lower-case letters, digits and single underscores.`,
    );
  }
  const isGoogle = name === 'google' && kind === undefined;
  return { name, kind: chosen, questions: isGoogle ? [clientId, clientSecret] : questionsByKind[chosen] };
}

/** `client id` → `--client-id` */
const optionOf = ({ label, form }: Question) =>
  `--${label.replaceAll(' ', '-')}${form === 'file' ? '-file' : ''}`;

/**
 * Returns the settings of a provider from the answers to its questions.
 * @throws {CommandError} when an answer is missing or invalid
 */
export function settingsOf(
  { name, kind, questions }: Target,
  answers: Readonly<Record<string, string | undefined>>,
  autoLink: boolean,
): OAuthSettings {
  const values: Record<string, string> = {};
  for (const question of questions) {
    const value = answers[question.name]?.trim();
    if (value) values[question.name] = checkedAnswer(question, value);
    else if (!question.isOptional) {
      throw new CommandError(`The ${question.label} is missing: give it with ${optionOf(question)}=…`);
    }
  }
  const { client_id = '', client_secret, private_key, ...fields } = values;
  return {
    clientId: client_id,
    clientSecret: private_key ?? client_secret ?? '',
    autoLink,
    // Google has fields of its own.
    ...((name !== 'google' || 'issuer' in values) && { provider: { name, kind, fields } }),
  };
}

/** Returns an answer as it is written. @throws {CommandError} when it cannot be right */
export function checkedAnswer({ name, label, form }: Question, value: string): string {
  if (form === 'file') {
    if (isP256(value)) return `${value}\n`;
    throw new CommandError(
      `The ${label} is not the key that Apple gave you: a PEM with an EC key of the curve P-256.`,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(value) || /["'#\\]/.test(value)) {
    throw new CommandError(
      `The ${label} contains white space, quotes or characters beyond ASCII; copy it again.`,
    );
  }
  const { error } = provider.shape[name].safeParse(value);
  if (error) throw new CommandError(`The ${label} ${error.issues[0]?.message}.`);
  return value;
}
