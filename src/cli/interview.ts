import { cancel, group, intro, isCancel, text } from '@clack/prompts';
import { loadConfig } from '../config/load.ts';
import { type Answers, defaultAnswers } from './answers.ts';

/** Each question with its default; nothing is written before the last answer, and Ctrl-C leaves everything as it was. */
export async function interview(): Promise<Answers> {
  intro('A few questions; Enter takes what is shown.');
  const answers = await group(
    {
      appName: () =>
        question(
          'What is the application called? Mails and pages show it.',
          'app_name',
          defaultAnswers.appName,
        ),
      baseUrl: () => question('At which origin will people reach it?', 'base_url', defaultAnswers.baseUrl),
      databaseUrl: () =>
        question(
          'Which database? (sqlite, postgresql or mongodb URL)',
          'database_url',
          defaultAnswers.databaseUrl,
        ),
    },
    { onCancel: stop },
  );
  return answers;
}

async function question(message: string, key: string, initialValue: string): Promise<string> {
  const answer = await text({ message, initialValue, validate: value => problemWith(key, value ?? '') });
  if (isCancel(answer)) return stop();
  return answer;
}

function stop(): never {
  cancel('Nothing was written.');
  process.exit(1);
}

/** What the configuration's own rules say about one value. */
function problemWith(key: string, value: string): string | undefined {
  const env = { [`SVC_${key.toUpperCase()}`]: value, SVC_JWT_SECRET: 'x'.repeat(32) };
  try {
    loadConfig({ env, cwd: '/nonexistent' });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.split('\n')[0] : String(error);
  }
}
