import { firebaseHash } from '../../crypto/schemes/firebase.ts';
import { isStopped } from '../../crypto/stopped-password.ts';
import type { Dependencies } from '../../domain/dependencies.ts';
import type { DefineAct } from '../../domain/operator-act.ts';
import type { OAuthIdentity } from '../../tables/oauth-identity.ts';
import type { User } from '../../tables/user.ts';
import { providerOf } from './issuers.ts';

export interface ExportRequest {
  withHashes: boolean;
}

/** How many users are read at once. */
const pageSize = 500;

/** Writes users in the form in which `importUsers` reads them (CONTRACT §11.2). */
export function createOperatorExport({ config, repositories, views }: Dependencies, defineAct: DefineAct) {
  const { users, oauth_identities } = repositories;
  const own = { fields: Object.keys(config.userFields).length > 0, roles: config.roles.length > 0 };

  /** Says the issuer where the provider's name means another one, or many: else the subject would be other people. */
  const identityOf = (identity: OAuthIdentity) => ({
    ...providerOf(config, identity),
    subject: identity.subjectId,
  });

  /** Returns a user as a line has it, without what is empty. */
  function lineOf(user: User, identities: OAuthIdentity[], { withHashes }: ExportRequest): string {
    const { fields, roles, ...view } = views.toUserPublic(user, 'host');
    const given = Object.entries(fields ?? {}).filter(([, value]) => value !== null);
    // A password that no longer signs in must not do so elsewhere.
    const hash = user.hashedPassword !== null && isStopped(user.hashedPassword) ? null : user.hashedPassword;
    return JSON.stringify({
      id: view.id,
      email: view.email,
      ...(view.full_name !== null && { full_name: view.full_name }),
      is_verified: view.is_verified,
      is_active: view.is_active,
      created_at: view.created_at,
      ...(view.phone_number !== null && { phone_number: view.phone_number }),
      ...(withHashes && hash !== null && hashOf(hash)),
      ...(hash !== null && user.passwordSetAt && { password_set_at: user.passwordSetAt.toISOString() }),
      ...(identities.length > 0 && {
        identities: identities.map(identityOf),
      }),
      ...(user.locale !== null && config.locales.includes(user.locale) && { locale: user.locale }),
      ...(own.fields && given.length > 0 && { fields: Object.fromEntries(given) }),
      ...(own.roles && roles!.length > 0 && { roles }),
    });
  }

  async function* pages(request: ExportRequest): AsyncGenerator<string[]> {
    for (let after: User | null = null; ; ) {
      const page: User[] = await users.list({ after, limit: pageSize });
      if (page.length === 0) return;
      const identities = Map.groupBy(
        await oauth_identities.listByUsers(page.map(({ id }) => id)),
        ({ userId }) => userId,
      );
      yield page.map(user => lineOf(user, identities.get(user.id) ?? [], request));
      after = page.at(-1)!;
    }
  }

  return {
    /** Returns the lines of all users, in pages, newest first. It is recorded before the first is read. */
    exportUsers: defineAct('exportUsers', async (request: ExportRequest, trail) => {
      if (request.withHashes) trail.changes = ['with_hashes'];
      return pages(request);
    }),
  };
}

/** A hash of Firebase is exported as Firebase does it: its signer key is not part of it. */
function hashOf(hash: string) {
  const [, , , salt, , digest] = firebaseHash.exec(hash) ?? [];
  if (salt === undefined || digest === undefined) return { hashed_password: hash };
  const asFirebase = (text: string) => Buffer.from(text, 'base64').toString('base64');
  return { hashed_password: asFirebase(digest), scheme: 'firebase', salt: asFirebase(salt) };
}
