import type { Answer } from './support.ts';

/** What clients saw of an outage, in seconds and counts. */
export interface Outage {
  /** From the event until everybody is served again. */
  seconds: number;
  refused: number;
  served: number;
  longestWait: number;
}

/** Returns what these answers tell of an event at that time, in milliseconds. */
export function outageOf(answers: Answer[], since: number): Outage {
  const refused = answers.filter(({ status }) => status === 503);
  const waits = answers.map(({ startedAt, endedAt }) => endedAt - Math.max(startedAt, since));
  return {
    seconds: (Math.max(since, ...refused.map(({ endedAt }) => endedAt)) - since) / 1000,
    refused: refused.length,
    served: answers.length - refused.length,
    longestWait: Math.max(0, ...waits) / 1000,
  };
}

/** Returns a sentence with the figures of an outage. */
export const shown = ({ seconds, refused, served, longestWait }: Outage): string =>
  `503 for ${seconds.toFixed(1)} s (${refused} requests; ${served} served before and after), longest wait ${longestWait.toFixed(1)} s`;
