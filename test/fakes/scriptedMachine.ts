import { systemClock } from '../../src/base/clock.ts';
import type { Disposable } from '../../src/base/disposable.ts';
import { LocalMachine } from '../../src/machines/local/localMachine.ts';
import type { Machine } from '../../src/machines/machine.ts';
import type { MachineEntry } from '../../src/machines/machineEntry.ts';

export interface StandIn extends Machine, Disposable {
  readonly entry: MachineEntry;
  readonly isDisposed: boolean;
}

/** A folder of this computer that answers as the machine of `entry`, or as `describe` says. */
export function standIn(
  entry: MachineEntry,
  folder: string,
  describe?: () => Promise<string>,
): StandIn {
  const local = new LocalMachine({
    runsFolder: `${folder}/runs`,
    workFolder: folder,
    clock: systemClock,
  });
  let isDisposed = false;
  return {
    id: entry.id,
    kind: entry.kind,
    entry,
    path: local.path,
    share: entry.kind === 'slurm' ? undefined : { slots: entry.slots },
    runsFolder: local.runsFolder,
    workFolder: local.workFolder,
    homeFolder: folder,
    describe: describe ?? (() => Promise.resolve(`${entry.host ?? entry.alias} · 8 CPUs`)),
    exec: (command, options) => local.exec(command, options),
    query: (script) => local.query(script),
    stream: (command, options) => local.stream(command, options),
    spawnDetached: (argv, options) => local.spawnDetached(argv, options),
    readFile: (path, range) => local.readFile(path, range),
    writeFile: (path, content, options) => local.writeFile(path, content, options),
    appendFile: (path, content) => local.appendFile(path, content),
    stat: (path) => local.stat(path),
    follow: (path, offset, sink) => local.follow(path, offset, sink),
    get isDisposed() {
      return isDisposed;
    },
    dispose() {
      isDisposed = true;
    },
  };
}
