import type { PostgresqlUrl } from '../config/postgresql-url.ts';
import type { Driver } from './sql-driver.ts';
import type { Remark } from './versions.ts';

/** Returns what a crash or a failover can undo although it was acknowledged, and whether a standby may be used. */
export async function remarksOnDurability(
  driver: Driver,
  { hosts, target }: PostgresqlUrl,
): Promise<Remark[]> {
  const [row] = await driver.read(
    `select current_setting('synchronous_commit') as commits,
      current_setting('synchronous_standby_names') as standbys`,
    [],
  );
  const texts: string[] = [];
  if (row!.commits === 'off')
    texts.push('synchronous_commit is off: a crash can undo what was acknowledged, a logout too. Turn it on');
  if (hosts.length > 1) {
    if (target !== 'read-write' && target !== 'primary')
      texts.push(
        `with target_session_attrs=${target} a standby may be used, which accepts no writes: set it to read-write`,
      );
    if (row!.standbys === '' || /^(off|local)$/.test(String(row!.commits)))
      texts.push(
        'commits do not wait for a standby (synchronous_standby_names, synchronous_commit): a failover can undo what was acknowledged, a logout too',
      );
  }
  return texts.map(text => ({ outcome: 'warn', text }));
}
