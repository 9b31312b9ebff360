/** Writes the headers of a tar archive that GNU, BSD and busybox tar can read. */
import type { Bytes } from './ends.ts';
import type { Entry } from './tree.ts';

const blockBytes = 512;
const maxNameBytes = 100;
const maxOctalSeconds = 8 ** 11 - 1;

/** End of an archive. */
export const tarEnd = Buffer.alloc(2 * blockBytes);

/** Returns the zeros after content of a size. */
export const tarPadding = (sizeBytes: number): Buffer =>
  Buffer.alloc((blockBytes - (sizeBytes % blockBytes)) % blockBytes);

/**
 * Returns the header of a file or a folder. The exact time is in a separate POSIX record before it,
 * except if `isPlain`, and so is a long name, in the format of GNU.
 */
export function tarHeader(name: Bytes, entry: Entry, isPlain: boolean): Buffer {
  const { mode, modified, kind } = entry;
  const seconds = Math.floor(Number(modified));
  const isExact = isPlain || modified.endsWith('.000000000');
  return Buffer.concat([
    ...(isExact ? [] : extension('x', '././@PaxHeader', timeRecord(modified))),
    ...(name.length > maxNameBytes ? extension('L', '././@LongLink', `${name}\0`) : []),
    block(name, {
      type: kind === 'folder' ? '5' : '0',
      sizeBytes: kind === 'folder' ? 0 : entry.sizeBytes,
      mode,
      seconds: Math.min(Math.max(0, seconds), maxOctalSeconds),
    }),
  ]);
}

/** Returns a record `LENGTH mtime=SECONDS`, in which the length includes its own digits. */
function timeRecord(modified: string): string {
  const text = ` mtime=${modified}\n`;
  return `${text.length + 2}${text}`;
}

function extension(type: string, name: Bytes, content: Bytes): Buffer[] {
  return [
    block(name, { type, sizeBytes: content.length, mode: 0o644, seconds: 0 }),
    Buffer.from(content, 'latin1'),
    tarPadding(content.length),
  ];
}

interface Block {
  readonly type: string;
  readonly sizeBytes: number;
  readonly mode: number;
  readonly seconds: number;
}

const octal = (value: number, length: number): string => value.toString(8).padStart(length, '0');

function block(name: Bytes, { type, sizeBytes, mode, seconds }: Block): Buffer {
  const bytes = Buffer.alloc(blockBytes);
  bytes.write(name, 0, maxNameBytes, 'latin1');
  const numbers = `${octal(mode, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0${octal(sizeBytes, 11)}\0${octal(seconds, 11)}\0`;
  bytes.write(`${numbers}        ${type}`, maxNameBytes, 'latin1');
  bytes.write('ustar\x0000', 257, 'latin1');
  let sum = 0;
  for (const byte of bytes) sum += byte;
  bytes.write(`${octal(sum, 6)}\0 `, 148, 'latin1');
  return bytes;
}
