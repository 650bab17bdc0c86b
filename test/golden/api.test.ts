import { expect, test } from 'vitest';
import { withEveryFeature } from '../../scripts/write-schema.ts';
import { parse } from '../../src/contract/inputs/parse.ts';
import { errorCodes, GatehouseError } from '../../src/errors.ts';
import { fieldsOf, shapeOf } from '../../src/zod-shape.ts';

/** Values that some field refuses. */
const bad = [
  undefined,
  null,
  '',
  ' ',
  'a',
  'é'.repeat(9),
  '1'.repeat(13),
  'x'.repeat(65),
  'x'.repeat(5000),
  'two words',
  'line\nbreak',
  '\ud800',
  'ada@oauth.invalid',
  '2026-02-30',
  '+4',
  0,
  -1,
  1.5,
  1e9,
  true,
  [],
  [''],
  {},
  { nonsense: 'x' },
];

test('every error of an input is in English what it was', async () => {
  const userFields = {
    text: {
      type: 'string',
      label: 'Text',
      required: true,
      editableBy: 'user',
      visibleTo: 'user',
      maxLength: 5,
    },
    amount: { type: 'number', label: 'Amount', editableBy: 'user', visibleTo: 'user' },
    yes_no: { type: 'boolean', label: 'Yes or no', editableBy: 'user', visibleTo: 'user' },
    day: { type: 'date', label: 'Day', editableBy: 'user', visibleTo: 'user' },
  } as const;
  const schemas = await withEveryFeature(
    ({ operations }) => operations.map(({ spec }) => spec).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    { userFields, roles: ['editor'] },
  );
  const messages = new Set<string>();
  const note = (schema: Parameters<typeof parse>[0], input: unknown) => {
    try {
      parse(schema, input);
    } catch (error) {
      if (!(error instanceof GatehouseError)) throw error;
      for (const { path, message } of error.errors ?? []) {
        const at = path === '' || path.endsWith('nonsense') ? '' : `${path}: `;
        messages.add(`${at}${message}`);
      }
    }
  };
  for (const { input: schema } of schemas) {
    const { schema: core } = shapeOf(schema);
    for (const value of ['text', { nonsense: 1 }]) note(core as typeof schema, value);
    for (const field of Object.keys(fieldsOf(schema) ?? {}))
      for (const value of bad) note(schema, { [field]: value });
    for (const field of ['fields'])
      for (const own of Object.keys(userFields))
        for (const value of bad) note(schema, { [field]: { [own]: value } });
  }
  await expect(`${[...messages].toSorted().join('\n')}\n`).toMatchFileSnapshot('inputs.txt');
});

test('the title and the text of every error code is in English what it was', async () => {
  const lines = Object.keys(errorCodes).map(code => {
    const { title, message } = new GatehouseError(code as keyof typeof errorCodes);
    return `${code}: ${title}: ${message}`;
  });
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('errors.txt');
});
