import { describe, expect, test } from 'vitest';
import { takenNames } from '../../src/config/user-fields.ts';
import { createUserViews } from '../../src/contract/views/account.ts';
import { fieldsOf } from '../../src/zod-shape.ts';
import { load, problemOf, problemsOf } from './support.ts';

// Own fields and roles (CONTRACT §15.2): a field's name stays as it is written, in every source.

const defaults = {
  type: 'string',
  required: false,
  maxLength: 200,
  editableBy: 'user',
  visibleTo: 'user',
};

test('there are none by default', () => {
  const { config } = load();
  expect([config.userFields, config.roles]).toEqual([{}, []]);
});

describe('a field', () => {
  test('needs only its name, from which its label is made', () => {
    const { config } = load({ toml: '[user_fields.vat_number]\n[user_fields.company]\nlabel = "Firma"\n' });
    expect(config.userFields).toEqual({
      vat_number: { ...defaults, label: 'Vat number' },
      company: { ...defaults, label: 'Firma' },
    });
    expect(load({ arguments: { userFields: { line_2: {} } } }).config.userFields).toEqual({
      line_2: { ...defaults, label: 'Line 2' },
    });
  });

  test('can be set by every source, one property each, and its name is never changed', () => {
    const { config } = load({
      toml: '[user_fields.vat_number]\ntype = "number"\nmax_length = 5\nlabel = "in the file"\n',
      secrets: 'SVC_USER_FIELDS__vat_number__MAX_LENGTH=6\nSVC_USER_FIELDS__vat_number__VISIBLE_TO=admin\n',
      env: { SVC_USER_FIELDS__vat_number__MAX_LENGTH: '7', SVC_USER_FIELDS__a__b__TYPE: 'date' },
      arguments: { userFields: { vat_number: { editableBy: 'host' } } },
    });
    expect(config.userFields).toEqual({
      vat_number: {
        ...{ type: 'number', label: 'in the file', required: false, maxLength: 7 },
        ...{ editableBy: 'host', visibleTo: 'admin' },
      },
      a__b: { ...defaults, type: 'date', label: 'A  b' },
    });
  });

  test.each([
    ['a name with a capital', 'Company'],
    ['a name that begins with a digit', '2nd'],
    ['a name that begins with an underscore', '_a'],
    ['a hyphen', 'a-b'],
    ['the name that would replace the prototype', '__proto__'],
  ])('with %s is refused', (_, name) => {
    expect(problemOf({ toml: `[user_fields.${JSON.stringify(name)}]\nrequired = true\n` })).toBe(
      `svc.toml: user_fields.${name}: must have a name of lower-case letters, digits and underscores that begins with a letter`,
    );
  });

  test('named as another field of a user is refused, whichever it is', () => {
    const { UserPublic } = createUserViews({ userFields: {}, roles: [] });
    expect(takenNames).toEqual([...Object.keys(fieldsOf(UserPublic)!), 'fields', 'roles']);
    const toml = takenNames.map(name => `[user_fields.${name}]`).join('\n');
    expect(problemsOf({ toml }).map(({ key, message }) => [key, message])).toEqual(
      takenNames.map(name => [`user_fields.${name}`, 'has the name of a field that every user has']),
    );
  });

  test('named locale is refused where a user has a language', () => {
    const own = { userFields: { locale: {} } };
    expect(problemsOf({ arguments: own })).toEqual([]);
    expect(problemOf({ arguments: { ...own, locales: ['en', 'de'] } })).toBe(
      'arguments: userFields.locale: has the name of a field that every user has',
    );
  });

  test.each(['constructor', 'to_string', 'value_of', 'has_own_property'])(
    'named %s is refused, which every object has',
    name => {
      expect(problemOf({ arguments: { userFields: { [name]: {} } } })).toBe(
        `arguments: userFields.${name}: has a name that every object has in JavaScript`,
      );
    },
  );

  test('named then is refused, because an object with a value there counts as a promise', () => {
    const name = 'then';
    expect(problemOf({ arguments: { userFields: { [name]: {} } } })).toBe(
      'arguments: userFields.then: has a name that makes an object a promise in JavaScript',
    );
  });

  test('that GraphQL could not tell from another is refused', () => {
    expect(
      problemOf({ env: { SVC_USER_FIELDS__line_2__TYPE: 'string', SVC_USER_FIELDS__line2__TYPE: 'string' } }),
    ).toBe('environment: SVC_USER_FIELDS__line2__TYPE: is line2 in GraphQL, and so is line_2');
  });

  test.each(['admin', 'host'])('that is required cannot be for the %s to set', level => {
    expect(problemOf({ toml: `[user_fields.company]\nrequired = true\neditable_by = "${level}"\n` })).toBe(
      'svc.toml: user_fields.company.required: needs editable_by = "user": the field is asked for at registration',
    );
  });

  test('with a wrong value is refused, and all problems are reported at once', () => {
    const problems = problemsOf({
      toml: `user_fields.company.type = "text"
        user_fields.company.requierd = true
        user_fields.size = 3
        [user_fields.team]
        max_length = 0
        editable_by = "nobody"
        visible_to = 1`,
      env: {
        SVC_USER_FIELDS__team__REQUIRED: 'maybe',
        SVC_USER_FIELDS__team__KIND: 'x',
        SVC_USER_FIELDS: '{}',
      },
    });
    expect(problems.map(({ key, message }) => `${key}: ${message}`).toSorted()).toEqual(
      [
        'SVC_USER_FIELDS: is not a setting',
        'SVC_USER_FIELDS__team__KIND: is not a setting',
        'SVC_USER_FIELDS__team__REQUIRED: must be true or false (or 1, 0, yes, no, on, off)',
        'user_fields.company.requierd: is not a setting; did you mean user_fields.company.required?',
        'user_fields.company.type: must be string, number, boolean or date',
        'user_fields.size: must be a table',
        'user_fields.team.editable_by: must be user, admin or host',
        'user_fields.team.max_length: must be at least 1',
        'user_fields.team.visible_to: must be user, admin or host',
      ].toSorted(),
    );
  });

  test('table that is none is refused', () => {
    expect(problemOf({ toml: 'user_fields = 3' })).toBe('svc.toml: user_fields: must be a table');
    const wrong = { userFields: [] } as unknown as { userFields: Record<string, never> };
    expect(problemOf({ arguments: wrong })).toBe('arguments: userFields: must be a table');
  });
});

describe('roles', () => {
  test('are a list of names', () => {
    expect(load({ toml: 'roles = ["editor", "billing"]' }).config.roles).toEqual(['editor', 'billing']);
    expect(load({ env: { SVC_ROLES: 'editor, org:owner' } }).config.roles).toEqual(['editor', 'org:owner']);
  });

  test.each([
    ['["editor", "editor"]', "roles: can't contain a name twice"],
    ['["an editor"]', 'roles: item 1: must be at most 64 letters'],
    ['["-"]', 'roles: item 1: must be at most 64 letters'],
    ['[1]', 'roles: item 1: must be a string'],
    ['"editor"', 'roles: must be a list'],
  ])('%s is refused', (value, problem) => {
    expect(problemOf({ toml: `roles = ${value}` })).toContain(`svc.toml: ${problem}`);
  });

  test('cannot share the name of their index with a table', () => {
    expect(problemOf({ toml: 'session_collection = "users_role_index"' })).toBe(
      'svc.toml: session_collection: must differ from users_role_index, the index of roles',
    );
  });
});
