import { type Command, Option } from 'commander';
import type { OutboxMessageView } from '../contract/views/outbox.ts';
import { withPart } from './instance.ts';
import { type FileOptions, withFiles } from './settings.ts';

interface ListOptions extends FileOptions {
  state?: OutboxMessageView['state'];
  json?: boolean;
}

interface ActOptions extends FileOptions {
  dead?: boolean;
}

/** Adds the commands for messages that wait in the database. */
export function addOutbox(program: Command): void {
  const outbox = program.command('outbox').description('look at and repair messages that wait for delivery');
  const states = ['waiting', 'sending', 'dead'];

  withFiles(outbox.command('list'))
    .description('print the messages that were not delivered yet, newest first')
    .addOption(new Option('--state <state>', 'only messages in this state').choices(states))
    .option('--json', 'print a JSON object for each message')
    .action(({ state, json = false, ...options }: ListOptions) =>
      withOutbox(options, async operator => {
        let count = 0;
        for await (const message of operator.list(state)) {
          count++;
          console.log(json ? JSON.stringify(message) : lineOf(message));
        }
        if (count === 0 && !json) console.log('No message waits.');
      }),
    );

  for (const [name, description, done] of [
    ['retry', 'have a message tried at once by the running service', 'will be tried within seconds'],
    ['drop', 'delete a message', 'dropped'],
  ] as const) {
    const command = withFiles(outbox.command(name))
      .description(description)
      .argument('[id]', 'id of the message, as the list prints it')
      .option('--dead', 'every message that was given up, instead of one')
      .action((id: string | undefined, { dead = false, ...options }: ActOptions) => {
        if (dead && id !== undefined) {
          command.error(`error: too many arguments for '${name}'. Expected 0 arguments but got 1: ${id}.`);
        }
        if (!dead && id === undefined)
          command.error("error: required option '--dead', or an id, not specified");
        return withOutbox(options, async operator => {
          if (id !== undefined) {
            console.log((await operator[name](id)).message);
            return;
          }
          const count = await operator.forEachDead(operator[name]);
          console.log(`${count === 1 ? '1 message' : `${count} messages`} ${done}.`);
        });
      });
  }
}

/** Messages in memory are known to their process alone. */
const withOutbox = withPart(
  ({ operator }) => operator.outbox,
  'Messages wait in the memory of the service: set mail_store = "database" to keep them in the database.',
);

const lineOf = ({ id, kind, purpose, recipient, state, ...message }: OutboxMessageView): string => {
  const tries = `${message.attempts} ${message.attempts === 1 ? 'try' : 'tries'}`;
  const next = message.next_attempt_at ? `, next at ${message.next_attempt_at}` : '';
  const why = message.last_error ? `, ${message.last_error}` : '';
  return `${id}  ${message.created_at}  ${kind} ${purpose} to ${recipient}: ${state}, ${tries}${next}${why}`;
};
