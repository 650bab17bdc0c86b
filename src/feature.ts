import type { GraphQLSchema } from 'graphql';
import type { z } from 'zod';
import type { TogetherProblem } from './config/prefixes.ts';
import type { Factor } from './factor.ts';
import type { MailSpec } from './mail/define.ts';
import type { Backend } from './storage/backend.ts';
import type { Run } from './storage/repositories/table.ts';
import type { Columns, Table } from './tables/define.ts';

/** The configuration as a source gives it: the fields by their names, unparsed. */
export type Given = Readonly<Record<string, unknown>>;

type Shape = Record<string, z.ZodType>;
type Tables = Record<string, Table<Columns, `${string}_collection`>>;
type Repositories = Record<string, (backend: Backend, run: Run) => object>;
/** Each takes the parts of a purge that it needs (`PurgeParts` in `src/domain/maintenance.ts`). */
type Purges = Record<string, (parts: never) => Promise<number>>;

/** A rate limit per client address; its field is `<name>_rate_limit`. */
export interface FeatureLimit {
  /** The requests that it counts: `POST /totp/confirm`. */
  readonly counts: string;
  /** The limit that `svc init` writes. */
  readonly usual: string;
}

/** A flag that `svc init` asks for. */
export interface Asked {
  readonly label: string;
  readonly byDefault: boolean;
  /** The flag without which it is written as off. */
  readonly needs?: string;
}

/** The members of the server API that a feature has. */
export interface ServerApi {
  /** The flag without which each of them throws. */
  readonly flag: string;
  /** By its name: null for a function, and for an object the names of its functions. */
  readonly members: Readonly<Record<string, readonly string[] | null>>;
}

/** The `Command` of commander; the declarations of the package need no package of the command line. */
type Program = object;

/** The parts of a declaration that the core joins, so that each has a type of its own. */
export interface Parts {
  /** Its fields of the configuration. */
  readonly settings: Shape;
  /** Its fields in the response of `features`, each with its schema: true while it is on. */
  readonly shown: Readonly<Record<string, z.ZodBoolean>>;
  /** Its tables, by the names of their repositories. */
  readonly tables: Tables;
  readonly repositories: Repositories;
  /** Removes old rows of tables whose description does not say when a row ends, by their names; on or off. */
  readonly purges: Purges;
  /** Its rate limits, which its operations name. */
  readonly limits: Readonly<Record<string, FeatureLimit>>;
  /** Its flags among the questions of `svc init`, by their fields. */
  readonly asked: Readonly<Record<string, Asked>>;
  /** Its emails, by the names of the functions that write them. */
  readonly mails: Readonly<Record<string, MailSpec>>;
  /** The kinds of its stored jobs. One is tried a number of times, and orphaned when no process has it any more. */
  readonly jobs: readonly string[];
}

/** A part of a declaration, empty where the declaration leaves it out. */
type Declared<P, Part extends keyof Parts> = P extends { readonly [K in Part]: infer Value }
  ? Value
  : Part extends 'jobs'
    ? readonly []
    : Record<never, never>;

/** A delivery to somebody outside, as the tests of a host see it. */
export interface TestDelivery {
  /** The name of the event. */
  type: string;
  /** The content that is sent, with the names of the wire. */
  data: object;
}

interface Behaviour<Config, Needed, Module extends object, D extends object> {
  /** Returns the tables of its settings with the defaults that follow from other fields. */
  derive?(parsed: Needed): D;
  /** The kind of authenticators that it adds to accounts; what it opens says how they are proved. */
  readonly factor?: Factor;
  /** The optional package that it needs, and the setting that needs it. */
  readonly package?: { readonly name: string; readonly purpose: string };
  /** The flag with which it needs `data_encryption_key`. */
  readonly encryptsWith?: string;
  /** The flags of other features without which its own is a start-up error, as far as these features are there. */
  readonly needs?: { readonly flag: string; readonly flags: readonly string[] };
  /** Whether `[resources]` are for it. */
  readonly usesResources?: boolean;
  /** Its members of the server API (`members` of what it opens). */
  readonly serverApi?: ServerApi;
  /** Returns whether the configuration switches it on. */
  isOn(config: Config): boolean;
  /** Returns the problems between its fields and others, which their schemas do not find. */
  problems?(given: Given): TogetherProblem[];
  /** Returns warnings about settings that work but may not be intended. */
  warnings?(config: Needed): string[];
  /** The pages of the application to which it leads people. */
  readonly leadsTo?: readonly ('login' | 'account' | 'not_me')[];
  /** The bundled pages that are there while it is on. */
  readonly ownPages?: readonly string[];
  /** Whether it may stop passwords: then an operator sees whether one is blocked. */
  readonly stopsPasswords?: boolean;
  /** The line of `svc validate` while it is off. */
  readonly whenOff?: { readonly name: string; readonly text: string; readonly of: 'settings' | 'database' };
  /** Returns the settings that `svc serve --dev` switches on. */
  development?(config: Needed): object;
  /** In the tests of a host: returns what it would deliver of an event to others, by the configuration file of the host. */
  deliversInTests?(given: Given, event: string, content: object): TestDelivery[];
  /** Its fields in the inputs of `change-password` and `reset-password` (`passwordChanged` of its keys reads them). */
  readonly newPasswordFields?: Shape;
  /** Returns its variables for the templates of pages. */
  pages?(config: Needed): Record<string, unknown>;
  /** A further form of the GraphQL schema, which `svc schema` prints with this option, whether the feature is on or off. */
  readonly schemaForm?: {
    readonly option: string;
    readonly text: string;
    load(): Promise<{ print(schema: GraphQLSchema): string }>;
  };
  /** Settings that switch it on, for what is generated from everything, and for samples of pages. */
  readonly sample?: object;
  /** Loads the rest of it, where it is on. */
  load(): Promise<Module>;
  /** Loads its commands, which exist whether it is on or not. */
  commands?(): Promise<{ addCommands(program: Program): void }>;
}

/** An optional capability (docs/internals/architecture.md, "Features"). */
export type Feature<P, Config, Needed, Module extends object, D extends object> = {
  readonly [Part in keyof Parts]: Declared<P, Part>;
} & Behaviour<Config, Needed, Module, D>;

/**
 * Declares an optional capability. The file that does so is read by the core's configuration and tables, so it imports
 * descriptions alone, and loads the rest.
 * @example export const webhooks = defineFeature({ settings: { webhooks }, isOn: …, load });
 */
export const defineFeature = <
  Config,
  Needed,
  Module extends object,
  const P extends Partial<Parts>,
  D extends object = Record<never, never>,
>(
  declared: P & Behaviour<Config, Needed, Module, D>,
): Feature<P, Config, Needed, Module, D> => {
  const empty: Parts = {
    ...{
      settings: {},
      shown: {},
      tables: {},
      repositories: {},
      purges: {},
      limits: {},
      asked: {},
      mails: {},
    },
    jobs: [],
  };
  return { ...empty, ...declared } as unknown as Feature<P, Config, Needed, Module, D>;
};
