import type { Databases } from '../databases.ts';
import type { Shot } from '../load.ts';
import type { Entrant, Result } from '../race.ts';
import { type Running, spawnServer } from '../servers/spawn.ts';

/** The values that a part of the bench gets. */
export interface Bench {
  databases: Databases;
  passes: number;
  /** How long each load is sent, in seconds. */
  seconds: number;
}

/** A table of figures under a heading, as it goes into docs/internals/performance.md. */
export interface Table {
  title: string;
  /** When and where it was measured, if that is not where the rest of the report was. */
  origin?: string;
  columns: string[];
  rows: (string | number)[][];
}

export type Part = (bench: Bench) => Promise<Table[]>;

/** Lends a way to start servers, all of which are stopped afterwards. */
export async function withServers<T>(work: (spawn: typeof spawnServer) => Promise<T>): Promise<T> {
  const running: Running[] = [];
  try {
    return await work(async (...args) => {
      const server = await spawnServer(...args);
      running.push(server);
      return server;
    });
  } finally {
    for (const server of running) await server.stop();
  }
}

/** The same shots in each pass, at one server. */
export const repeated = (
  name: string,
  { url, cpuMs }: Pick<Running, 'url' | 'cpuMs'>,
  shots: Shot[],
  seconds: number,
): Entrant => ({
  name,
  load: () => ({ url, cpuMs, shots, seconds }),
});

/** Results beside the first of them, each with that of the same pass: where little may differ. */
export const pairwise = (title: string, results: Result[]): Table => ({
  title,
  columns: ['', 'requests/s', 'per CPU second', 'of the first, pass by pass', 'p50 ms', 'p99 ms'],
  rows: results.map(({ name, perSecond, perCpuSecond, ofFirst, p50, p99 }) => [
    ...[name, Math.round(perSecond), Math.round(perCpuSecond), `${Math.round(ofFirst * 1000) / 10} %`],
    ...[p50, p99],
  ]),
});

/** Results beside the first of them. */
export function compared(title: string, results: Result[]): Table {
  const [first] = results;
  const share = (of: number, whole: number) => `${Math.round((of / whole) * 100)} %`;
  return {
    title,
    columns: ['', 'requests/s', 'of the first', 'per CPU second', 'of the first', 'p50 ms', 'p99 ms'],
    rows: results.map(({ name, perSecond, perCpuSecond, p50, p99 }) => [
      ...[name, Math.round(perSecond), share(perSecond, first!.perSecond)],
      ...[Math.round(perCpuSecond), share(perCpuSecond, first!.perCpuSecond), p50, p99],
    ]),
  };
}
