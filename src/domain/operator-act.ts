import type { Trail, Watch } from '../observability/watch.ts';

/**
 * Makes an act of the command line, or one that Gatehouse does by itself when it is time (`system`); audited like the operations
 * of the other interfaces.
 */
export type DefineAct = <I, R>(
  operation: string,
  work: (raw: I, trail: Trail) => Promise<R>,
  by?: 'cli' | 'system',
) => (raw: I) => Promise<R>;

export const createDefineAct =
  (watch: Watch): DefineAct =>
  (operation, work, by = 'cli') => {
    const call = { operation, by, isAudited: true, ip: null, requestId: null } as const;
    return raw => {
      const { trail, finish } = watch(call);
      return finish(() => work(raw, trail));
    };
  };
