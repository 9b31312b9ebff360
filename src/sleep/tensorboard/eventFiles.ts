/**
 * Reads new values from the TensorBoard event files in a folder. Finds new files, reads each byte
 * once, and returns values in the order in which they were written.
 */
import type { FileState } from '../../machines/probes/probe.ts';
import type { SleepMachine } from '../sleepPorts.ts';
import { readRecords } from './records.ts';
import { readScalars, type Scalar } from './scalars.ts';

/** Bytes per read of one file. A longer record is read alone. */
const blockBytes = 4 * 2 ** 20;
/** Number of bytes after which a call reads no further block: later calls read the rest. */
const callBytes = 64 * 2 ** 20;

export interface EventsRead {
  /** New values, oldest first. */
  readonly values: readonly Scalar[];
  /** A sentence for each file that is unreadable from some byte on. */
  readonly damage: readonly string[];
}

interface Progress {
  readonly inode: string;
  offset: number;
  damage?: string;
}

interface Call {
  readonly machine: Pick<SleepMachine, 'readFile'>;
  readonly tag: string;
  readonly found: Scalar[];
  leftBytes: number;
}

export class EventFiles {
  readonly #progress = new Map<string, Progress>();

  /**
   * Returns the values of a tag that were added since the last call. Rejects with `MachineFailure`.
   */
  async newValues(
    machine: Pick<SleepMachine, 'readFile'>,
    files: readonly FileState[],
    tag: string,
  ): Promise<EventsRead> {
    const call: Call = { machine, tag, found: [], leftBytes: callBytes };
    for (const file of files) await this.#read(call, file);
    return {
      values: call.found.sort((a, b) => a.wallTime - b.wallTime || a.step - b.step),
      damage: files.flatMap((file) => this.#of(file).damage ?? []),
    };
  }

  async #read(call: Call, file: FileState): Promise<void> {
    const progress = this.#of(file);
    let maxBytes = blockBytes;
    while (progress.offset < file.sizeBytes && progress.damage === undefined) {
      if (call.leftBytes <= 0) return;
      const bytes = await call.machine.readFile(file.path, { offset: progress.offset, maxBytes });
      const { records, usedBytes, neededBytes = 0, damage } = readRecords(bytes);
      call.leftBytes -= bytes.length;
      for (const record of records)
        call.found.push(...scalarsOf(record).filter((scalar) => scalar.tag === call.tag));
      progress.offset += usedBytes;
      if (damage !== undefined)
        progress.damage = `${file.path} is unreadable from byte ${progress.offset} on: ${damage}`;
      const isWhole = progress.offset + neededBytes <= file.sizeBytes;
      // The next record is still being written.
      if (!isWhole || (usedBytes === 0 && neededBytes <= maxBytes)) return;
      maxBytes = Math.max(blockBytes, neededBytes);
    }
  }

  #of({ path, inode, sizeBytes }: FileState): Progress {
    const known = this.#progress.get(path);
    if (known && known.inode === inode && known.offset <= sizeBytes) return known;
    const fresh: Progress = { inode, offset: 0 };
    this.#progress.set(path, fresh);
    return fresh;
  }
}

function scalarsOf(record: Uint8Array): Scalar[] {
  try {
    return readScalars(record);
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}
