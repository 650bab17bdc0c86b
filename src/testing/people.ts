import { z } from 'zod';
import { email, fullName, type NewPasswordRules, newPassword } from '../contract/inputs/fields.ts';
import { fieldsOfChange, rolesOfChange } from '../contract/inputs/own-fields.ts';
import { parse } from '../contract/inputs/parse.ts';
import { phoneNumber } from '../contract/inputs/phone.ts';
import type { OwnData } from '../contract/own-fields.ts';
import type { NodeUser } from '../contract/views/account.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { newUser } from '../domain/new-user.ts';
import type { Operation } from '../domain/operation.ts';
import { withoutNulls } from '../domain/own-data.ts';
import { createSignIn } from '../domain/sign-in.ts';
import { GatehouseError } from '../errors.ts';

/** A user to create. A member that is left out has a value of its own. */
export interface NewTestUser<P extends string | null = string | null> {
  /** By default an address without an account. */
  email?: string | undefined;
  /** Null for an account that signs in with a provider only. */
  password?: P | undefined;
  fullName?: string | null | undefined;
  /** True unless it is given. */
  isVerified?: boolean | undefined;
  isSuperuser?: boolean | undefined;
  isActive?: boolean | undefined;
  /** A phone in E.164 form; it is set up, so that signing in with the password takes a second step. */
  phoneNumber?: string | undefined;
  /** The own fields of the configuration, also those for the host alone. */
  fields?: Record<string, string | number | boolean | null> | undefined;
  /** Roles that the configuration names. */
  roles?: string[] | undefined;
}

/** A user who was created, as `gatehouse.users` returns it. */
export interface TestUser<P extends string | null = string> {
  user: NodeUser;
  password: P;
}

export interface SignInOptions {
  /** Whether two factors were used; by default where the account has a second step. */
  mfa?: boolean | undefined;
  /** A resource of the configuration, by its name: then the token is one for that API. */
  resource?: string | undefined;
  /** Its scopes in the token; all of them unless they are given. */
  scopes?: readonly string[] | undefined;
}

export type People = ReturnType<typeof createPeople>;

const newUserInput = (rules: OwnData & NewPasswordRules) =>
  z.strictObject({
    email,
    password: newPassword(rules).nullable(),
    fullName,
    isVerified: z.boolean(),
    isSuperuser: z.boolean(),
    isActive: z.boolean(),
    phoneNumber: phoneNumber.nullable(),
    ...fieldsOfChange(rules, 'host'),
    ...rolesOfChange(rules),
  });

/** Creates users for a test, and signs them in, past what people go through. */
export function createPeople(parts: Dependencies, operations: readonly Operation[]) {
  const { config, clock, repositories, events, views } = parts;
  const { hasher } = parts.passwords;
  const { users } = repositories;
  const issueAccessToken = operations.find(({ spec }) => spec.name === 'issueAccessToken');

  /** @throws {TypeError} */
  function identifierOf(name: string): string {
    if (!issueAccessToken) throw new TypeError('signIn with a resource needs enableTokens: true.');
    const resource = Object.hasOwn(config.resources, name) ? config.resources[name] : undefined;
    if (!resource) throw new TypeError(`signIn: the configuration has no resource ${name}.`);
    return resource.identifier;
  }

  // With a session at its end, whatever the second step.
  const signIn = createSignIn({ ...parts, secondStep: undefined });

  return {
    /**
     * Creates a user. No hook is asked and no email is sent; the event `user_registered` is emitted.
     * @throws {GatehouseError} invalid_input, email_taken
     * @example const { user, password } = await gatehouse.createUser({ roles: ['editor'], fields: { company: 'Acme' } });
     */
    async createUser<P extends string | null = string>(fields: NewTestUser<P> = {}): Promise<TestUser<P>> {
      const now = clock.now();
      const id = newUser(now, { email: '', fullName: null, hashedPassword: null, isVerified: true }).id;
      const { password = 'correct horse battery' as P } = fields;
      const defaults = { email: `${id}@example.org`, fullName: null, phoneNumber: null };
      const flags = { isVerified: true, isSuperuser: false, isActive: true };
      const given = Object.entries(fields).filter(([, value]) => value !== undefined);
      const input = parse(newUserInput(config), {
        ...defaults,
        ...flags,
        password,
        ...Object.fromEntries(given),
      });
      const { password: chosen, fields: own, roles, ...columns } = input;
      const user = newUser(now, {
        ...columns,
        id,
        fullName: input.fullName ?? null,
        // A test chooses any password: the rules for new ones are for people.
        ...(chosen === null
          ? { hashedPassword: null }
          : { ...(await hasher.rehash(chosen)), passwordSetAt: now }),
        signedUpAt: now,
        isMfaEnabled: input.phoneNumber !== null,
        phoneConfirmedAt: input.phoneNumber === null ? null : now,
        fields: withoutNulls(own),
        roles: roles ? [...roles.given] : null,
      });
      if (!(await users.add(user))) throw new GatehouseError('email_taken');
      await events.emit('user_registered', { user: views.toUserPublic(user), by: 'host' });
      return { user: views.toNodeUser(user, 'host'), password };
    },

    /**
     * Returns a session token for a user, as after a sign-in: `beforeSignIn` is asked, and `user_logged_in` is emitted. With
     * `resource` it is an access token of that session.
     * @throws {TypeError} for an unknown resource, and with `enable_tokens` off
     * @throws {GatehouseError} not_found, account_disabled, email_not_verified, refused_by_host; with `resource` what
     * `POST /tokens` refuses with
     * @example const headers = { Authorization: `Bearer ${await gatehouse.signIn(user)}` };
     * @example const token = await gatehouse.signIn(user, { resource: 'orders', scopes: ['orders:read'] });
     */
    async signIn(
      { id }: Pick<NodeUser, 'id'>,
      { mfa, resource, scopes }: SignInOptions = {},
    ): Promise<string> {
      const identifier = resource === undefined ? null : identifierOf(resource);
      const user = await users.find(id);
      if (!user) throw new GatehouseError('not_found', { detail: 'There is no account with this id.' });
      if (!user.isActive) throw new GatehouseError('account_disabled');
      if (config.requireVerification && !user.isVerified) throw new GatehouseError('email_not_verified');
      const caller = { ip: '127.0.0.1' };
      const session = await signIn.startSession(
        user,
        (mfa ?? user.isMfaEnabled)
          ? { amr: ['pwd', 'mfa'], method: 'mfa', caller }
          : { amr: ['pwd'], method: 'password', caller },
      );
      if (!session) throw new GatehouseError('unavailable', { detail: 'The account changed meanwhile.' });
      if (identifier === null) return session.access_token;
      const bearer = { ...caller, bearer: session.access_token };
      const issued = await issueAccessToken!(bearer, { resource: identifier, scopes });
      return (issued as { access_token: string }).access_token;
    },
  };
}
