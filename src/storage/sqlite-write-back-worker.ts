// The thread that writes the write-ahead log of an SQLite file back, so that the event loop does not wait for the disk.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openFile } from './sqlite-file.ts';

/** `empty` also truncates the log, for which writers have to wait. */
export type Order = 'write back' | 'empty' | 'end';

/** The outcome of an order. */
export interface Outcome {
  order: Order;
  /** Whether another connection, of this process or another, prevented it. */
  isBusy: boolean;
  /** How long the log is then, in pages. */
  log: number;
  error?: unknown;
}

/** How long emptying the log waits for readers and writers, in milliseconds: writers wait as long. */
const busyTimeoutMs = 5;

const database = openFile(workerData, { timeout: busyTimeoutMs, fileMustExist: true });
database.pragma('synchronous = NORMAL');
database.pragma('wal_autocheckpoint = 0');
const port = parentPort as MessagePort;

function checkpoint(mode: 'passive' | 'truncate') {
  const [row] = database.pragma(`wal_checkpoint(${mode})`) as { busy: number; log: number }[];
  return { isBusy: row!.busy !== 0, log: row!.log };
}

function carryOut(order: Order): Outcome {
  try {
    const outcome = checkpoint('passive');
    // Most was written back by now, so that writers wait for the rest only.
    return { order, ...(order === 'empty' ? checkpoint('truncate') : outcome) };
  } catch (error) {
    return { order, isBusy: false, log: 0, error };
  }
}

port.on('message', (order: Order) => {
  if (order !== 'end') {
    port.postMessage(carryOut(order));
    return;
  }
  database.close();
  port.close();
});
port.postMessage('ready');
