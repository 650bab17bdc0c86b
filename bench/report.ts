import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Databases } from './databases.ts';
import type { Table } from './parts/part.ts';

const root = join(import.meta.dirname, '..');

/** Where the figures come from. */
interface Surroundings {
  date: string;
  machine: string;
  versions: Record<string, string>;
  /** Processes that wanted to run before the bench began, over the last minute: near 0 on an idle machine. */
  loadBefore: number;
}

export interface Report extends Surroundings {
  minutes: number;
  tables: Table[];
}

export async function surroundings(databases: Databases): Promise<Surroundings> {
  const installed = (folder: string, name: string) =>
    JSON.parse(readFileSync(join(root, folder, 'node_modules', name, 'package.json'), 'utf8')).version;
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${availableParallelism()} cores (${cpus()[0]!.model}), ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${process.arch}`,
    versions: {
      Gatehouse: execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
        cwd: root,
        encoding: 'utf8',
      }).trim(),
      Node: process.versions.node,
      express: installed('.', 'express'),
      'better-sqlite3': installed('.', 'better-sqlite3'),
      pg: installed('.', 'pg'),
      mongodb: installed('.', 'mongodb'),
      'better-auth': installed('bench', 'better-auth'),
      autocannon: installed('bench', 'autocannon'),
      ...(await databases.versions()),
    },
    loadBefore: Math.round(loadavg()[0]! * 100) / 100,
  };
}

/**
 * Prints the report; with `keep` it becomes bench/results.json and the figures of docs/internals/performance.md. Of a run of some
 * parts, what was not measured stays as it was.
 */
export function write(measured: Report, { keep, isWhole }: { keep: boolean; isWhole: boolean }): void {
  console.log(toMarkdown(measured));
  if (!keep) return;
  const results = join(root, 'bench/results.json');
  const former = !isWhole && existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : null;
  const report = former ? merged(former, measured) : measured;
  const markdown = toMarkdown(report);
  writeFileSync(results, `${JSON.stringify(report, null, 2)}\n`);
  const file = join(root, 'docs/internals/performance.md');
  const part = /(<!-- measured -->\n)[\s\S]*?(\n<!-- \/measured -->)/;
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(part, (_, begin, end) => `${begin}\n${markdown}${end}`),
  );
}

function merged(former: Report, measured: Report): Report {
  const again = new Map(measured.tables.map(table => [table.title, table]));
  const origin = `Measured on ${former.date}: ${former.machine}, Gatehouse ${former.versions.Gatehouse}.`;
  const kept = former.tables.map(table => again.get(table.title) ?? { origin, ...table });
  const added = measured.tables.filter(({ title }) => !former.tables.some(table => table.title === title));
  return { ...measured, tables: [...kept, ...added] };
}

function toMarkdown({ date, machine, versions, loadBefore, minutes, tables }: Report): string {
  const list = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    `Measured on ${date} in ${minutes} minutes: ${machine}. Load before the run: ${loadBefore}.`,
    `Versions: ${list.join(', ')}.\n`,
    ...tables.map(({ title, origin, columns, rows }) =>
      [`### ${title}`, ...(origin ? [origin] : []), `${aligned([columns, ...rows])}\n`].join('\n\n'),
    ),
  ].join('\n');
}

function aligned(rows: (string | number)[][]): string {
  const cells = rows.map(row => row.map(String));
  const widths = cells[0]!.map((_, i) => Math.max(3, ...cells.map(row => row[i]!.length)));
  const line = (row: string[]) =>
    `| ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join(' | ')} |`;
  const rule = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(cells[0]!), rule, ...cells.slice(1).map(line)].join('\n');
}
