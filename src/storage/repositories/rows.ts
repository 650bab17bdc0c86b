import { graceSeconds, type Table } from '../../tables/define.ts';
import { type TableName, tables } from '../../tables/index.ts';
import type { Backend } from '../backend.ts';
import { openTable, padded, type Run } from './table.ts';

/** A row of an account. */
export interface RowOfAccount {
  name: TableName;
  key: string;
  userId: string;
}

/** The work that is the same for every table: the description of the table says whether and how. */
export function createRows(backend: Backend, run: Run) {
  const opened = Object.entries(tables).map(([name, table]: [string, Table]) => ({
    name: name as TableName,
    table,
    rows: openTable(backend, table, run),
    key: Object.keys(table.columns).find(property => table.columns[property]!.traits.isKey)!,
  }));

  return {
    /** Removes every row of an account from the tables that have an owner; a take-over leaves those that are of no use. */
    async removeOwned(userId: string, { isTakeOver }: { isTakeOver: boolean }): Promise<void> {
      for (const { table, rows } of opened) {
        if (table.owner === undefined || (isTakeOver && table.isKeptByTakeOver)) continue;
        await rows.delete({ [table.owner]: userId });
      }
    },

    /** Returns the rows of these accounts, of which there is at least one. */
    async listOwned(userIds: readonly string[]): Promise<RowOfAccount[]> {
      const owned: RowOfAccount[] = [];
      for (const { name, table, rows, key } of opened) {
        const { owner } = table;
        if (owner === undefined) continue;
        const found: Readonly<Record<string, unknown>>[] = await rows.findAll({
          [owner]: { $in: padded(userIds) },
        });
        for (const row of found) owned.push({ name, key: String(row[key]), userId: String(row[owner]) });
      }
      return owned;
    },

    /** Removes these rows, and no others of their accounts. */
    async removeListed(listed: readonly RowOfAccount[]): Promise<void> {
      for (const { name, rows, key } of opened) {
        const keys = listed.filter(row => row.name === name).map(row => row.key);
        if (keys.length > 0) await rows.delete({ [key]: { $in: padded(keys) } });
      }
    },

    /** Returns whether an account has a row that acts for it and was added at this time or later. */
    async haveAddedSince(userId: string, since: Date): Promise<boolean> {
      for (const { table, rows } of opened) {
        if (table.owner === undefined || table.addedAt === undefined) continue;
        const where = { [table.owner]: userId, [table.addedAt]: { $gte: since } };
        if ((await rows.count({ where }, 1)) > 0) return true;
      }
      return false;
    },

    /** Deletes the rows of a table that have ended by this time, and returns how many; null where rows do not end. */
    async purgeEnded(
      name: TableName,
      now: Date,
      windowSeconds: number,
      atOnce?: number,
    ): Promise<number | null> {
      const { table, rows } = opened.find(each => each.name === name)!;
      if (!table.ends) return null;
      const { by, keptSeconds = graceSeconds, plusWindow } = table.ends;
      const kept = keptSeconds + (plusWindow ? windowSeconds : 0);
      return rows.purge({ [by]: { $lte: new Date(now.getTime() - kept * 1000) } }, atOnce);
    },
  };
}
