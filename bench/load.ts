import autocannon, { type Request } from 'autocannon';

/** A request and what its answer must be. */
export interface Shot {
  method?: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
  /** A text that the body of a right answer holds. */
  expect: string;
  status?: number;
}

export interface Load {
  url: string;
  shots: Shot[];
  connections?: number;
  seconds?: number;
  /** Sends so many in all, in place of as many as it can within `seconds`. */
  amount?: number;
  /** Sends each shot once and no more. */
  once?: boolean;
  /** Milliseconds of processor time that the server has used so far. */
  cpuMs?: () => number;
}

/** The outcome of one run of a load; latencies in milliseconds. */
export interface Measured {
  perSecond: number;
  /** Requests for each second of processor time of the server: what other load on the machine changes least. */
  perCpuSecond: number;
  p50: number;
  p99: number;
  /** How much of one core the client used: near 1 means that the client was measured, not the server. */
  clientBusy: number;
}

/** Sends a load over kept-open connections and checks every answer. @throws when one was not right */
export async function fire({
  url,
  shots,
  connections = 16,
  seconds = 2,
  once = false,
  amount = once ? shots.length : undefined,
  cpuMs = () => Number.NaN,
}: Load): Promise<Measured> {
  let wrong: string | undefined;
  const requests = shots.map(shot => toRequest(shot, answer => (wrong ??= answer)));
  let client = 0;
  const cpuBefore = process.cpuUsage();
  const serverBefore = cpuMs();
  const startedAt = performance.now();
  const { requests: sent, ...result } = await autocannon({
    url,
    connections,
    ...(amount ? { amount } : { duration: seconds }),
    timeout: 30,
    // Each connection has a part of its own, so that not all send the same at once; of a few, each sends all.
    requests: requests.slice(0, 1),
    setupClient(one) {
      const [from, to] = [client, ++client].map(at => Math.floor((at * requests.length) / connections));
      one.setRequests(to! > from! ? requests.slice(from, to) : requests);
    },
  });
  const elapsedMs = performance.now() - startedAt;
  const cpu = process.cpuUsage(cpuBefore);
  const serverCpuMs = cpuMs() - serverBefore;
  if (wrong !== undefined) throw new Error(`A wrong answer from ${url}${shots[0]?.path}: ${wrong}`);
  if (result.errors + result.timeouts > 0 || sent.total === 0) {
    throw new Error(`${result.errors} failed and ${result.timeouts} timed out of ${sent.total} to ${url}`);
  }
  return {
    perSecond: sent.total / result.duration,
    perCpuSecond: (sent.total / serverCpuMs) * 1000,
    p50: result.latency.p50,
    p99: result.latency.p99,
    clientBusy: (cpu.user + cpu.system) / 1000 / elapsedMs,
  };
}

function toRequest(shot: Shot, onWrong: (answer: string) => void): Request {
  const { method = 'GET', path, headers = {}, body, expect, status = 200 } = shot;
  return {
    method,
    path,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    onResponse(got, text) {
      if (got !== status || !text.includes(expect)) onWrong(`${got} ${text.slice(0, 300)}`);
    },
  };
}
