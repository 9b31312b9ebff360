/**
 * The supervisor with the shells and programs of other systems, each put in place in a mount
 * namespace.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { shellQuote } from '../../src/base/text.ts';
import { LocalMachine } from '../../src/machines/local/localMachine.ts';
import type { Machine } from '../../src/machines/machine.ts';
import { freeSlots } from '../../src/runs/leases.ts';
import type { Run } from '../../src/runs/liveRun.ts';
import type { Verdict } from '../../src/runs/run.ts';
import { until } from '../fakes/scratch.ts';
import { ended, isAlive, useRuns, type Controller } from '../unit/runs/harness.ts';

interface System {
  readonly name: string;
  /**
   * Fills `bin`, an empty folder that comes first in PATH, and gives the commands that put the
   * system in place.
   */
  enter(bin: string): string;
  readonly hasBash: boolean;
  /** What starts a program in a session of its own; empty: nothing there does. */
  readonly apart: string;
  readonly isWithoutProc?: boolean;
}

const gnu = { hasBash: true, apart: 'setsid' };
const perl = `perl -e 'use POSIX; POSIX::setsid(); exec @ARGV'`;
const systems: readonly System[] = [
  { name: 'dash', ...gnu, enter: () => ':' },
  { name: 'bash as sh', ...gnu, enter: () => 'mount -o bind /usr/bin/bash /usr/bin/dash' },
  { name: 'a sleep that takes whole seconds', ...gnu, enter: wholeSeconds },
  { name: 'busybox, as in Alpine', hasBash: false, apart: 'setsid', enter: (bin) => busybox(bin) },
  {
    name: 'busybox with less',
    hasBash: false,
    apart: '',
    enter: (bin) => busybox(bin, ['setsid', 'nproc', 'awk']),
  },
  {
    name: 'no /proc and no setsid, as in macOS',
    hasBash: true,
    apart: perl,
    isWithoutProc: true,
    enter: mac,
  },
];

/** Everything in /usr/bin and /usr/sbin is busybox then: no bash, no GNU. */
function busybox(bin: string, without: readonly string[] = []): string {
  copyFileSync('/usr/bin/busybox', join(bin, 'busybox'));
  chmodSync(join(bin, 'busybox'), 0o755);
  for (const name of execFileSync('/usr/bin/busybox', ['--list'], { encoding: 'utf8' }).split('\n'))
    if (name !== '' && name !== 'busybox' && !without.includes(name))
      symlinkSync('busybox', join(bin, name));
  return `mount -o bind ${bin} /usr/sbin && mount -o bind ${bin} /usr/bin`;
}

function wholeSeconds(bin: string): string {
  program(
    bin,
    'sleep',
    'case $1 in *.*) echo "invalid number" >&2; exit 1 ;; esac\nexec /usr/bin/sleep "$@"',
  );
  return ':';
}

function mac(bin: string): string {
  const missing = ['setsid', 'nproc', 'nvidia-smi', 'date', 'sysctl'];
  for (const name of readdirSync('/usr/bin'))
    if (!missing.includes(name)) symlinkSync(`/usr/bin/${name}`, join(bin, name));
  program(
    bin,
    'date',
    'case $1 in +%s%3N) echo "$(/usr/bin/date +%s)3N" ;; *) exec /usr/bin/date "$@" ;; esac',
  );
  program(bin, 'sysctl', "echo '{ sec = 1790000000, usec = 123 } Fri Nov 20 10:00:00 2026'");
  return `mount -o bind /usr/bin/bash /usr/bin/dash && PATH=${bin}`;
}

function program(bin: string, name: string, text: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(bin, name), 0o755);
}

describe('the supervisor with the programs of other systems', function () {
  this.timeout(60_000);
  const { folder, controller, spec } = useRuns();

  function on(system: System): Controller {
    const bin = join(folder(), 'bin');
    const enter = join(folder(), 'enter');
    mkdirSync(bin);
    writeFileSync(enter, `${system.enter(bin)} && exec "$@"\n`);
    const entered = ['unshare', '-m', '/bin/sh', enter];
    const path = `${bin}:${process.env['PATH']}`;
    return controller(undefined, () => {
      const options = { runsFolder: join(folder(), 'runs'), workFolder: folder() };
      const machine = new LocalMachine({ ...options, env: { ...process.env, PATH: path } });
      const exec = machine.exec.bind(machine);
      const spawn = machine.spawnDetached.bind(machine);
      const write = machine.writeFile.bind(machine);
      const noProc = (bytes: Uint8Array): Uint8Array =>
        Buffer.from(Buffer.from(bytes).toString().replaceAll('/proc/', '/no/proc/'));
      return Object.assign(machine, {
        exec: ((command, more) =>
          exec(
            [...entered, '/bin/sh', '-c', command].map(shellQuote).join(' '),
            more,
          )) satisfies Machine['exec'],
        query: async (script: string) =>
          (await exec([...entered, '/bin/sh', '-c', script].map(shellQuote).join(' '))).stdout,
        spawnDetached: ((argv, more) =>
          spawn([...entered, ...argv], more)) satisfies Machine['spawnDetached'],
        writeFile: ((at, bytes) =>
          write(at, system.isWithoutProc ? noProc(bytes) : bytes)) satisfies Machine['writeFile'],
      });
    });
  }

  async function pids({ runs }: Controller, run: Run, count: number): Promise<number[]> {
    const all = async (): Promise<number[]> =>
      (await runs.output(run, { lines: 20 })).text.split('\n').filter(Boolean).map(Number);
    await until(`${count} pids`, async () => (await all()).length === count);
    return all();
  }

  for (const system of systems)
    describe(system.name, () => {
      it('tells every end by its name, with all that was printed', async () => {
        const one = on(system);
        const cases: readonly (readonly [string, Verdict])[] = [
          ['exit 0', { kind: 'ok' }],
          ['exit 3', { kind: 'failed', code: 3 }],
          ['exec sh -c "exit 4"', { kind: 'failed', code: 4 }],
          ['set -e; false; exit 9', { kind: 'failed', code: 1 }],
          ['kill -KILL $$', { kind: 'signalled', signal: 'KILL' }],
          ['(sleep 1; exit 6) &', { kind: 'failed', code: 6 }],
        ];
        const runs = await Promise.all(
          cases.map(([command]) => one.runs.launch(spec(`echo loss=1; ${command}`))),
        );
        const verdicts = await Promise.all(runs.map(ended));
        assert.deepEqual(
          verdicts,
          cases.map(([, verdict]) => verdict),
        );
        for (const run of runs) assert.equal(run.metrics.summary('loss')?.count, 1);
        const shell = await one.runs.launch(spec('echo "${BASH_VERSION:-none}"'));
        await ended(shell);
        assert.equal((await one.runs.output(shell, { lines: 1 })).text !== 'none', system.hasBash);
      });

      it('ends a family by a kill and by the limit, and nobody else', async () => {
        const one = on(system);
        const bystander = await one.runs.launch(spec('sleep 60'));
        const child = `${system.apart} sh -c 'echo $$; sleep 60; sleep 60'`;
        const family = `trap '' TERM; echo $$; sleep 60 & echo $!; ${child} & sleep 60; sleep 60`;
        const killed = await one.runs.launch(spec(family));
        const its = await pids(one, killed, 3);
        const report = await one.runs.kill(killed, { graceMs: 300 });
        assert.deepEqual([report.isVerified, report.isEscalated, report.left], [true, true, []]);
        assert.deepEqual(its.filter(isAlive), []);
        assert.deepEqual(await ended(killed), { kind: 'killed' });
        const limited = await one.runs.launch(
          spec(family, { limit: { ms: 1000, from: 'launch', graceMs: 300 } }),
        );
        const others = await pids(one, limited, 3);
        assert.deepEqual(await ended(limited), { kind: 'time_limit' });
        assert.deepEqual(others.filter(isAlive), []);
        assert.ok(isAlive(bystander.process?.pid ?? 0));
        assert.equal(bystander.liveness.kind, 'running');
      });

      it('gives GPUs, and takes them over from a supervisor that was killed', async () => {
        const one = on(system);
        const smi = "printf '0, GPU-aa\\n1, GPU-bb\\n'";
        program(join(folder(), 'bin'), 'nvidia-smi', smi);
        const resources = { gpus: 1 };
        const [first, second] = await Promise.all(
          [1, 2].map((number) =>
            one.runs.launch(spec('echo $CUDA_VISIBLE_DEVICES; sleep 60; :', { number, resources })),
          ),
        );
        assert.ok(first && second);
        assert.deepEqual(
          [...(await pids(one, first, 1)), ...(await pids(one, second, 1))].sort(),
          [0, 1],
        );
        assert.deepEqual(
          (await freeSlots(one.machine)).gpus.map(({ heldBy }) => heldBy?.number).sort(),
          [1, 2],
        );
        await assert.rejects(one.runs.launch(spec('true', { resources })), { isBusy: true });
        const supervisorProcess = join(folder(), 'runs', first.spec.id, 'capsule');
        process.kill(
          Number(/^pid=(\d+)$/m.exec(readFileSync(supervisorProcess, 'utf8'))?.[1]),
          'SIGKILL',
        );
        await assert.rejects(one.runs.launch(spec('true', { resources })), { isBusy: true });
        await one.runs.kill(first, { signal: 'KILL', graceMs: 0 });
        assert.deepEqual(await ended(await one.runs.launch(spec('true', { resources }))), {
          kind: 'ok',
        });
      });
    });
});
