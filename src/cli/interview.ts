import { confirm, intro, multiselect, note, outro, password, select, text } from '@clack/prompts';
import { loadConfig } from '../config/load.ts';
import {
  type Answers,
  databases,
  defaultAnswers,
  type Feature,
  featureNames,
  features,
  type MailAnswers,
  type Stay,
  stays,
} from './answers.ts';
import { withoutSecrets } from './init-files.ts';
import { askProviders } from './interview-providers.ts';
import { answered, stop } from './prompt.ts';

/** The contents of the two files. */
interface Texts {
  config: string;
  secrets: string;
  /** The settings without an answer. */
  left: string[];
}

/**
 * Asks each question with its default, and at the end shows what would be written. Nothing is written before the last
 * answer, and Ctrl-C at any question leaves everything as it was.
 * @param level the level of assurance that decides about features and lifetimes, which are then not asked for
 */
export async function interview(textsOf: (answers: Answers) => Texts, level?: string): Promise<Texts> {
  intro('A few questions: Enter accepts the value shown, Ctrl-C ends without writing anything.');
  const appName = await line(
    'What is the name of the application? Emails and pages show it.',
    'app_name',
    defaultAnswers.appName,
  );
  const baseUrl = await line('At which origin will people reach it?', 'base_url', defaultAnswers.baseUrl);
  const supportContact = await line(
    'Where do people find help? An address or a page (empty: none yet)',
    'support_contact',
    '',
  );
  const answers: Answers = {
    ...{ appName, baseUrl, supportContact },
    databaseUrl: await askDatabase(),
    stay: level ? defaultAnswers.stay : await askStay(),
    features: level ? defaultAnswers.features : await askFeatures(),
    providers: await askProviders(baseUrl),
    mail: await askMail(),
  };
  const texts = textsOf(answers);
  // The rate limits are many lines, and always the same.
  const config = texts.config.replace(
    /^((?:# )?login_rate_limit = .*\n)(?:(?:# )?\w+_rate_limit = .*\n)+/m,
    '$1# … and so on for the other routes\n',
  );
  note(`${config}\n${withoutSecrets(texts.secrets)}`.trim(), 'svc.toml and svc.secrets.env');
  const isRight = answered(await confirm({ message: 'Write these files?', initialValue: true }));
  if (!isRight) return stop();
  outro('Writing them.');
  return texts;
}

async function askDatabase(): Promise<string> {
  const kind = answered(
    await select({
      message: 'Which database?',
      initialValue: 'sqlite',
      options: Object.entries(databases).map(([value, { label }]) => ({ value, label })),
    }),
  ) as keyof typeof databases;
  return line('Where is it?', 'database_url', databases[kind].url);
}

async function askStay(): Promise<Stay> {
  const names = Object.keys(stays) as Stay[];
  return answered(
    await select({
      message: 'How long do people stay signed in?',
      initialValue: defaultAnswers.stay,
      options: names.map(value => ({ value, label: stays[value].label })),
    }),
  );
}

async function askFeatures(): Promise<Answers['features']> {
  const chosen = answered(
    await multiselect({
      message: 'Which features should be on? (space to select)',
      options: featureNames.map(value => ({ value, label: features[value].label, hint: value })),
      initialValues: featureNames.filter(name => features[name].byDefault),
      required: false,
    }),
  ) as Feature[];
  return Object.fromEntries(featureNames.map(name => [name, chosen.includes(name)])) as Answers['features'];
}

async function askMail(): Promise<MailAnswers> {
  const backend = answered(
    await select({
      message: 'How are emails sent?',
      initialValue: 'console',
      options: [
        { value: 'console', label: 'Not at all: they are printed (for development)' },
        { value: 'smtp', label: 'SMTP' },
        { value: 'ses', label: 'Amazon SES' },
      ],
    }),
  ) as MailAnswers['backend'];
  const fromAddress = await line(
    'From which address?',
    'email.from_address',
    defaultAnswers.mail.fromAddress,
  );
  if (backend === 'smtp') return { backend, fromAddress, smtp: await askSmtp() };
  if (backend === 'ses') {
    const sesRegion = await line('In which AWS region?', 'email.ses_region', 'eu-west-1');
    return { backend, fromAddress, sesRegion };
  }
  return { backend, fromAddress };
}

async function askSmtp() {
  const host = await line('Which mail server?', 'email.smtp_host', 'localhost');
  const port = await line('On which port? (465 means implicit TLS)', 'email.smtp_port', '587');
  const username = answered(
    await text({ message: 'As which user? (empty: no authentication)', defaultValue: '' }),
  );
  if (username === '') return { host, port, username, password: '' };
  const message = `What is the password of ${username}? It goes into svc.secrets.env.`;
  const bothQuotes = (value = '') =>
    value.includes('"') && value.includes("'") ? 'can contain only one kind of quotation mark' : undefined;
  return { host, port, username, password: answered(await password({ message, validate: bothQuotes })) };
}

/** Asks for a setting. Enter takes the default, which is shown where nothing is typed. */
async function line(message: string, key: string, defaultValue: string): Promise<string> {
  const validate = (value = '') => (value === '' ? undefined : problemWith(key, value));
  return answered(await text({ message, placeholder: defaultValue, defaultValue, validate }));
}

/** Returns what the rules of the configuration reject in one value. */
function problemWith(key: string, value: string): string | undefined {
  const name = `SVC_${key.toUpperCase().replace('.', '__')}`;
  try {
    loadConfig({ env: { [name]: value, SVC_JWT_SECRET: 'x'.repeat(32) }, cwd: '/nonexistent' });
    return undefined;
  } catch (error) {
    return error instanceof Error
      ? error.message.split('\n')[0]!.replace(/^environment: \w+: /, 'It ')
      : String(error);
  }
}
