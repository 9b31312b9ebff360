/** Writes transaction logs of W&B. */
import { part, whole } from './protocolBuffer.ts';

/** An entry of a W&B transaction log, with the values of one step. */
export function history(values: Readonly<Record<string, unknown>>): Buffer {
  const items = Object.entries(values).map(([name, value]) => {
    const json = part(16, Buffer.from(JSON.stringify(value)));
    return part(1, Buffer.concat([part(2, Buffer.from(name)), json]));
  });
  return Buffer.concat([whole(1, 1), part(2, Buffer.concat(items))]);
}

/** Writes entries as LevelDB does: in blocks of 32 KiB, the longer ones in parts. */
export function transactionLog(entries: readonly Buffer[]): Buffer {
  const pieces: Buffer[] = [Buffer.from([0x3a, 0x57, 0x26, 0x42, 0xe1, 0xbe, 0])];
  let at = 7;
  const push = (bytes: Buffer): void => {
    pieces.push(bytes);
    at += bytes.length;
  };
  for (const entry of entries) {
    for (let from = 0; from === 0 || from < entry.length;) {
      const left = 32_768 - (at % 32_768);
      if (left < 7) push(Buffer.alloc(left));
      if (left < 7) continue;
      const data = entry.subarray(from, from + left - 7);
      const isFirst = from === 0;
      from += data.length;
      const isLast = from >= entry.length;
      const head = Buffer.alloc(7);
      head.writeUInt16LE(data.length, 4);
      head[6] = isFirst ? (isLast ? 1 : 2) : isLast ? 4 : 3;
      push(head);
      push(Buffer.from(data));
      if (isLast) break;
    }
  }
  return Buffer.concat(pieces);
}

/** The entry that names a run. */
export const runEntry = (id: string, name: string): Buffer =>
  part(17, Buffer.concat([part(1, Buffer.from(id)), part(8, Buffer.from(name))]));

/** The entry with the exit code of a run. */
export const exitEntry = (code: number): Buffer => part(18, whole(1, code));
