/** Machines of this computer on which commands are confined, as root and as another user. */
import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Clock } from '../../src/base/clock.ts';
import type { SessionId } from '../../src/base/ids.ts';
import { shellQuote } from '../../src/base/text.ts';
import type { Confinement } from '../../src/machines/confinement/policy.ts';
import { LocalMachine } from '../../src/machines/local/localMachine.ts';

export const nobody = 65_534;
export const isRoot = process.getuid?.() === 0;

export interface ConfinedBed {
  /** Home folder of who runs the commands. Outside of /tmp, which confined commands do not see. */
  readonly home: string;
  readonly work: string;
  readonly runsFolder: string;
  readonly confinement: Confinement;
  /** What a command line begins with to be one of the user. */
  readonly step: readonly string[];
  machine(clock?: Clock): LocalMachine;
  dispose(): void;
}

/** `user` is the id of who runs the commands; only root can name another one. */
export function confinedBed(user = process.getuid?.() ?? 0): ConfinedBed {
  const base = realpathSync(mkdtempSync(join(user === nobody ? '/opt' : homedir(), '.confined-')));
  const sessionId = `s-${base.slice(-6)}` as SessionId;
  const home = join(base, 'home');
  const work = join(home, 'work');
  const runsFolder = join(home, '.helios', 'runs');
  for (const folder of [home, work, join(home, '.helios'), runsFolder])
    mkdirSync(folder, { mode: 0o755 });
  if (user === nobody)
    for (const folder of [base, home, work, join(home, '.helios'), runsFolder])
      chownSync(folder, nobody, nobody);
  const env = { ...process.env, HOME: home };
  return {
    home,
    work,
    runsFolder,
    step: user === nobody ? step : [],
    confinement: { network: 'all', writable: [work], sessionId },
    machine(clock) {
      const options = { runsFolder, workFolder: work, env, ...(clock && { clock }) };
      const machine = new LocalMachine(options);
      return user === nobody ? stepDown(machine) : machine;
    },
    dispose() {
      for (const folder of [base, `/tmp/helios-${user}/${sessionId}`])
        rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const step = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--'];

/** Commands and runs are those of `nobody`, and so are the files that the machine writes. */
function stepDown(machine: LocalMachine): LocalMachine {
  const { exec, spawnDetached, writeFile } = machine;
  return Object.assign(machine, {
    exec: ((command, options) =>
      exec.call(
        machine,
        `exec ${step.join(' ')} /bin/bash -c ${shellQuote(command)}`,
        options,
      )) satisfies LocalMachine['exec'],
    spawnDetached: ((argv, options) =>
      spawnDetached.call(
        machine,
        [...step, ...argv],
        options,
      )) satisfies LocalMachine['spawnDetached'],
    writeFile: (async (path, content, options) => {
      await writeFile.call(machine, path, content, options);
      for (const made of [path, dirname(path)]) chownSync(made, nobody, nobody);
    }) satisfies LocalMachine['writeFile'],
  });
}
