import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { findPythonPackages, pythonEnvironment } from './python-packages.ts';

const run = promisify(execFile);

const program = join(import.meta.dirname, 'foreign-passkey.py');
const requirements = join(import.meta.dirname, 'foreign-passkey.txt');

/** Finds the folder of the packages that the program needs. @throws saying why they cannot be had */
export async function findFido2(): Promise<string> {
  const folder = await findPythonPackages('fido2-2.2.1', [
    // Without a network it should not take long to say so.
    ...['--retries', '1', '--timeout', '10', '--disable-pip-version-check'],
    ...['--require-hashes', '--no-deps', '--only-binary=:all:', '--requirement', requirements],
  ]);
  const env = pythonEnvironment(folder);
  await run('python3', ['-c', 'import fido2.client'], { env });
  return folder;
}

/** What the program keeps between two answers. */
export interface ForeignKey {
  id: string;
  privateKey: string;
  userHandle: string;
  counter: number;
}

type Answer = (request: object) => Promise<{ credential: object; key: ForeignKey }>;

/** The program while it runs, which answers one request after the other. */
export class ForeignAuthenticator {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #ended: Promise<unknown>;
  #errors = '';

  /** Starts it with the packages in this folder. */
  constructor(folder: string) {
    this.#process = spawn('python3', [program], { env: pythonEnvironment(folder) });
    this.#process.stderr.on('data', chunk => {
      this.#errors += chunk;
    });
    // One that has ended takes no more requests; why it has ended is said below.
    this.#process.stdin.on('error', () => {});
    this.#ended = once(this.#process, 'close');
    this.#lines = createInterface(this.#process.stdout)[Symbol.asyncIterator]();
  }

  /** Has a passkey that is used at this origin, and so far has no key. */
  passkeyAt(origin: string): ForeignPasskey {
    return new ForeignPasskey(request => this.#answer({ ...request, origin }));
  }

  async #answer(request: object) {
    this.#process.stdin.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await this.#lines.next();
    if (!done) return JSON.parse(value);
    await this.#ended;
    throw new Error(`the foreign authenticator has ended: ${this.#errors}`);
  }

  async close(): Promise<void> {
    this.#process.stdin.end();
    await this.#ended;
  }
}

/** A passkey of PyPI's `fido2`, which shares no code with Gatehouse nor with the package that it checks passkeys by. */
export class ForeignPasskey {
  key: ForeignKey | undefined;
  readonly #answer: Answer;

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  /** Answers creation options (RegistrationResponseJSON) by a new key of this COSE algorithm. */
  create(options: unknown, algorithm: number): Promise<object> {
    return this.#use({ options, algorithm });
  }

  /** Answers request options (AuthenticationResponseJSON). */
  get(options: unknown): Promise<object> {
    return this.#use({ options, key: this.key });
  }

  async #use(request: object): Promise<object> {
    const { credential, key } = await this.#answer(request);
    this.key = key;
    return credential;
  }
}
