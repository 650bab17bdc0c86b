import { type Command, InvalidArgumentError } from 'commander';
import { findFailure } from '../../cli/delivered.ts';
import { CommandError } from '../../cli/errors.ts';
import { withPart } from '../../cli/instance.ts';
import { namingOptions } from '../../cli/options.ts';
import { oneLine } from '../../cli/output.ts';
import { type FileOptions, withFiles } from '../../cli/settings.ts';
import { collected } from '../../cli/user-create.ts';
import { GatehouseError } from '../../errors.ts';
import type { Assembled } from '../../gatehouse.ts';
import type { ApiKeyView } from './views.ts';

interface KeyOptions extends FileOptions {
  email: string;
  json?: boolean;
  name?: string;
  scope?: string[];
  days?: number;
}

/** Adds the commands for API keys. */
export function addCommands(program: Command): void {
  const apiKey = program.command('api-key').description('look at, make and remove API keys of an account');
  const ofAccount = (name: string, description: string) =>
    withFiles(apiKey.command(name))
      .description(description)
      .requiredOption('--email <address>', 'the address of the account');

  ofAccount('list', 'print the API keys of an account')
    .option('--json', 'print a JSON object for each key')
    .action(({ email, json = false, ...options }: KeyOptions) =>
      withKeys(options, async (keys, gatehouse) => {
        const { items } = await keys.list(await idOf(gatehouse, email));
        for (const item of items) console.log(json ? JSON.stringify(item) : lineOf(item));
      }),
    );

  ofAccount('create', 'make an API key for an account, and print it: it is shown only now')
    .requiredOption('--name <name>', 'what people call it')
    .requiredOption('--scope <scope>', 'what it opens; once for each scope', collected)
    .option('--days <days>', 'after how many days it ends; 0: never, where that is allowed', toDays)
    .action(({ email, name = '', scope = [], days, ...options }: KeyOptions) =>
      withKeys(options, async (keys, gatehouse) => {
        const id = await idOf(gatehouse, email);
        const given = {
          name: { option: '--name', value: name },
          scopes: { option: '--scope', value: scope, choices: keys.scopes },
          expires_in_days: { option: '--days', value: days },
        };
        const wanted = { name, scopes: scope, expires_in_days: days };
        const { key } = await namingOptions(given, () => keys.create(id, wanted));
        // Nothing else is on standard output, so that a script can take it.
        console.log(key);
        const failure = await findFailure(gatehouse);
        if (failure !== null)
          console.error(`warning: The key is made, and its owner was not told. ${failure}`);
      }),
    );

  ofAccount('remove', 'remove an API key: it is refused at once')
    .argument('<id>', 'the id of the key')
    .action((keyId: string, { email, ...options }: KeyOptions) =>
      withKeys(options, async (keys, gatehouse) => {
        const id = await idOf(gatehouse, email);
        const { message } = await keys.remove(id, keyId).catch(error => {
          if (!(error instanceof GatehouseError) || error.code !== 'not_found') throw error;
          throw new CommandError(`There is no API key ${oneLine(keyId)} of ${email}.`);
        });
        console.log(message);
      }),
    );
}

function toDays(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('It must be a number of days.');
  return Number(text);
}

const withKeys = withPart(
  ({ features }) => features.apiKeys?.operator,
  'There are no API keys: enable_api_keys is off.',
);

/** Returns the id of an account. @throws {GatehouseError} for an address without one */
async function idOf({ operator }: Assembled, email: string): Promise<string> {
  const given = { email: { option: '--email', value: email } };
  return (await namingOptions(given, () => operator.find({ email }))).id;
}

function lineOf({ id, name, hint, scopes, expires_at, last_used_at, is_expired }: ApiKeyView): string {
  const end = is_expired ? `ended ${expires_at}` : expires_at ? `until ${expires_at}` : 'without end';
  const used = last_used_at ? `last used ${last_used_at}` : 'never used';
  return `${id}  …${hint}  ${name}: ${scopes.join(' ')}, ${end}, ${used}`;
}
