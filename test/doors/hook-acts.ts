import type { HookName } from '../../src/domain/hooks.ts';
import { type App, type Member, password, signUp } from '../support/app.ts';
import type { OperationName } from '../support/doors.ts';
import { newAddress, signUpSuperuser } from '../support/people.ts';
import { nextCodeOf, passkeyProof, setUpPasskey, setUpTotp } from '../support/strong.ts';

// Every act that a hook is asked about, ready to be done through either door.

/** An act that was prepared: what it takes, and what the hook is asked. */
export interface Prepared {
  input: Record<string, unknown>;
  token?: string;
  asked: Record<string, unknown>;
}

export interface Act {
  hook: HookName;
  operation: OperationName;
  /** How it ends when the host allows it, where that is no success. */
  fails?: 'email_taken';
  /** The tables of what proves a person: it is used up, whatever the host says. */
  spends?: string[];
  prepare(app: App): Promise<Prepared>;
}

/** What a hook sees of an account. */
const seen = ({ id, email }: Member) => ({ id, email, isActive: true });

async function deletion(app: App): Promise<{ member: Member; root: Member }> {
  return { member: await signUp(app), root: await signUpSuperuser(app) };
}

export const acts: Record<string, Act> = {
  'a registration': {
    hook: 'beforeRegister',
    operation: 'register',
    async prepare() {
      const email = newAddress();
      return { input: { email, password, full_name: 'Ada' }, asked: { email, fullName: 'Ada', fields: {} } };
    },
  },
  'a registration of an address that has an account': {
    hook: 'beforeRegister',
    operation: 'register',
    fails: 'email_taken',
    async prepare(app) {
      const { email } = await signUp(app);
      return { input: { email, password }, asked: { email, fullName: null, fields: {} } };
    },
  },
  'a registration of an address that is pending': {
    hook: 'beforeRegister',
    operation: 'register',
    async prepare(app) {
      const email = newAddress();
      await app.rest('POST', '/register', { email, password });
      await app.nextMail(email);
      return { input: { email, password }, asked: { email, fullName: null, fields: {} } };
    },
  },
  'a sign-in with a password': {
    hook: 'beforeSignIn',
    operation: 'login',
    async prepare(app) {
      const member = await signUp(app);
      return { input: { email: member.email, password }, asked: { user: seen(member), method: 'password' } };
    },
  },
  'the end of a second step': {
    hook: 'beforeSignIn',
    operation: 'confirmLoginMfa',
    spends: ['authenticators', 'sign_in_challenges'],
    async prepare(app) {
      const member = await signUp(app);
      const { secret } = await setUpTotp(app, member);
      const { body } = await app.rest('POST', '/login', { email: member.email, password });
      const input = { mfa_pending_token: body.mfa_pending_token, code: nextCodeOf(app, secret) };
      return { input, asked: { user: seen(member), method: 'mfa' } };
    },
  },
  'a sign-in with a passkey': {
    hook: 'beforeSignIn',
    operation: 'loginWithPasskey',
    spends: ['authenticators', 'sign_in_challenges'],
    async prepare(app) {
      const member = await signUp(app);
      const { device } = await setUpPasskey(app, member);
      return { input: await passkeyProof(app, device), asked: { user: seen(member), method: 'passkey' } };
    },
  },
  'signing in again': {
    hook: 'beforeSignIn',
    operation: 'reauthenticate',
    async prepare(app) {
      const member = await signUp(app);
      return {
        input: { password },
        token: member.token,
        asked: { user: seen(member), method: 'password' },
      };
    },
  },
  'signing in again with a passkey': {
    hook: 'beforeSignIn',
    operation: 'reauthenticate',
    spends: ['authenticators', 'sign_in_challenges'],
    async prepare(app) {
      const member = await signUp(app);
      const { device } = await setUpPasskey(app, member);
      const input = await passkeyProof(app, device);
      return { input, token: member.token, asked: { user: seen(member), method: 'passkey' } };
    },
  },
  'a request for a new address': {
    hook: 'beforeEmailChange',
    operation: 'changeEmail',
    async prepare(app) {
      const member = await signUp(app);
      const new_email = newAddress();
      return {
        input: { current_password: password, new_email },
        token: member.token,
        asked: { user: seen(member), newEmail: new_email },
      };
    },
  },
  'a request for a new address that has an account': {
    hook: 'beforeEmailChange',
    operation: 'changeEmail',
    fails: 'email_taken',
    async prepare(app) {
      const [member, { email: new_email }] = [await signUp(app), await signUp(app)];
      return {
        input: { current_password: password, new_email },
        token: member.token,
        asked: { user: seen(member), newEmail: new_email },
      };
    },
  },
  'the deletion of an account by its owner': {
    hook: 'beforeDelete',
    operation: 'deleteAccount',
    async prepare(app) {
      const member = await signUp(app);
      return {
        input: { current_password: password },
        token: member.token,
        asked: { user: seen(member), by: 'self' },
      };
    },
  },
  'the deletion of an account by an administrator': {
    hook: 'beforeDelete',
    operation: 'adminDeleteUser',
    async prepare(app) {
      const { member, root } = await deletion(app);
      return { input: { id: member.id }, token: root.token, asked: { user: seen(member), by: 'admin' } };
    },
  },
};
