import type { Command } from 'commander';
import { CommandError } from '../../cli/errors.ts';
import { withPart } from '../../cli/instance.ts';
import { type FileOptions, withFiles } from '../../cli/settings.ts';
import type { WebhookView } from './views.ts';

/** Adds the commands for webhooks. */
export function addCommands(program: Command): void {
  const webhook = program.command('webhook').description('look at, test and repair webhooks');

  withFiles(webhook.command('list'))
    .description('print the webhooks of the configuration and the state of each')
    .option('--json', 'print a JSON object for each webhook')
    .action(({ json = false, ...options }: FileOptions & { json?: boolean }) =>
      withWebhooks(options, async webhooks => {
        const { items } = await webhooks.list();
        for (const item of items) console.log(json ? JSON.stringify(item) : lineOf(item));
      }),
    );

  const named = (name: string, description: string) =>
    withFiles(webhook.command(name))
      .description(description)
      .argument('<name>', 'name of the webhook in the configuration');

  named('test', 'send a test from this machine, and say whether it was taken').action(
    (name: string, options: FileOptions) =>
      withWebhooks(options, async webhooks => {
        const { is_taken, problem, milliseconds } = await webhooks.test(name);
        if (!is_taken) throw new CommandError(`${name} has not taken the test: ${problem}.`);
        console.log(`${name} has taken the test, in ${milliseconds} ms.`);
      }),
  );

  for (const [act, description] of [
    ['enable', 'switch a webhook on again'],
    ['replay', 'have everything tried again that a webhook has not taken'],
  ] as const) {
    named(act, description).action((name: string, options: FileOptions) =>
      withWebhooks(options, async webhooks => console.log((await webhooks[act](name)).message)),
    );
  }
}

const withWebhooks = withPart(
  ({ features }) => features.webhooks?.operator,
  'The configuration has no webhooks: add a table [webhooks.NAME].',
);

const lineOf = ({ name, origin, events, waiting, dead, ...webhook }: WebhookView): string => {
  const gets = events.length === 0 ? 'every event' : events.join(', ');
  const state = webhook.is_off
    ? `off since ${webhook.off_at}, because ${webhook.off_reason}`
    : webhook.failing_since
      ? `failing since ${webhook.failing_since}`
      : 'on';
  return `${name}  ${origin}  ${gets}: ${state}, ${waiting} waiting, ${dead} given up`;
};
