import { type Command, InvalidArgumentError } from 'commander';
import { confirmed } from '../../cli/confirm.ts';
import { CommandError } from '../../cli/errors.ts';
import { withPart } from '../../cli/instance.ts';
import { namingOptions } from '../../cli/options.ts';
import { type FileOptions, withFiles } from '../../cli/settings.ts';
import { type SigningAlgorithm, signingAlgorithms } from '../../config/schema/resources.ts';
import { GatehouseError } from '../../errors.ts';

interface Confirmed extends FileOptions {
  yes?: boolean;
}

/** Adds the commands for the keys that sign access tokens. */
export function addCommands(program: Command): void {
  const keys = program.command('keys').description('look at and replace the keys that sign access tokens');

  withFiles(keys.command('list'))
    .description('print the keys, their states, and those that are not encrypted with the present key')
    .option('--json', 'print a JSON object for each key')
    .action(({ json = false, ...options }: FileOptions & { json?: boolean }) =>
      withKeys(options, async operator => {
        for (const key of sayIfNone(await operator.list())) {
          const { kid, algorithm, state, since, until, is_up_to_date: isUpToDate } = key;
          const end = until === null ? '' : `, until ${until}`;
          const note = isUpToDate ? '' : ' (encrypted with the former data_encryption_key)';
          console.log(
            json ? JSON.stringify(key) : `${kid}  ${algorithm}  ${state} since ${since}${end}${note}`,
          );
        }
      }),
    );

  withFiles(keys.command('rotate'))
    .description('have the next key of each algorithm sign')
    .option('--algorithm <name>', 'of this algorithm alone', toAlgorithm)
    .option('--force', 'also a key that services may not know yet: they refuse its tokens until they do')
    .action(
      ({ algorithm, force, ...options }: FileOptions & { algorithm?: SigningAlgorithm; force?: boolean }) =>
        withKeys(options, async operator => {
          const given = { algorithm: { option: '--algorithm', value: algorithm } };
          const wanted = { ...(algorithm && { algorithm }), force: force ?? false };
          const keys = await namingOptions(given, () => operator.rotate(wanted)).catch(sayWhen);
          for (const { kid, algorithm: name, state } of sayIfNone(keys))
            console.log(`${kid}  ${name}  ${state}`);
          if (force && keys.length > 0)
            console.error('warning: services that do not know the new keys yet refuse their tokens.');
        }),
    );

  withFiles(keys.command('remove'))
    .description('remove a key, whose tokens are refused from then on')
    .argument('<kid>', 'id of the key')
    .option('--yes', 'without asking')
    .action((kid: string, { yes, ...options }: Confirmed) =>
      withKeys(options, async operator => {
        await confirmed(yes, `Remove the key ${kid}? Its tokens are refused from then on.`);
        const state = await operator.remove(kid);
        if (state === null) throw new CommandError(`There is no key ${kid}.`);
        console.log(`${kid} is removed.`);
        if (state === 'current')
          console.error(
            'warning: the next key signs now; services that do not know it yet refuse its tokens.',
          );
      }),
    );

  withFiles(keys.command('reset'))
    .description('replace every key, also those that cannot be decrypted: all access tokens end')
    .option('--yes', 'without asking')
    .action(({ yes, ...options }: Confirmed) =>
      withKeys(options, async operator => {
        await confirmed(yes, 'Replace every signing key? All access tokens end.');
        await operator.reset();
        console.log('Every signing key is new.');
      }),
    );
}

/** Returns the keys. Where there are none, the command says so. */
function sayIfNone<Key>(keys: readonly Key[]): readonly Key[] {
  if (keys.length === 0) console.error('There are no keys yet: the first start makes them.');
  return keys;
}

/** @throws {CommandError} for a key that may not sign yet; any other error as it is */
function sayWhen(error: unknown): never {
  if (!(error instanceof GatehouseError) || error.code !== 'key_not_published') throw error;
  const minutes = Math.ceil((error.retryAfterSeconds ?? 0) / 60);
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  throw new CommandError(`${error.message} It can sign in ${wait}, or now with --force.`);
}

function toAlgorithm(text: string): SigningAlgorithm {
  const found = signingAlgorithms.find(name => name === text);
  if (found === undefined)
    throw new InvalidArgumentError(`It must be one of ${signingAlgorithms.join(', ')}.`);
  return found;
}

const withKeys = withPart(
  ({ features }) => features.accessTokens?.operator,
  'There are no signing keys: enable_tokens is off.',
);
