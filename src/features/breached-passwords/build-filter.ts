import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  addTo,
  type FilterKey,
  type FilterShape,
  headerBytes,
  headerOf,
  keyOf,
  sha1Of,
  shapeFor,
  startChecksum,
} from './filter.ts';

export interface BuildOptions {
  /** A file, or a stream or pipe, which is kept in a file beside the output meanwhile: the source is read twice. */
  source: string | Readable;
  output: string;
  /** The share of other passwords that the filter takes for known. */
  falsePositives: number;
  /** Lines `SHA1:count` with a lower count are left out. */
  leastCount: number;
  /** Is called now and then with the share of the work that is done, from 0 to 1. */
  progress?: (share: number) => void;
}

/** The filter that was built. */
export interface BuiltFilter extends FilterShape {
  /** The size of the file. */
  bytes: number;
}

/** How many bytes are written at a time. */
const chunkBytes = 16 * 1024 * 1024;

/**
 * Builds a filter file of a list of passwords: lines of `SHA1:count`, SHA-1 digests, or passwords. The output appears
 * under its name when it is complete.
 * @throws {Error} whose message says what is wrong with the source, and in which line
 */
export async function buildFilter(options: BuildOptions): Promise<BuiltFilter> {
  const { source, output, falsePositives, leastCount, progress = () => {} } = options;
  const spool = `${output}.lines`;
  const part = `${output}.part`;
  try {
    const stream = await streamOf(source);
    if (stream) await pipeline(stream, createWriteStream(spool, { mode: 0o600 }));
    const path = stream ? spool : (source as string);
    const { size } = await stat(path);
    let entries = 0;
    const read = (each: (key: FilterKey) => void, from: number) =>
      readKeys(path, leastCount, each, bytes => progress(from + bytes / size / 2));
    await read(() => entries++, 0);
    if (entries === 0) throw new Error('has no passwords');
    const shape = shapeFor(entries, falsePositives);
    const content = Buffer.alloc(shape.bits / 8);
    let again = 0;
    const add = (key: FilterKey) => {
      addTo(content, shape, key);
      again++;
    };
    await read(add, 0.5);
    if (again !== entries) throw new Error('changed while it was read');
    await write(part, shape, content);
    await rename(part, output);
    return { ...shape, bytes: headerBytes + content.length };
  } finally {
    await Promise.all([rm(spool, { force: true }), rm(part, { force: true })]);
  }
}

/** Returns what can be read only once: a stream, or a pipe with a name, as a shell makes one of a command. */
async function streamOf(source: string | Readable): Promise<Readable | null> {
  if (typeof source !== 'string') return source;
  return (await stat(source)).isFile() ? null : createReadStream(source);
}

async function write(path: string, shape: FilterShape, content: Buffer): Promise<void> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'w');
    const sum = startChecksum(shape);
    for (let at = 0; at < content.length; at += chunkBytes) {
      const chunk = content.subarray(at, at + chunkBytes);
      sum.update(chunk);
      await file.write(chunk, 0, chunk.length, headerBytes + at);
    }
    await file.write(headerOf(shape, sum.digest()), 0, headerBytes, 0);
    await file.sync();
  } finally {
    await file?.close();
  }
}

/** Calls `each` with the key of every password, and `progress` with the bytes read so far. */
async function readKeys(
  path: string,
  leastCount: number,
  each: (key: FilterKey) => void,
  progress: (bytes: number) => void,
): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  let bytes = 0;
  let number = 0;
  const line = (text: Buffer) => {
    number++;
    const key = keyOfLine(text, leastCount, number);
    if (key) each(key);
  };
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    const lines = rest.length > 0 ? Buffer.concat([rest, chunk as Buffer]) : (chunk as Buffer);
    let from = 0;
    for (let end = lines.indexOf(10); end !== -1; end = lines.indexOf(10, from)) {
      line(lines.subarray(from, end));
      from = end + 1;
    }
    rest = lines.subarray(from);
    if (rest.length > longestLine)
      throw new Error(`has a line longer than ${longestLine} bytes: ${number + 1}`);
    bytes += (chunk as Buffer).length;
    progress(bytes);
  }
  if (rest.length > 0) line(rest);
}

/** In bytes; a password has at most 128 characters. */
const longestLine = 64 * 1024;

/** The value of each byte as a hexadecimal digit; -1 for every other byte. */
const hexDigits = Int8Array.from({ length: 256 }, (_, byte) => {
  const digit = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(digit) ? -1 : digit;
});
const ntlmLine = /^[0-9a-f]{32}:\d+\s*$/i;
/** The rest of a digest, as the range service answers, and files that are named by the first five digits have it. */
const rangeLine = /^[0-9a-f]{35}:\d+\s*$/i;
const colon = 58;
/** Byte order marks, which some systems put before the first line. */
const utf8Mark = Buffer.from([0xef, 0xbb, 0xbf]);
const utf16Marks = ['fffe', 'feff'];

/** Returns the key of a line, or null for an empty one and for a password that is too rare. */
function keyOfLine(bytes: Buffer, leastCount: number, number: number): FilterKey | null {
  const whole = number === 1 ? withoutMark(bytes) : bytes;
  const line = whole.at(-1) === 13 ? whole.subarray(0, -1) : whole;
  if (line.length === 0) return null;
  if (isHex(line, 40) && (line.length === 40 || line[40] === colon)) {
    const isRare = leastCount > 1 && line.length > 40 && Number(line.toString('latin1', 41)) < leastCount;
    return isRare ? null : { first: hexNumber(line, 0), second: hexNumber(line, 12) };
  }
  if (isHex(line, 32) && ntlmLine.test(line.toString('latin1', 0, 64))) {
    throw new Error(`has an NTLM digest in line ${number}: choose the list of SHA-1 digests`);
  }
  if (isHex(line, 35) && rangeLine.test(line.toString('latin1', 0, 64))) {
    throw new Error(
      `has the end of a SHA-1 in line ${number}, as range files have it: put the five digits of the range before each line`,
    );
  }
  return keyOf(sha1Of(line.toString('utf8').normalize('NFKC')));
}

/** Returns the first line without its byte order mark. @throws {Error} when it is UTF-16 */
function withoutMark(line: Buffer): Buffer {
  if (utf16Marks.includes(line.toString('hex', 0, 2))) throw new Error('is UTF-16: convert it to UTF-8');
  return line.subarray(0, 3).equals(utf8Mark) ? line.subarray(3) : line;
}

/** Returns whether a line begins with so many hexadecimal digits. */
function isHex(line: Buffer, length: number): boolean {
  if (line.length < length) return false;
  for (let i = 0; i < length; i++) if (hexDigits[line[i]!]! < 0) return false;
  return true;
}

/** Returns the number of the twelve hexadecimal digits from here on. */
function hexNumber(line: Buffer, from: number): number {
  let number = 0;
  for (let i = from; i < from + 12; i++) number = number * 16 + hexDigits[line[i]!]!;
  return number;
}
