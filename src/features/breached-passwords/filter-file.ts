import { type FileHandle, open } from 'node:fs/promises';
import { filterOver, headerBytes, type PasswordFilter, readHeader, startChecksum } from './filter.ts';

/** How many bytes are read at a time. */
const chunkBytes = 16 * 1024 * 1024;

/**
 * Reads a filter file into memory, where every check then happens.
 * @throws {Error} that names the file and says what is wrong with it
 */
export async function openFilterFile(path: string): Promise<PasswordFilter> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    return await readFilter(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`${path} ${code === undefined ? message : `can't be read (${code})`}`);
  } finally {
    await file?.close();
  }
}

async function readFilter(file: FileHandle): Promise<PasswordFilter> {
  const { size } = await file.stat();
  const header = Buffer.alloc(headerBytes);
  const { bytesRead } = await file.read(header, 0, headerBytes, 0);
  const { shape, checksum } = readHeader(header.subarray(0, bytesRead));
  const bytes = shape.bits / 8;
  // Before the memory is taken: the size of a damaged header may be anything.
  if (size !== headerBytes + bytes) {
    throw new Error(`is incomplete: it has ${size} bytes, and should have ${headerBytes + bytes}`);
  }
  const content = Buffer.allocUnsafeSlow(bytes);
  const sum = startChecksum(shape);
  for (let at = 0; at < bytes; ) {
    const length = Math.min(chunkBytes, bytes - at);
    const { bytesRead: got } = await file.read(content, at, length, headerBytes + at);
    if (got === 0) throw new Error('became shorter while it was read');
    sum.update(content.subarray(at, at + got));
    at += got;
  }
  if (!sum.digest().equals(checksum)) throw new Error('is damaged: its checksum differs; build it again');
  return filterOver(content, shape);
}
