import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { systemClock } from '../../../../src/base/clock.ts';
import { shellQuote } from '../../../../src/base/text.ts';
import { LocalMachine } from '../../../../src/machines/local/localMachine.ts';
import { MachineProbes } from '../../../../src/machines/probes/machineProbes.ts';
import type { Probe, ProbedMachine } from '../../../../src/machines/probes/probe.ts';
import { SshConnection } from '../../../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../../../src/machines/ssh/sshMachine.ts';
import { scratchFolder, until } from '../../../fakes/scratch.ts';
import { scriptedPrompts, TestSshd } from '../../../fakes/sshd.ts';
import { isAlive } from '../alive.ts';
import { procFolder } from '../../../setup/proc.ts';
import { isThere } from '../../../setup/needs.ts';

/** Counts what a machine is asked for. */
function counted(machine: ProbedMachine) {
  const asked = { queries: 0, execs: 0 };
  const counting: ProbedMachine = {
    id: machine.id,
    workFolder: machine.workFolder,
    query: (script, options) => {
      asked.queries += 1;
      return machine.query(script, options);
    },
    exec: (command, options) => {
      asked.execs += 1;
      return machine.exec(command, options);
    },
  };
  return { machine: counting, asked };
}

/** Other files of tests have shells and queries of their own beside this one. */
function isOfThisProcess(pid: number): boolean {
  try {
    const parent = Number(
      readFileSync(`${procFolder}/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[1],
    );
    return parent === process.pid || (parent > 1 && isOfThisProcess(parent));
  } catch {
    // It has ended: no shell that is kept.
    return false;
  }
}

function looksAt(name: string, machineOf: () => ProbedMachine): void {
  describe(`looks at ${name}`, () => {
    const folder = scratchFolder();
    const path = (file: string): string => join(folder(), file);
    let probes: MachineProbes;
    let children: ChildProcess[];
    beforeEach(() => {
      probes = new MachineProbes(systemClock);
      children = [];
    });
    afterEach(() => {
      probes.dispose();
      for (const child of children) child.kill('SIGKILL');
    });
    const start = (script: string): ChildProcess => {
      const child = spawn('/bin/sh', ['-c', script], { stdio: 'ignore', detached: true });
      children.push(child);
      return child;
    };

    it('tells files, processes, commands and event files, all in one query', async () => {
      const { machine, asked } = counted(machineOf());
      // Stopped, not asleep: the child of a shell has its command line until it has become sleep.
      const child = start(`: odd_${process.pid}_pattern; kill -STOP $$; :`);
      writeFileSync(path("it's ä"), 'abc');
      mkdirSync(path('logs/a b'), { recursive: true });
      writeFileSync(path('logs/a b/events.out.tfevents.1.host'), 'xy');
      writeFileSync(path('logs/other'), 'z');
      const [file, none, dir, own, dead, found, lost, failed, events, nowhere] = await Promise.all([
        probes.once(machine, { kind: 'file', path: path("it's ä") }),
        probes.once(machine, { kind: 'file', path: path('none') }),
        probes.once(machine, { kind: 'file', path: path('logs') }),
        probes.once(machine, { kind: 'process', pid: child.pid ?? 0 }),
        probes.once(machine, { kind: 'process', pid: 4_194_000 }),
        probes.once(machine, {
          kind: 'pattern',
          pattern: `^/bin/sh .*odd_${process.pid}_pattern;`,
        }),
        probes.once(machine, { kind: 'pattern', pattern: `odd_${process.pid}_(other|no.such)` }),
        probes.once(machine, {
          kind: 'command',
          command: `pwd; printf 'ä\\n0.5\\n'; echo "it's bad" >&2; exit 3`,
        }),
        probes.once(machine, { kind: 'eventFiles', folder: path('logs') }),
        probes.once(machine, { kind: 'eventFiles', folder: path('nowhere') }),
      ]);
      assert.equal(file?.sizeBytes, 3);
      assert.ok(Math.abs((file?.modifiedMs ?? 0) - Date.now()) < 60_000);
      assert.equal(none, undefined);
      assert.ok(dir !== undefined);
      assert.equal(own?.pid, child.pid);
      // As /proc counts it, or as ps writes it.
      assert.match(
        own?.startTime ?? '',
        isThere('linux') ? /^\d+$/ : /^\w{3} \w{3} +\d+ [\d:]{8} \d{4}$/,
      );
      assert.equal(dead, undefined);
      assert.deepEqual(
        found.map(({ pid, startTime }) => ({ pid, startTime })),
        [own],
      );
      assert.deepEqual(lost, []);
      assert.deepEqual(failed, {
        code: 3,
        stdout: `${machine.workFolder}\nä\n0.5\n`,
        stderr: "it's bad\n",
      });
      assert.deepEqual(
        events?.map((event) => [event.path, event.sizeBytes]),
        [[path('logs/a b/events.out.tfevents.1.host'), 2]],
      );
      assert.equal(nowhere, undefined);
      assert.deepEqual(asked, { queries: 1, execs: 0 });
    });

    it('never finds ourselves: the query, the shell that it is asked by, nor whoever asks', async () => {
      const other = start(`: grep -nE odd_${process.pid}; sleep 60; :`);
      const found = await probes.once(machineOf(), {
        kind: 'pattern',
        pattern: `odd_${process.pid}|node .*mocha|IFS= read|sed -n|grep -nE|sshd: .*notty`,
      });
      const pids = found.map(({ pid }) => pid);
      assert.ok(pids.includes(other.pid ?? 0));
      // Until it has become sleep, the child of the other process has its command line.
      const ours = found.filter(
        ({ pid, command }) =>
          pid !== other.pid &&
          !command.endsWith('; sleep 60; :') &&
          (command.includes(`odd_${process.pid}`) ||
            (/IFS= read|(sed|grep) -n/.test(command) && isOfThisProcess(pid))),
      );
      assert.deepEqual(ours, []);
      if (name === 'this computer') assert.ok(!pids.includes(process.pid));
    });

    it('never finds Helios nor what started it, though the goal is on their command lines', async () => {
      const mark = `odd_goal_${process.pid}`;
      writeFileSync(path('cli.cjs'), 'setTimeout(() => {}, 60_000)');
      const run = start(`: ${mark}; sleep 60; :`);
      const helios = start(`${process.execPath} --no-warnings ${path('cli.cjs')} ${mark}; :`);
      const find = (pattern: string) => probes.once(machineOf(), { kind: 'pattern', pattern });
      let found = await find(mark);
      while (found.length > 1) found = await find(mark);
      assert.deepEqual(
        found.map(({ pid }) => pid),
        [run.pid],
      );
      assert.equal(helios.exitCode, null);
    });

    it('refuses a pattern that is none, by itself', async () => {
      const machine = machineOf();
      const good = probes.once(machine, { kind: 'pattern', pattern: '.' });
      await assert.rejects(
        probes.once(machine, { kind: 'pattern', pattern: 'a(' }),
        /not an extended regular expression/,
      );
      assert.ok((await good).length > 0);
    });

    it('lets neither a hanging command nor a noisy one hold up or falsify another look', async () => {
      const { machine, asked } = counted(machineOf());
      const told: Record<string, unknown[]> = {};
      const watch = (key: string, probe: Probe): void => {
        const list = (told[key] = [] as unknown[]);
        probes.watch(machine, probe as never, {
          answer: (answer) => list.push(answer),
          failed: (why) => list.push(why),
        });
      };
      watch('hangs', {
        kind: 'command',
        command: `echo $$ >>${shellQuote(path('pids'))}; sleep 70; echo 1`,
      });
      watch('noisy', { kind: 'command', command: 'seq 1 30000; printf "\\001x\\n@0"; echo 7' });
      watch('closes', { kind: 'command', command: 'exec 1>&-; kill -KILL $$' });
      watch('file', { kind: 'file', path: path('f') });
      await until('the file was looked at', () => told.file?.length === 1);
      assert.deepEqual(told.file, [undefined]);
      writeFileSync(path('f'), 'x');
      await until(
        'the file was seen',
        () => told.file?.some((answer) => answer !== undefined) ?? false,
      );
      // On a busy computer, a look may come too late, and is then repeated.
      const isTold = (key: string, answer: RegExp): boolean =>
        told[key]?.some((one) => answer.test(JSON.stringify(one))) ?? false;
      await until('the noisy one was heard', () =>
        isTold('noisy', /"code":0,.*29999\\n30000\\n.*7\\n/),
      );
      await until('the closed one was heard', () => isTold('closes', /"code":137/));
      await until('the hanging one was given up', () => told.hangs !== undefined);
      assert.deepEqual([...new Set(told.hangs)], ['no answer within 5 s']);
      const [first = ''] = readFileSync(path('pids'), 'utf8').split('\n');
      await until('the command was ended', () => !isAlive(Number(first)));
      await until('it is run by itself', () => asked.execs > 0);
    });

    it('sees processes end', async () => {
      const child = start('sleep 60');
      const answers: boolean[] = [];
      probes.watch(
        machineOf(),
        { kind: 'process', pid: child.pid ?? 0 },
        { answer: (found) => answers.push(found !== undefined), failed: () => undefined },
      );
      await until('it is seen', () => answers.length === 1);
      child.kill('SIGKILL');
      await once(child, 'exit');
      await until('its end is seen', () => answers.at(-1) === false);
    });
  });
}

looksAt('this computer', () => new LocalMachine({ runsFolder: '/nowhere', workFolder: '/usr' }));

describe('over SSH', () => {
  let sshd: TestSshd;
  let machine: SshMachine;
  before(async () => {
    sshd = await TestSshd.start();
    const connection = new SshConnection(sshd.target(), scriptedPrompts());
    machine = new SshMachine({ id: 'gpu1', connection, homeFolder: '/', workFolder: '/usr' });
  });
  after(async () => {
    machine.dispose();
    machine.connection.dispose();
    await sshd.dispose();
  });
  looksAt('a host', () => machine);
});
