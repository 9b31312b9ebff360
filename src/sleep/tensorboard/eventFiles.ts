/**
 * Reads new values from the TensorBoard event files in a folder. Finds new files, reads each byte
 * once, and returns values in the order in which they were written.
 */
import type { FileState } from '../../machines/probes/probe.ts';
import type { SleepMachine } from '../sleepPorts.ts';
import { readRecords } from './records.ts';
import { readScalars, type Scalar } from './scalars.ts';

/** Bytes per read of one file. */
const blockBytes = 4 * 2 ** 20;

interface Progress {
  readonly inode: string;
  offset: number;
  isDamaged: boolean;
}

export class EventFiles {
  readonly #progress = new Map<string, Progress>();

  /**
   * Returns the values of a tag that were added since the last call, oldest first. Rejects with
   * `MachineFailure`.
   */
  async newValues(
    machine: Pick<SleepMachine, 'readFile'>,
    files: readonly FileState[],
    tag: string,
  ): Promise<Scalar[]> {
    const found: Scalar[] = [];
    for (const file of files) found.push(...(await this.#read(machine, file, tag)));
    return found.sort((a, b) => a.wallTime - b.wallTime || a.step - b.step);
  }

  async #read(
    machine: Pick<SleepMachine, 'readFile'>,
    file: FileState,
    tag: string,
  ): Promise<Scalar[]> {
    const progress = this.#of(file);
    const found: Scalar[] = [];
    let block = blockBytes;
    while (progress.offset < file.sizeBytes && !progress.isDamaged) {
      const bytes = await machine.readFile(file.path, { offset: progress.offset, maxBytes: block });
      const { records, usedBytes, isDamaged } = readRecords(bytes);
      for (const record of records)
        found.push(...scalarsOf(record).filter((scalar) => scalar.tag === tag));
      progress.offset += usedBytes;
      progress.isDamaged = isDamaged;
      if (usedBytes > 0) continue;
      // The block has no whole record. If the file has more bytes, the record is longer than the
      // block (an image): read a larger block. Otherwise, the record is still being written.
      if (bytes.length < block) break;
      block *= 2;
    }
    return found;
  }

  #of({ path, inode, sizeBytes }: FileState): Progress {
    const known = this.#progress.get(path);
    if (known && known.inode === inode && known.offset <= sizeBytes) return known;
    const fresh = { inode, offset: 0, isDamaged: false };
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
