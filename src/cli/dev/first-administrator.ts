import { createHash, timingSafeEqual } from 'node:crypto';
import { randomToken } from '../../crypto/one-time.ts';
import { GatehouseError } from '../../errors.ts';
import type { Assembled } from '../../gatehouse.ts';

/** The request of the link: an account of these credentials, or the account of the session. */
interface Wish {
  token?: unknown;
  email?: unknown;
  password?: unknown;
}

/** An account that has become the first superuser. */
interface FirstAdministrator {
  email: string;
  created: boolean;
}

export type FirstAdministratorLink = ReturnType<typeof createFirstAdministratorLink>;

/** Returns the link by which one person becomes the first superuser. It works once, and only while there is no superuser. */
export function createFirstAdministratorLink({ operator, authenticate, repositories }: Assembled) {
  const token = randomToken();
  let isUsed = false;

  const isNeeded = async (): Promise<boolean> =>
    !isUsed && (await repositories.users.countActiveSuperusers()) === 0;

  const isToken = (given: unknown): boolean =>
    typeof given === 'string' && timingSafeEqual(hashOf(given), hashOf(token));

  return {
    token,
    isNeeded,

    /** Returns whether the link still works. */
    works: async (given: unknown): Promise<boolean> => isToken(given) && (await isNeeded()),

    /**
     * Makes the first superuser: the account of the session, or a new one.
     * @throws {GatehouseError} not_found when the link no longer works; else as `operator.createFirstAdmin`
     */
    async use(
      { token: given, email, password }: Wish,
      bearer: string | undefined,
    ): Promise<FirstAdministrator> {
      if (!isToken(given) || isUsed) throw new GatehouseError('not_found');
      // Before anything is awaited: a second press at the same time must not make another one.
      isUsed = true;
      try {
        const auth = bearer === undefined ? null : await authenticate(bearer);
        const user = await operator.createFirstAdmin(
          auth ? { id: auth.user.id } : { email: text(email), password: text(password) },
        );
        return { email: user.email, created: auth === null };
      } catch (error) {
        isUsed = false;
        throw error;
      }
    },
  };
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const hashOf = (value: string) => createHash('sha256').update(value).digest();
