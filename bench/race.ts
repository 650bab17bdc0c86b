import { fire, type Load, type Measured } from './load.ts';

/** Something that is measured, by name. */
export interface Entrant {
  name: string;
  load(pass: number): Load | Promise<Load>;
}

/** The median of the passes, of each figure by itself. */
export type Result = Measured & {
  name: string;
  /**
   * The median of the passes' ratios to the first entrant, of requests per CPU second: what changes from pass to pass changes
   * both of a pair.
   */
  ofFirst: number;
};

/** Runs each entrant once in each pass, so that what else happens on the machine happens to all of them. */
export async function race(
  entrants: Entrant[],
  passes: number,
  /** The further parts of each pass. */
  alongside = async () => {},
): Promise<Result[]> {
  const runs = new Map<string, Measured[]>(entrants.map(({ name }) => [name, []]));
  for (const { load } of entrants) await fire({ ...(await load(-1)) });
  for (let pass = 0; pass < passes; pass++) {
    await alongside();
    for (const { name, load } of entrants) {
      const measured = await fire(await load(pass));
      runs.get(name)!.push(measured);
      console.error(`  ${name}: ${describe(measured)}`);
    }
  }
  const [first = []] = runs.values();
  return [...runs].map(([name, all]) => {
    const of = (figure: keyof Measured) => median(all.map(run => run[figure]));
    const [perSecond, perCpuSecond, clientBusy] = [of('perSecond'), of('perCpuSecond'), of('clientBusy')];
    const ofFirst = median(all.map((run, pass) => run.perCpuSecond / first[pass]!.perCpuSecond));
    return { name, perSecond, perCpuSecond, ofFirst, p50: of('p50'), p99: of('p99'), clientBusy };
  });
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

const describe = ({ perSecond, perCpuSecond, p50, p99, clientBusy }: Measured) =>
  `${Math.round(perSecond)}/s, ${Math.round(perCpuSecond)} per CPU second, p50 ${p50} ms, p99 ${p99} ms (client ${Math.round(clientBusy * 100)} %)`;
