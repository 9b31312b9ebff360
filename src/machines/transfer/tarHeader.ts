/** Writes the headers of a tar archive that GNU, BSD and busybox tar can read. */
import type { Bytes } from './ends.ts';
import { plainMode } from './plan.ts';
import type { Entry } from './tree.ts';

const blockBytes = 512;
const maxNameBytes = 100;
const maxOctalSeconds = 8 ** 11 - 1;

/** Length of the end of an archive, which consists of zeros. */
export const tarEndBytes = 2 * blockBytes;

/** Returns the number of zeros that follow content of a size. */
export const paddingAfter = (sizeBytes: number): number =>
  (blockBytes - (sizeBytes % blockBytes)) % blockBytes;

/** Returns the maximum length of the header of a name. */
export const maxHeaderBytes = (name: Bytes): number => name.length + 6 * blockBytes;

/**
 * Writes the header of a file or a folder at an offset, and returns the offset after it. Before the
 * header, unless `isPlain`, a separate POSIX record has the exact time; a long name is in a
 * separate record in the format of GNU.
 */
export function writeTarHeader(
  bytes: Buffer,
  at: number,
  name: Bytes,
  { kind, mode, modified, sizeBytes, isPlain }: Entry & { readonly isPlain: boolean },
): number {
  const seconds = Math.min(Math.max(0, Math.floor(Number(modified))), maxOctalSeconds);
  let end = at;
  if (!isPlain && !modified.endsWith('.000000000'))
    end = writeRecord(bytes, end, 'x', timeRecord(modified));
  if (name.length > maxNameBytes) end = writeRecord(bytes, end, 'L', `${name}\0`);
  const isFolder = kind === 'folder';
  const block = { type: isFolder ? '5' : '0', sizeBytes: isFolder ? 0 : sizeBytes };
  return writeBlock(bytes, end, name, { ...block, mode: plainMode(mode), seconds });
}

/** Returns a record `LENGTH mtime=SECONDS`, in which the length includes its own digits. */
function timeRecord(modified: string): string {
  const text = ` mtime=${modified}\n`;
  return `${text.length + 2}${text}`;
}

function writeRecord(bytes: Buffer, at: number, type: string, content: Bytes): number {
  const sizeBytes = content.length;
  const start = writeBlock(bytes, at, '././@record', { type, sizeBytes, mode: 0o644, seconds: 0 });
  const end = start + sizeBytes + paddingAfter(sizeBytes);
  bytes.fill(0, start, end).write(content, start, 'latin1');
  return end;
}

interface Block {
  readonly type: string;
  readonly sizeBytes: number;
  readonly mode: number;
  readonly seconds: number;
}

const octal = (value: number, length: number): string => value.toString(8).padStart(length, '0');

function writeBlock(bytes: Buffer, at: number, name: Bytes, block: Block): number {
  const { type, sizeBytes, mode, seconds } = block;
  bytes.fill(0, at, at + blockBytes);
  bytes.write(name, at, maxNameBytes, 'latin1');
  const owner = '0000000\x000000000\0';
  const numbers = `${octal(mode, 7)}\0${owner}${octal(sizeBytes, 11)}\0${octal(seconds, 11)}\0`;
  bytes.write(`${numbers}        ${type}`, at + maxNameBytes, 'latin1');
  bytes.write('ustar\x0000', at + 257, 'latin1');
  let sum = 0;
  // The last field that is used ends at offset 265.
  for (let index = at; index < at + 265; index++) sum += bytes[index] ?? 0;
  bytes.write(`${octal(sum, 6)}\0 `, at + 148, 'latin1');
  return at + blockBytes;
}
