import {
  administration,
  type Client,
  type ClientOptions,
  createClient,
  type GatehouseError,
  type TokenStorage,
} from '../../src/client/index.ts';
import type { App, Member } from '../support/app.ts';

export const interfaces = ['rest', 'graphql'] as const;

/** A storage whose content a test can see. */
function visibleStorage(): TokenStorage & { token: string | null } {
  const storage = {
    token: null as string | null,
    get: () => storage.token,
    set(token: string) {
      storage.token = token;
    },
    remove() {
      storage.token = null;
    },
  };
  return storage;
}

/** A client of an app, with what it stores and how often it was told that its session has ended. */
export function clientOf(
  app: Pick<App, 'url'>,
  door: ClientOptions['door'],
  options: Partial<ClientOptions> = {},
) {
  const storage = visibleStorage();
  const ended: string[] = [];
  const onSessionEnded = () => void ended.push('ended');
  const client = createClient({
    ...{ url: app.url, door, storage, onSessionEnded },
    ...options,
    with: [administration],
  });
  return { client, storage, ended };
}

/** Signs somebody in. */
export const signIn = (client: Client, { email, password }: Pick<Member, 'email' | 'password'>) =>
  client.login({ email, password });

/** What a call was refused with. @throws {Error} when it was not */
export async function refusalOf(call: Promise<unknown>) {
  const error = await call.then(
    () => {
      throw new Error('The call was not refused.');
    },
    (reason: unknown) => reason,
  );
  if ((error as Error).name !== 'GatehouseError') throw error;
  const { code, status, errors, retryAfter, attemptsRemaining, maxAge } = error as GatehouseError;
  return { code, status, errors, retryAfter, attemptsRemaining, ...(maxAge !== undefined && { maxAge }) };
}
