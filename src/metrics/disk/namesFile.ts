import { closeSync, fsyncSync } from 'node:fs';
import { openToAppend, readIfThere, writeAll, type WriteAt } from './appendOnly.ts';
import { isUsableName } from '../lines/labels.ts';

/**
 * The append-only file with the names of a run's metrics, one per line. The 0-based line number is
 * the index of the name.
 */
export class NamesFile {
  readonly #path: string;
  readonly #keptPath: string;
  readonly #write: WriteAt;
  readonly #names: string[] = [];
  readonly #indices = new Map<string, number>();
  #written = 0;
  #size = 0;

  private constructor(path: string, keptPath: string, write: WriteAt) {
    this.#path = path;
    this.#keptPath = keptPath;
    this.#write = write;
  }

  /** Reads the file without changing it. Reports problems as texts for the user. */
  static async open(
    path: string,
    write: WriteAt,
    report: { readonly problems: string[]; readonly keptPath: string },
  ): Promise<NamesFile> {
    const file = new NamesFile(path, report.keptPath, write);
    const bytes = await readIfThere(path);
    file.#size = bytes.lastIndexOf(0x0a) + 1;
    if (file.#size < bytes.length)
      report.problems.push('points.names: the last name is incomplete and ignored.');
    for (const line of bytes.subarray(0, file.#size).toString('utf8').split('\n').slice(0, -1)) {
      const index = file.#names.length;
      const isGood = isUsableName(line) && !line.includes('\ufffd') && !file.#indices.has(line);
      if (!isGood)
        report.problems.push(
          `points.names: line ${index + 1} cannot be read; its points are shown as metric_${index}.`,
        );
      file.#add(isGood ? line : `metric_${index}`);
    }
    file.#written = file.#names.length;
    return file;
  }

  get count(): number {
    return this.#names.length;
  }

  /** Returns the name at an index. Generates a name if the file has no name at this index. */
  nameAt(index: number): string {
    while (index >= this.#names.length) this.#add(`metric_${this.#names.length}`);
    return this.#names[index] ?? '';
  }

  /** Returns the index of a name; a new name gets the next index. */
  indexOf(name: string): number {
    return this.#indices.get(name) ?? this.#add(name);
  }

  /** Writes new names to disk. Call this before writing the first record that refers to them. */
  save(): void {
    if (this.#written === this.#names.length) return;
    const text = this.#names.slice(this.#written).map((name) => `${name}\n`);
    const fd = openToAppend(this.#path, this.#size, this.#keptPath);
    try {
      this.#size = writeAll(this.#write, fd, Buffer.from(text.join('')), this.#size);
      fsyncSync(fd);
      this.#written = this.#names.length;
    } finally {
      closeSync(fd);
    }
  }

  #add(name: string): number {
    this.#indices.set(name, this.#names.length);
    return this.#names.push(name) - 1;
  }
}
