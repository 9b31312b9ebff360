/** Reads an archive as GNU, BSD and busybox tar write it, while it arrives. */
import type { Bytes } from './ends.ts';

const blockBytes = 512;
/** Maximum size of a record with a long name or further fields. */
const maxRecordBytes = 1024 * 1024;

export interface TarItem {
  readonly kind: 'file' | 'folder' | 'same';
  /** Name in the archive, without `./` at its start and without a slash at its end. */
  readonly name: Bytes;
  /** Name of an earlier file with the same content, for the kind `same`. */
  readonly link: Bytes;
  readonly sizeBytes: number;
  readonly mode: number;
  /** Seconds since the epoch, with a fraction if the archive has it. */
  readonly modified: string;
}

export interface TarSink {
  /** Begins an item. The content of the item before is complete. */
  begin(item: TarItem): void;
  write(bytes: Uint8Array): void;
}

export class TarFailure extends Error {}

const text = (bytes: Buffer, at: number, length: number): Bytes => {
  const field = bytes.toString('latin1', at, at + length);
  const end = field.indexOf('\0');
  return end < 0 ? field : field.slice(0, end);
};

/** Returns a number in octal digits or, after a first bit that is set, in binary. */
function numberAt(bytes: Buffer, at: number, length: number): number {
  const first = bytes[at] ?? 0;
  if (first < 128) {
    const digits = text(bytes, at, length).trim();
    if (!/^[0-7]*$/.test(digits)) throw new TarFailure('a number in it cannot be read');
    return parseInt(digits || '0', 8);
  }
  let value = BigInt.asIntN(7, BigInt(first));
  for (const byte of bytes.subarray(at + 1, at + length)) value = value * 256n + BigInt(byte);
  return Number(value);
}

function checkSum(bytes: Buffer): void {
  let sum = 8 * 32;
  for (let at = 0; at < blockBytes; at++) if (at < 148 || at >= 156) sum += bytes[at] ?? 0;
  if (sum !== numberAt(bytes, 148, 8)) throw new TarFailure('a header in it is damaged');
}

const plainName = (name: Bytes): Bytes => name.replace(/^\.\/+(?=.)/, '').replace(/(?<=.)\/+$/, '');

const kinds: Readonly<Record<string, TarItem['kind']>> = {
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  '5': 'folder',
  '1': 'same',
};

/** Reads the pieces of an archive, in any sizes, and passes its items to a sink. */
export class TarReader {
  readonly #sink: TarSink;
  readonly #block = Buffer.alloc(blockBytes);
  #filled = 0;
  /** Number of bytes of the content that are still to come. */
  #left = 0;
  #padding = 0;
  /** Type and content of the record that is being read; `undefined` for the content of a file. */
  #record: { readonly type: string; readonly parts: Buffer[] } | undefined;
  /** Fields of records for the next item. */
  #fields = new Map<string, Bytes>();
  #isEnded = false;

  constructor(sink: TarSink) {
    this.#sink = sink;
  }

  /** Throws `TarFailure` for an archive that cannot be read, and errors of the sink. */
  push(bytes: Uint8Array): void {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < piece.length && !this.#isEnded;) at += this.#take(piece.subarray(at));
  }

  /** Throws `TarFailure` if the end of the archive has not come. */
  end(): void {
    if (!this.#isEnded) throw new TarFailure('it is not complete');
  }

  #take(piece: Buffer): number {
    if (this.#left > 0) return this.#takeContent(piece);
    if (this.#padding > 0) {
      const skipped = Math.min(this.#padding, piece.length);
      this.#padding -= skipped;
      return skipped;
    }
    const count = piece.copy(this.#block, this.#filled, 0, blockBytes - this.#filled);
    this.#filled += count;
    if (this.#filled === blockBytes) {
      this.#filled = 0;
      this.#header(this.#block);
    }
    return count;
  }

  #takeContent(piece: Buffer): number {
    const part = piece.subarray(0, this.#left);
    this.#left -= part.length;
    if (this.#record === undefined) this.#sink.write(part);
    else {
      this.#record.parts.push(Buffer.from(part));
      if (this.#left === 0) this.#endRecord(this.#record);
    }
    return part.length;
  }

  #header(block: Buffer): void {
    if (block.every((byte) => byte === 0)) {
      this.#isEnded = true;
      return;
    }
    checkSum(block);
    const type = text(block, 156, 1) || '\0';
    const sizeBytes = Number(this.#fields.get('size') ?? numberAt(block, 124, 12));
    const isRecord = 'xgLK'.includes(type);
    if (!Number.isSafeInteger(sizeBytes) || (isRecord && sizeBytes > maxRecordBytes))
      throw new TarFailure('a size in it cannot be right');
    this.#record = isRecord ? { type, parts: [] } : undefined;
    this.#left = isRecord || kinds[type] === 'file' ? sizeBytes : 0;
    this.#padding = (blockBytes - (this.#left % blockBytes)) % blockBytes;
    if (!isRecord) this.#item(block, type, sizeBytes);
  }

  #item(block: Buffer, type: string, sizeBytes: number): void {
    const fields = this.#fields;
    this.#fields = new Map();
    const name = fields.get('path') ?? nameIn(block);
    const kind = kinds[type];
    if (kind === undefined)
      throw new TarFailure(`${JSON.stringify(name)} in it is not a file or folder`);
    this.#sink.begin({
      kind,
      name: plainName(name),
      link: plainName(fields.get('linkpath') ?? text(block, 157, 100)),
      sizeBytes,
      mode: numberAt(block, 100, 8),
      modified: fields.get('mtime') ?? String(numberAt(block, 136, 12)),
    });
  }

  #endRecord({ type, parts }: { readonly type: string; readonly parts: readonly Buffer[] }): void {
    const content = Buffer.concat(parts).toString('latin1');
    this.#record = undefined;
    if (type === 'L') this.#fields.set('path', content.replace(/\0.*$/s, ''));
    if (type === 'K') this.#fields.set('linkpath', content.replace(/\0.*$/s, ''));
    if (type === 'x') for (const [key, value] of paxFields(content)) this.#fields.set(key, value);
  }
}

/** Returns the name of a header, to which POSIX may put the folder in a field of its own. */
function nameIn(block: Buffer): Bytes {
  const prefix = text(block, 257, 6) === 'ustar' ? text(block, 345, 155) : '';
  const name = text(block, 0, 100);
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** Returns the fields of a POSIX record, in which each line begins with its length. */
function* paxFields(content: Bytes): Generator<readonly [string, Bytes]> {
  for (let at = 0; at < content.length;) {
    const [, digits] = /^(\d{1,7}) /.exec(content.slice(at, at + 9)) ?? [];
    const end = at + Number(digits);
    const line = content.slice(at, end - 1);
    const separator = line.indexOf('=');
    if (!(end > at) || separator < 0) throw new TarFailure('a record in it cannot be read');
    yield [line.slice(line.indexOf(' ') + 1, separator), line.slice(separator + 1)];
    at = end;
  }
}
