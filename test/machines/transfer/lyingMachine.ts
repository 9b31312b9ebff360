/** Machines that lie about their files, and what is outside the folders of a transfer. */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { LocalMachine } from '../../../src/machines/local/localMachine.ts';
import type { Machine } from '../../../src/machines/machine.ts';

/** Called before each command of a transfer, with the number of commands before it. */
export type Interference = (index: number, command: string) => void;

/**
 * A machine for transfers that runs commands of this computer under another name, with the programs
 * in `bin` before those of the system.
 */
export class OtherMachine {
  readonly kind = 'ssh';
  readonly id: string;
  /** What came to the machine's commands as input. */
  readonly received: Uint8Array[] = [];
  readonly #local: LocalMachine;
  readonly #interfere: Interference;
  #commands = 0;

  constructor(id: string, { bin, interfere }: { bin?: string; interfere?: Interference } = {}) {
    this.id = id;
    this.#interfere = interfere ?? (() => undefined);
    const env = bin === undefined ? {} : { PATH: `${bin}:${process.env['PATH']}` };
    this.#local = new LocalMachine({ runsFolder: '/nowhere/runs', workFolder: '/', env });
  }

  readonly stream: Machine['stream'] = (command, options) => {
    this.#interfere(this.#commands++, command);
    const { stdin } = options;
    return this.#local.stream(command, { ...options, ...(stdin && { stdin: this.#kept(stdin) }) });
  };

  async *#kept(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      this.received.push(piece);
      yield piece;
    }
  }

  get machine(): Machine {
    return this as unknown as Machine;
  }
}

/** This computer, with something that happens before each of its commands. */
export function disturbed(local: LocalMachine, interfere: Interference): Machine {
  let commands = 0;
  return new Proxy(local, {
    get: (target, key) => {
      if (key !== 'stream') return Reflect.get(target, key, target) as unknown;
      const stream: Machine['stream'] = (command, options) => {
        interfere(commands++, command);
        return target.stream(command, options);
      };
      return stream;
    },
  });
}

export interface Lies {
  /** Lines that `stat` adds to each listing. */
  readonly stat?: string;
  /** Shell code that takes the place of a program. */
  readonly programs?: Readonly<Record<string, string>>;
}

/** Writes the programs that lie. `stat` adds to listings only, not to the test of its options. */
export function writeLies(bin: string, { stat = '', programs = {} }: Lies): void {
  fs.mkdirSync(bin, { recursive: true });
  fs.writeFileSync(join(bin, 'lies'), Buffer.from(stat, 'latin1'));
  const all = {
    stat: `/usr/bin/stat "$@"; case $* in *%n//*) cat '${bin}/lies' ;; esac`,
    ...programs,
  };
  for (const [name, code] of Object.entries(all))
    fs.writeFileSync(join(bin, name), `#!/bin/sh\n${code}\n`, { mode: 0o755 });
}
