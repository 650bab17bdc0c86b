import { clockToleranceMs } from '../../clock.ts';
import { parse } from '../../contract/inputs/parse.ts';
import { UnusableHash } from '../../crypto/schemes/scheme.ts';
import type { Dependencies } from '../../domain/dependencies.ts';
import { newUser } from '../../domain/new-user.ts';
import type { DefineAct } from '../../domain/operator-act.ts';
import { withoutNulls } from '../../domain/own-data.ts';
import { GatehouseError } from '../../errors.ts';
import type { User } from '../../tables/user.ts';
import { Fingerprints } from './fingerprints.ts';
import { importedForm } from './hashes.ts';
import { FirebaseParametersInput, type ImportedUser, importedUserInput } from './inputs.ts';
import { identityIssuerOf } from './issuers.ts';
import {
  type Arriving,
  createImportedUsers,
  type ForeignIdentity,
  keyOf,
  type Stored,
} from './stored-users.ts';

/** A line of the file. `problem` says why its text is none. */
export interface ImportLine {
  number: number;
  text: string;
  problem?: string | undefined;
}

export interface ImportCounts {
  read: number;
  created: number;
  existing: number;
  refused: number;
}

export interface ImportRequest {
  lines: AsyncIterable<ImportLine>;
  isDryRun?: boolean;
  /** The content of --firebase-parameters, as it was read. */
  firebaseParameters?: unknown;
  /** Called for each refused line, in the order of the file. */
  onRefused(line: number, message: string): void;
  /** Called in a dry run for each line whose address an earlier line has: it counts as existing. */
  onRepeated?(line: number): void;
  /** Called now and then. */
  onProgress?(counts: ImportCounts): void;
}

export interface ImportResult extends ImportCounts {
  /** How many of the created users have no password, so that they sign in at a provider or ask for one by email first. */
  withoutPassword: number;
  /** The reason why it stopped before the end: then it can be run again. */
  failure?: unknown;
  /** How many seconds longer every later wrong password takes, as measured; absent where that is hardly felt. */
  slowerBySeconds?: number;
}

interface Prepared {
  arriving: Arriving;
  /** Of the line. */
  number: number;
}

/** How many lines are read before any of them is stored, and are stored together. */
const batchSize = 256;

/** From how many seconds on people feel that a sign-in takes longer. */
const feltSeconds = 0.5;

const unknownProvider =
  'name a provider that is not configured, or that has many issuers: give the issuer, too';
const unknownIssuer = 'name an issuer that is not one of their provider in this configuration';

/** Moves users in from another system (CONTRACT §11.2). No email is sent, no host is asked, and no event is emitted. */
export function createOperatorImport(parts: Dependencies, defineAct: DefineAct) {
  const { config, clock, repositories } = parts;
  const { hasher } = parts.passwords;
  const input = importedUserInput(config);
  const imported = createImportedUsers(parts);

  function identitiesOf({ identities }: ImportedUser): ForeignIdentity[] {
    const named = new Set<string>();
    return (identities ?? []).map(({ provider, issuer: given, subject }) => {
      const issuer = identityIssuerOf(config, { provider, issuer: given });
      if (!issuer) throw refusal('identities', given == null ? unknownProvider : unknownIssuer);
      if (named.has(provider)) throw refusal('identities', 'name one provider twice');
      named.add(provider);
      return { issuer, subject };
    });
  }

  function prepare(text: string, formOf: ReturnType<typeof importedForm>): Arriving {
    const given = parse(input, readJson(text));
    const now = clock.now();
    const createdAt = given.created_at ?? now;
    const { password_set_at: setAt = null } = given;
    for (const [field, time] of Object.entries({ created_at: createdAt, password_set_at: setAt }))
      if (time && time.getTime() > now.getTime() + clockToleranceMs) throw refusal(field, 'is in the future');
    const hashedPassword = formOf(given);
    const user = newUser(createdAt, {
      email: given.email,
      fullName: given.full_name ?? null,
      hashedPassword,
      passwordSetAt: hashedPassword === null ? null : setAt,
      isVerified: given.is_verified ?? false,
      isActive: given.is_active ?? true,
      phoneNumber: given.phone_number ?? null,
      updatedAt: now,
      locale: given.locale ?? null,
      fields: withoutNulls(given.fields),
      roles: given.roles ? [...given.roles.given] : null,
      // No token of a deleted account that had the id lives again.
      ...(given.id != null && { id: given.id, tokensInvalidatedAfter: now }),
    });
    return { user, identities: identitiesOf(given), hasOwnId: given.id != null };
  }

  function firebaseOf(given: unknown) {
    const parameters = parse(FirebaseParametersInput, given);
    try {
      return hasher.firebaseForm(parameters);
    } catch (error) {
      if (!(error instanceof UnusableHash)) throw error;
      throw refusal('--firebase-parameters', error.message);
    }
  }

  /**
   * Makes known which work the hash takes, before anybody has it: sign-ins of all others then take as much. A dry run stores
   * nothing.
   */
  async function announceWork(
    { hashedPassword }: User,
    known: Map<string, number>,
    isDryRun: boolean,
  ): Promise<void> {
    if (hashedPassword === null || !hasher.isOutdated(hashedPassword)) return;
    const { family, work } = hasher.inspect(hashedPassword);
    if ((known.get(family) ?? 0) >= work) return;
    if (!isDryRun) await repositories.challenges.addImportedWork({ family, work }, clock.now());
    known.set(family, work);
  }

  /** Returns how many seconds the work of these families takes; null where that is hardly felt. */
  async function measure(known: ReadonlyMap<string, number>): Promise<number | null> {
    let seconds = 0;
    for (const [family, work] of known) seconds += await hasher.secondsOf({ family, work });
    return seconds < feltSeconds ? null : seconds;
  }

  return {
    /** Imports users. A refused line is reported, and the others are stored. */
    importUsers: defineAct('importUsers', async (request: ImportRequest, trail): Promise<ImportResult> => {
      const { lines, isDryRun = false, firebaseParameters, onRefused, onRepeated, onProgress } = request;
      const firebase = firebaseParameters === undefined ? undefined : firebaseOf(firebaseParameters);
      const formOf = importedForm(hasher, firebase);
      const counts: ImportCounts = { read: 0, created: 0, existing: 0, refused: 0 };
      let withoutPassword = 0;
      const seen = isDryRun ? new Fingerprints() : null;
      const work = new Map<string, number>();
      /** The lines of a batch whose address an earlier line has. */
      const repeated = new Set<number>();

      /** In a dry run nothing is stored that a later line of the file could be compared with. */
      async function foresee(each: Arriving, line: number): Promise<Stored> {
        const { user, identities } = each;
        const stored = await imported.foresee(each);
        if (stored !== 'created') return stored;
        if (!seen!.add(user.email)) {
          repeated.add(line);
          return 'existing';
        }
        if (each.hasOwnId && !seen!.add(JSON.stringify(user.id)))
          return { refused: 'id: an earlier line has it too' };
        const taken = identities.filter(identity => !seen!.add(keyOf(identity)));
        return taken.length > 0 ? { refused: 'identities: one is in an earlier line too' } : 'created';
      }

      async function storeAll(prepared: Prepared[]): Promise<Stored[]> {
        const arriving = prepared.map(({ arriving }) => arriving);
        for (const { user } of arriving) await announceWork(user, work, isDryRun);
        if (!isDryRun) return imported.storeAll(arriving);
        const outcomes: Stored[] = [];
        for (const { arriving, number } of prepared) outcomes.push(await foresee(arriving, number));
        return outcomes;
      }

      async function storeBatch(batch: ImportLine[]): Promise<void> {
        const items = batch.map(line =>
          tryTo(() => ({ arriving: prepare(textOf(line), formOf), number: line.number })),
        );
        const outcomes = (await storeAll(items.flatMap(({ prepared }) => prepared ?? []))).values();
        for (const [i, { prepared, refused }] of items.entries()) {
          const outcome = refused === undefined ? outcomes.next().value! : { refused };
          const { number } = batch[i]!;
          counts.read++;
          if (repeated.delete(number)) onRepeated?.(number);
          if (outcome === 'created' && prepared?.arriving.user.hashedPassword === null) withoutPassword++;
          if (typeof outcome === 'string') counts[outcome]++;
          else {
            counts.refused++;
            onRefused(number, outcome.refused);
          }
        }
        onProgress?.({ ...counts });
      }

      let failure: unknown;
      try {
        let batch: ImportLine[] = [];
        for await (const line of lines) {
          if (counts.read + batch.length === 0) checkForm(line);
          batch.push(line);
          if (batch.length < batchSize) continue;
          await storeBatch(batch);
          batch = [];
        }
        await storeBatch(batch);
      } catch (error) {
        // The record also has the users that were stored so far.
        failure = error;
      }
      const kinds = ['created', 'existing', 'refused'] as const;
      trail.changes = [...(isDryRun ? ['dry_run'] : []), ...kinds.map(kind => `${kind}:${counts[kind]}`)];
      const slowerBySeconds = await measure(work);
      return {
        ...counts,
        withoutPassword,
        ...(failure !== undefined && { failure }),
        ...(slowerBySeconds !== null && { slowerBySeconds }),
      };
    }),
  };
}

function textOf({ text, problem }: ImportLine): string {
  if (problem !== undefined) throw refusal('', problem);
  return text;
}

/** @throws {GatehouseError} when the first line shows that no line of the file can be a user */
function checkForm({ text }: ImportLine): void {
  if (text.startsWith('[')) throw refusal('', `The file has one JSON array. ${formOfFile}`);
  if (text === '{') throw refusal('', `The file has one user over several lines. ${formOfFile}`);
}

const formOfFile = 'Write JSON Lines: one user a line, without brackets around them and commas between them.';

function readJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refusal('', 'is not JSON');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw refusal('', 'is not a JSON object');
}

const refusal = (path: string, message: string) =>
  new GatehouseError('invalid_input', { errors: [{ path, message, rule: 'invalid' }] });

/** Returns what was prepared, or why a line is refused. */
function tryTo<T>(work: () => T): { prepared?: T; refused?: string } {
  try {
    return { prepared: work() };
  } catch (error) {
    if (error instanceof UnusableHash) return { refused: `hashed_password ${error.message}` };
    if (!(error instanceof GatehouseError) || !error.errors) throw error;
    return { refused: error.errors.map(({ path, message }) => `${path} ${message}`.trim()).join('; ') };
  }
}
