import { type Catalogue, readCatalogue } from './catalogue.ts';
import { type Choices, defaults, readChoices, usage } from './choices.ts';
import { type Answers, filesOf } from './project.ts';
import { Refusal } from './refusal.ts';
import { problemWith } from './target.ts';
import { writeProject } from './write.ts';

/** Runs the command. Returns its exit code; a refusal is one line on standard error. */
export async function run(args: string[]): Promise<number> {
  const catalogue = readCatalogue();
  try {
    const choices = readChoices(args, catalogue);
    if (choices.help || choices.version) {
      console.log(choices.help ? usage(catalogue) : catalogue.version);
      return 0;
    }
    // Before the questions, so that no answer is given in vain.
    const problem = choices.target && problemWith(choices.target);
    if (problem) throw new Refusal(problem);
    const answers = await answersOf(choices, catalogue);
    if (answers === null) return 1;
    await writeProject(answers.target, filesOf(answers, catalogue));
    console.log(nextSteps(answers, catalogue));
    return 0;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    console.error(error.message);
    return 1;
  }
}

/** The questions are loaded only here: a run without questions does not need them. */
async function answersOf(choices: Choices, catalogue: Catalogue): Promise<Answers | null> {
  const { target, template, database } = choices;
  if (choices.yes || (target && template && database)) {
    return {
      target: target ?? defaults.target,
      template: template ?? defaults.template,
      database: database ?? defaults.database,
    };
  }
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new Refusal(
      'There is no terminal to ask in: add --yes, and --template and --database if you like.',
    );
  const { ask } = await import('./questions.ts');
  return ask(choices, catalogue);
}

function nextSteps({ target, template, database }: Answers, { templates, databases }: Catalogue): string {
  const { label, origin, guarded } = templates[template]!;
  const into = target === '.' ? '' : `cd ${/^[\w./-]+$/.test(target) ? target : JSON.stringify(target)} && `;
  const { packages, label: databaseLabel } = databases[database]!;
  return [
    `${target === '.' ? 'The project' : target} is ready: ${label} on ${databaseLabel.split(':')[0]}.`,
    ...(Object.keys(packages).length > 0
      ? ['Write the address of your database into svc.secrets.env first.']
      : []),
    '',
    `Next: ${into}npm install && npm run dev`,
    `Then open ${origin}${guarded}: it asks for a session. Emails are printed, with their links.`,
  ].join('\n');
}
