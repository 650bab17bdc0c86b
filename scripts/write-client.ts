// Writes src/client/generated/: the operations as the browser client calls them, and their types.
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCodes } from '../src/errors.ts';
import { capitalized } from '../src/graphql/names.ts';
import { camelCase } from '../src/names.ts';
import { type ClientOperation, clientOperations, type ModuleName, modules } from './client/operations.ts';
import { createInputTypes, createOutputTypes } from './client/types.ts';
import { withEveryFeature } from './write-schema.ts';

const root = join(import.meta.dirname, '..');
export const clientFolder = join(root, 'src/client/generated');

const moduleNames = Object.keys(modules) as ModuleName[];

const head = '// Generated from the operations by `npm run docs`.\n';

/** Returns the text of every generated file, by its name. */
export async function generatedClient(): Promise<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(await files()).map(([name, text]) => [name, formatted(name, text)]),
  );
}

/** @throws {Error} when the formatter refuses the text */
function formatted(name: string, text: string): string {
  const biome = join(root, 'node_modules/.bin/biome');
  const path = join(clientFolder, name);
  const { stdout, status, stderr } = spawnSync(biome, ['format', `--stdin-file-path=${path}`], {
    ...{ input: text, cwd: root, encoding: 'utf8' },
  });
  if (status !== 0) throw new Error(`${name} cannot be formatted: ${stderr}`);
  return stdout;
}

async function files(): Promise<Record<string, string>> {
  // A document for every server asks for no `locale`, which users have where there are several languages.
  const operations = await withEveryFeature(({ operations }) => clientOperations(operations), {
    locales: ['en'],
  });
  const inSeveral = await withEveryFeature(({ operations }) => clientOperations(operations));
  const extended = await withEveryFeature(({ operations }) => clientOperations(operations), {
    ...{ userFields: { any: {} }, roles: ['any'], locales: ['en'] },
  });
  const outputs = createOutputTypes(operations);
  const inputs = createInputTypes(inSeveral);
  return {
    'error-codes.ts': errorCodesFile(),
    'inputs.ts': [head, "import type { Json } from '../types.ts';\n", ...inputs.interfaces].join('\n'),
    'operations.ts': operationsFile(operations, extended, inputs, outputs),
    ...Object.fromEntries(
      moduleNames.map(name => [
        `${name.replace(/[A-Z]/, letter => `-${letter.toLowerCase()}`)}.ts`,
        tableFile(
          `${name}Table`,
          operations.filter(({ module }) => module === name),
        ),
      ]),
    ),
    'table.ts': `${tableFile(
      'table',
      operations.filter(({ module }) => module === null),
    )}
/** The fields of outputs that are absent in REST where GraphQL has null. */
export const optionalFields = /^(${outputs.optionalFields.join('|')})$/;
`,
    'views.ts': withLocale(
      [head, "import type { Json } from '../types.ts';\n", ...outputs.interfaces].join('\n'),
    ),
  };
}

/** Returns the views with the member that users have where there are several languages. */
const withLocale = (views: string): string =>
  views.replaceAll(
    /^ {2}tokensInvalidatedAfter: string \| null;\n/gm,
    member =>
      `${member}  /** The language of emails and text messages; null for the default one. Absent where there is one language. */\n  locale?: string | null;\n`,
  );

function errorCodesFile(): string {
  const codes = Object.keys(errorCodes).map(code => `  | '${code}'`);
  return `${head}\n/** Every error code of the API. */\nexport type ApiErrorCode =\n${codes.join('\n')};\n`;
}

/** `extended` are the same operations where the configuration adds own fields and roles. */
function operationsFile(
  operations: ClientOperation[],
  extended: ClientOperation[],
  { parameterOf }: ReturnType<typeof createInputTypes>,
  { resultOf }: ReturnType<typeof createOutputTypes>,
): string {
  const added = new Map(extended.map(({ name, input }) => [name, Object.keys(input)]));
  const methods = operations.map(operation => {
    const own = added.get(operation.name)!.filter(name => !(name in operation.input));
    const names = own.map(name => `'${name}'`).join(' | ');
    const parameter = `${parameterOf(operation)}${names && ` & OwnInput<Own, ${names}>`}`;
    const result = resultOf(operation)
      .replace(/\bUser\b/, 'UserOf<Own>')
      .replace(/\bAdminUser\b/, 'UserOf<Own, AdminUser>');
    const signature = `(${parameter}, options?: CallOptions): Promise<${result}>`;
    return `  /** ${operation.summary} */\n  ${operation.name}${signature};`;
  });
  const hasOwnData = (module: ModuleName | null) => module === null || module === 'administration';
  const interfaceOf = (name: string, description: string, module: ModuleName | null) =>
    [
      `/** ${description} */`,
      `export interface ${name}${hasOwnData(module) ? '<Own extends OwnData = NoOwnData>' : ''} {`,
      ...methods.filter((_, i) => operations[i]!.module === module),
      '}\n',
    ].join('\n');
  const text = [
    interfaceOf('Operations', 'The operations of sign-in and of the own account.', null),
    ...moduleNames.map(name => interfaceOf(`${capitalized(name)}Operations`, modules[name], name)),
  ].join('\n');
  const namesIn = (pattern: RegExp) => [...new Set(text.match(pattern))].toSorted().join(', ');
  const own = /\b(?:CallOptions|NoInput|Page)\b/g;
  const ofOwnData = /\b(?:NoOwnData|Own|OwnData|OwnInput|UserOf)\b/g;
  const views = [...new Set(text.match(/(?<=[<|,] ?)[A-Z]\w+/g))]
    .filter(name => !name.match(own) && !name.match(ofOwnData))
    .toSorted();
  return [
    head,
    `import type { ${namesIn(/\b(?:NoOwnData|OwnData|OwnInput|UserOf)\b/g)} } from '../own.ts';`,
    `import type { ${namesIn(own)} } from '../types.ts';`,
    `import type { ${namesIn(/\b(?!(?:No|Own)Input\b)[A-Z]\w+Input\b/g)} } from './inputs.ts';`,
    `import type { ${views.join(', ')} } from './views.ts';\n`,
    text,
  ].join('\n');
}

/** Returns the file of a table that the client runs with. */
function tableFile(name: string, operations: ClientOperation[]): string {
  const rows = operations.map(operation => {
    const { name, path, arguments: variables, selection } = operation;
    return [name, letterOf(operation), path, restOf(operation), `${variables}${selection}`];
  });
  return `${head}
import type { Operation } from '../operation.ts';

// biome-ignore format: one operation a line
export const ${name}: readonly Operation[] = [
${rows.map(row => `  ${JSON.stringify(row)},\n`).join('')}];
`;
}

const letters: Record<string, string> = { GET: 'G', POST: 'P', PATCH: 'U', DELETE: 'D' };

function letterOf({
  method,
  isQuery,
  isForAnyone,
  takesSession,
}: Pick<ClientOperation, 'method' | 'isQuery' | 'isForAnyone' | 'takesSession'>): string {
  if (method === 'GET' && !isQuery) return 'r';
  if (takesSession) return 'o';
  const letter = letters[method]!;
  return isForAnyone ? letter.toLowerCase() : letter;
}

function restOf({ name, cursor, isQuery, inputType }: ClientOperation): string {
  if (cursor || isQuery) return (cursor ?? []).map(camelCase).join(' ');
  return inputType === `${capitalized(name)}Input` ? '' : inputType || '0';
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(await generatedClient())) {
    await writeFile(join(clientFolder, name), text);
  }
}
