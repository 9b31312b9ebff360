import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { systemClock } from '../../../src/base/clock.ts';
import { DisposableStore } from '../../../src/base/disposable.ts';
import { Emitter } from '../../../src/base/emitter.ts';
import { LocalMachine } from '../../../src/machines/local/localMachine.ts';
import { MachineProbes } from '../../../src/machines/probes/machineProbes.ts';
import type { Machine } from '../../../src/machines/machine.ts';
import { createMachines } from '../../../src/machines/list/machineList.ts';
import { MachineResources } from '../../../src/machines/resources/machineResources.ts';
import { SshConnection } from '../../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../../src/machines/ssh/sshMachine.ts';
import { parseSleep } from '../../../src/sleep/parseTriggers.ts';
import { Sleeper, type Wake } from '../../../src/sleep/sleeper.ts';
import type { SleepRequest } from '../../../src/sleep/trigger.ts';
import { scratchFolder, until } from '../../fakes/scratch.ts';
import { scriptedPrompts, TestSshd } from '../../fakes/sshd.ts';
import { FakeDeps } from './fakePorts.ts';
import { procFolder } from '../../setup/proc.ts';

/** Between two looks at a machine, at the least. */
const tickMs = 2000;

/** A process of this computer that was started with these words. */
function isRunning(command: string): boolean {
  const argv = command.replaceAll(' ', '\0');
  return readdirSync(procFolder).some((pid) => {
    try {
      return (
        /^\d+$/.test(pid) && readFileSync(`${procFolder}/${pid}/cmdline`, 'utf8').includes(argv)
      );
    } catch {
      return false;
    }
  });
}

/**
 * Every condition that looks at a machine, with real processes and files. `sessions`: opened on the
 * host so far.
 */
function sleepsOn(name: string, machineOf: () => Machine, sessions?: () => number): void {
  describe(`a sleep that looks at ${name}`, () => {
    const folder = scratchFolder();
    const path = (file: string): string => join(folder(), file);
    let owned: DisposableStore;
    let deps: FakeDeps;
    let sleeper: Sleeper;
    let children: ChildProcess[];
    const silences: (() => void)[] = [];

    beforeEach(() => {
      owned = new DisposableStore();
      children = [];
      const machines = createMachines([machineOf()]);
      const probes = owned.add(new MachineProbes(systemClock));
      const onDidChangeRuns = new Emitter<void>().event;
      const resources = owned.add(
        new MachineResources({ machines, going: () => [], onDidChangeRuns, clock: systemClock }),
      );
      deps = Object.assign(new FakeDeps(systemClock), {
        probes,
        resources,
        machine: (id: string) => machines.get(id),
      });
      sleeper = owned.add(new Sleeper(deps, systemClock));
    });
    afterEach(() => {
      owned.dispose();
      for (const child of children) child.kill('SIGKILL');
      for (const silence of silences.splice(0).reverse()) silence();
    });

    const start = (script: string): ChildProcess => {
      const child = spawn('/bin/sh', ['-c', script], { stdio: 'ignore', detached: true });
      children.push(child);
      return child;
    };
    const request = async (...conditions: Record<string, unknown>[]): Promise<SleepRequest> => {
      const { request } = await parseSleep(
        {
          reason: 'r',
          logic: 'any',
          conditions: conditions.map((each) => ({ machine_id: machineOf().id, ...each })),
        },
        {
          clock: systemClock,
          machines: { get: (id) => deps.machine(id) },
          probes: deps.probes,
          resources: deps.resources,
          runs: {
            find: () => undefined,
            findSweep: () => undefined,
            going: () => [],
            isIdle: () => true,
            isOwn: () => false,
          },
          endMs: () => undefined,
        },
      );
      // As the journal keeps it.
      return JSON.parse(JSON.stringify(request)) as SleepRequest;
    };
    /** What the machine is asked from now on, by kind. */
    const listen = (): string[] => {
      const asked: string[] = [];
      const machine = machineOf();
      const query = machine.query.bind(machine);
      const exec = machine.exec.bind(machine);
      machine.query = (script, options) => {
        asked.push('query');
        return query(script, options);
      };
      machine.exec = (command, options) => {
        asked.push('exec');
        return exec(command, options);
      };
      silences.push(() => Object.assign(machine, { query, exec }));
      return asked;
    };
    const arm = (asked: SleepRequest): { wakes: Wake[] } => {
      const wakes: Wake[] = [];
      owned.add(sleeper.arm(asked, (wake) => wakes.push(wake)));
      return { wakes };
    };
    const metric = (source: Record<string, unknown>, field?: string) => ({
      type: 'metric',
      source,
      ...(field !== undefined && { field }),
      comparator: '<',
      threshold: 1,
    });

    it('wakes by each of its conditions, none of which another one blocks', async () => {
      const one = start('sleep 60');
      const many = start(`: odd_${process.pid}_pattern; sleep 60; :`);
      writeFileSync(path('log'), 'abc');
      writeFileSync(path('m.json'), '{"loss": 5}');
      writeFileSync(path('m.csv'), 'loss\n5\n');
      mkdirSync(path('tb'));
      const conditions = {
        pid: { type: 'process_exit', pid: one.pid },
        pattern: { type: 'process_exit', process_pattern: `odd_${process.pid}_pattern` },
        exists: { type: 'file', path: path('done') },
        modified: { type: 'file', path: path('log'), mode: 'modified' },
        created: { type: 'file', path: path('new'), mode: 'modified' },
        stable: { type: 'file', path: path('log'), mode: 'size_stable', window_seconds: 3 },
        json: metric({ type: 'json_file', path: path('m.json') }, 'loss'),
        csv: metric({ type: 'csv_file', path: path('m.csv') }, 'loss'),
        command: metric({ type: 'command', command: `cat ${path('value')}` }),
        memory: {
          type: 'resource',
          resource: 'memory',
          comparator: '>',
          threshold: 0,
          sustained_checks: 2,
        },
      };
      const slow = `sleep 60.${process.pid}`;
      const bad = [
        metric({ type: 'command', command: slow }),
        metric({ type: 'json_file', path: path('no.json') }, 'loss'),
        metric({ type: 'tensorboard', logdir: path('tb') }, 'loss'),
      ];
      const sleeps = new Map<string, { wakes: Wake[] }>();
      for (const [key, condition] of Object.entries(conditions))
        sleeps.set(key, arm(await request(...bad, condition)));
      const woke = (): string[] =>
        [...sleeps].filter(([, { wakes }]) => wakes.length > 0).map(([key]) => key);
      await until('what holds by itself wakes', () => woke().length >= 2);
      const asked = listen();
      await until('all is looked at again', () => asked.length >= 2);
      assert.deepEqual(woke(), ['stable', 'memory'], 'nothing else has happened');
      one.kill('SIGKILL');
      many.kill('SIGKILL');
      writeFileSync(path('done'), '');
      writeFileSync(path('new'), '');
      appendFileSync(path('log'), 'd');
      writeFileSync(path('m.json.tmp'), '{"loss": 0.5}');
      renameSync(path('m.json.tmp'), path('m.json'));
      appendFileSync(path('m.csv'), '0.5\n0.');
      writeFileSync(path('value'), '0.5');
      await until('all wake', () => woke().length === sleeps.size).catch(() =>
        assert.deepEqual(woke(), [...sleeps.keys()]),
      );
      const errors = sleeps.get('json')?.wakes[0]?.errors.join('\n') ?? '';
      assert.match(errors, /no\.json does not exist/);
      assert.match(errors, /tb has no event files/);
      owned.dispose();
      await until('what was slow is ended', () => !isRunning(slow));
    });

    it('asks in one query a tick, whatever there is to look at', async () => {
      const conditions = Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? { type: 'file', path: path(`f${index}`) }
          : metric({ type: 'json_file', path: path(`m${index}.json`) }, 'loss'),
      );
      const sinceMs = performance.now();
      const asked = listen();
      const { wakes } = arm(await request(...conditions));
      await until('it has looked', () => asked.length > 0);
      const before = sessions?.();
      await until('it has looked again and again', () => asked.length >= 4);
      const ticks = (performance.now() - sinceMs) / tickMs;
      assert.ok(asked.length <= ticks + 1, `${asked.length} questions in ${ticks} ticks`);
      assert.ok(!asked.includes('exec'), String(asked));
      assert.equal(sessions?.(), before);
      writeFileSync(path('m19.json'), '{"loss": 0.5}');
      await until('it wakes', () => wakes.length === 1);
      assert.deepEqual(wakes[0]?.met, ['loss < 1']);
    });
  });
}

const local = new LocalMachine({ runsFolder: '/tmp', workFolder: '/tmp' });
sleepsOn('this computer', () => local);

describe('over SSH', () => {
  let sshd: TestSshd;
  let machine: SshMachine;
  before(async () => {
    sshd = await TestSshd.start();
    const connection = new SshConnection(sshd.target(), scriptedPrompts());
    machine = new SshMachine({ id: 'gpu1', connection, homeFolder: '/tmp' });
  });
  after(async () => {
    assert.equal(sshd.logins, 1);
    machine.dispose();
    machine.connection.dispose();
    await sshd.dispose();
  });
  sleepsOn(
    'a host',
    () => machine,
    () => sshd.sessions,
  );
});
