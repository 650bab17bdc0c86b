import { parseArgs } from 'node:util';
import type { Catalogue } from './catalogue.ts';
import { Refusal } from './refusal.ts';

/** The values of the command line; those that are missing are asked for, or have their defaults. */
export interface Choices {
  target?: string | undefined;
  template?: string | undefined;
  database?: string | undefined;
  yes: boolean;
  help: boolean;
  version: boolean;
}

/** The choices without questions. */
export const defaults = { target: 'my-app', template: 'express', database: 'sqlite' };

const options = {
  template: { type: 'string' },
  database: { type: 'string' },
  yes: { type: 'boolean', short: 'y', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  version: { type: 'boolean', default: false },
} as const;

/**
 * Returns what the arguments choose.
 * @throws {Refusal} where an argument is unknown, or names a template or a database that does not exist
 */
export function readChoices(args: string[], { templates, databases }: Catalogue): Choices {
  const { values, positionals } = parsed(args);
  if (positionals.length > 1)
    throw new Refusal(
      `One folder is enough, and these are ${positionals.length}: ${positionals.join(', ')}.`,
    );
  oneOf('template', values.template, templates);
  oneOf('database', values.database, databases);
  if (positionals[0] === '') throw new Refusal('The name of the folder is empty.');
  return { ...values, target: positionals[0] };
}

function parsed(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    const [message = ''] = (error as Error).message.split('. ');
    throw new Refusal(`${message}. --help lists the options.`);
  }
}

function oneOf(option: string, value: string | undefined, known: object): void {
  if (value === undefined || Object.hasOwn(known, value)) return;
  throw new Refusal(`--${option} is ${Object.keys(known).join(', ')}; there is no ${JSON.stringify(value)}.`);
}

export const usage = ({
  templates,
  databases,
}: Catalogue): string => `npm create gatehouse-auth@latest [folder] -- [options]

Makes an application in which people register and sign in. Without options it asks.

  --template <name>  ${Object.keys(templates).join(', ')} (default ${defaults.template})
  --database <name>  ${Object.keys(databases).join(', ')} (default ${defaults.database})
  --yes              ask nothing and use the defaults; the folder is ${defaults.target} unless it is named
  --version          print the version
  --help             print this text`;
