/** Programs of Windows that scripts of this system stand in for, with the real paths below a folder. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { HostSystem } from '../../src/base/hostSystem.ts';

export class FakeWindows {
  readonly #root: string;

  /** @param folder an existing folder, in which the programs and what they were asked are kept */
  constructor(folder: string) {
    this.#root = `${folder}/Windows`;
  }

  /** The system as its programs see it. `more`: further variables. */
  system(more: Readonly<Record<string, string>> = {}): HostSystem & { platform: 'win32' } {
    const env = { SystemRoot: this.#root, Path: '/usr/bin:/bin', OUT: this.#root, ...more };
    return { platform: 'win32', env };
  }

  /** A program below System32, such as `icacls.exe`, that writes down its arguments. */
  program(name: string, script = ''): void {
    const file = `${this.#root}\\System32\\${name}`;
    const out = this.#out(name);
    writeFileSync(file, `#!/bin/sh\nprintf '%s\\0' "$@" "" >> '${out}'\n${script}\n`);
    chmodSync(file, 0o755);
  }

  /** The arguments of each call of the program. */
  calls(name: string): string[][] {
    const out = this.#out(name);
    if (!existsSync(out)) return [];
    const texts = readFileSync(out, 'utf8').split('\0\0').slice(0, -1);
    return texts.map((text) => text.split('\0'));
  }

  readonly #out = (name: string): string => `${this.#root}.${name.replaceAll('\\', '.')}.calls`;
}
