import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { systemClock } from '../../src/base/clock.ts';
import { newRunId } from '../../src/base/ids.ts';
import { createMachines } from '../../src/machines/list/machineList.ts';
import type { RunSpec, Verdict } from '../../src/runs/run.ts';
import { Runs } from '../../src/runs/runs.ts';
import { confinedBed, isRoot, nobody, type ConfinedBed } from '../fakes/confinedBed.ts';
import { daemonScript } from '../fakes/hostileModel/daemon.ts';
import { processesOf } from '../fakes/runProcesses.ts';
import { until } from '../fakes/scratch.ts';
import { ended } from '../unit/runs/harness.ts';

for (const user of isRoot ? [undefined, nobody] : [undefined])
  describe(`a confined run${user === undefined ? '' : ' of another user'}`, function () {
    this.timeout(120_000);
    let bed: ConfinedBed;
    let all: Runs[] = [];
    beforeEach(() => {
      bed = confinedBed(user);
    });
    afterEach(async () => {
      for (const runs of all) {
        for (const run of runs.all())
          if (run.liveness.kind !== 'ended') await runs.kill(run, { signal: 'KILL', graceMs: 0 });
        runs.dispose();
      }
      all = [];
      bed.dispose();
    });

    const spec = (command: string): RunSpec => ({
      ...{ id: newRunId(Date.now()), sessionId: bed.confinement.sessionId, number: 1, command },
      ...{
        machineId: 'local',
        cwd: bed.work,
        env: {},
        metrics: {},
        label: '',
        plannedMs: Date.now(),
      },
      confinement: bed.confinement,
    });
    function open(): Runs {
      const folder = join(bed.home, `controller-${all.length}`);
      mkdirSync(folder);
      const runs = new Runs({
        machines: createMachines([bed.machine()]),
        folder,
        clock: systemClock,
      });
      all.push(runs);
      return runs;
    }
    const has = (name: string): boolean => existsSync(join(bed.work, name));
    const waiting = 'while [ ! -e go ]; do sleep 0.05; done';

    it('changes nothing of its own folder, and reads its output there', async () => {
      const runs = open();
      const tries =
        'echo begun; for f in exit kill capsule.sh confine.sh output.log heartbeat; do echo x >$D/$f; done';
      const run = await runs.launch(
        spec(
          `D=~/.helios/runs/$HELIOS_RUN_ID; ${tries}; rm -rf $D; sed -n 1p $D/output.log; exit 5`,
        ),
      );
      assert.deepEqual(await ended(run), { kind: 'failed', code: 5 } satisfies Verdict);
      const output = readFileSync(run.outputPath, 'utf8');
      assert.match(output, /^begun\n/);
      assert.match(output, /\nbegun\n$/);
      assert.equal(output.match(/line 1: .*: Read-only file system/g)?.length, 6);
    });

    it('has its metrics files read confined, whatever python an earlier command prepared', async () => {
      const runs = open();
      const { home, work } = bed;
      mkdirSync(join(home, '.docker'));
      writeFileSync(join(home, '.docker/config.json'), '{"key": 1}\n');
      // As an earlier confined command may have left them.
      mkdirSync(join(work, 'bin'));
      mkdirSync(join(work, 'src'));
      const outside = `${home}/outside`;
      writeFileSync(
        join(work, 'bin/python3'),
        `#!/bin/sh\necho "$@" >>${outside}\nexec /usr/bin/python3 "$@"\n`,
        { mode: 0o755 },
      );
      writeFileSync(join(work, 'src/csv.py'), `open('${outside}', 'w').write('csv')\n`);
      const command =
        'mkdir d; sleep 0.7; rmdir d; ln -s ~/.docker d; sleep 1.2; rm d; printf "step,loss\\n1,0.5\\n" >log.csv';
      const run = await runs.launch({
        ...spec(command),
        metrics: { from: ['log.csv', 'd/config.json'] },
        env: { PATH: `${work}/bin:${process.env['PATH'] ?? ''}`, PYTHONPATH: `${work}/src` },
      });
      assert.deepEqual(await ended(run), { kind: 'ok' }, readFileSync(run.outputPath, 'utf8'));
      assert.deepEqual([...run.metrics.series('loss').values], [0.5]);
      assert.equal(run.metrics.summary('key'), undefined);
      assert.ok(!existsSync(outside), 'nothing ran outside the confinement');
    });

    it('may save its work when it is killed, also after its shell has ended', async () => {
      const runs = open();
      const worker = `trap 'sleep 1; echo saved >saved; exit' TERM; touch ready; while :; do sleep 0.1; done`;
      const run = await runs.launch(spec(`bash -c ${JSON.stringify(worker)}; echo after`));
      await until('it works', () => has('ready'));
      const { isVerified, isEscalated } = await runs.kill(run, { graceMs: 30_000 });
      assert.deepEqual([isVerified, isEscalated], [true, false]);
      assert.deepEqual(await ended(run), { kind: 'killed' });
      assert.ok(has('saved'));
    });

    it('leaves no process when it ends, whatever that has taken off', async () => {
      const runs = open();
      const seconds = `86415.${process.pid}`;
      writeFileSync(join(bed.work, 'daemon.py'), daemonScript(seconds));
      const run = await runs.launch(spec('python3 daemon.py; (trap "" TERM; sleep 600) & exit 3'));
      assert.deepEqual(await ended(run), { kind: 'failed', code: 3 });
      const processes = execFileSync('ps', ['-eo', 'args='], { encoding: 'utf8' });
      assert.ok(!processes.includes(seconds), processes);
    });

    it('gets a signal that does not end it, and goes on', async () => {
      const runs = open();
      const run = await runs.launch(
        spec(`trap 'touch heard' USR1; touch ready; ${waiting}; exit 4`),
      );
      await until('it works', () => has('ready'));
      const host = await bed
        .machine()
        .exec(`sh ${bed.runsFolder}/${run.spec.id}/capsule.sh signal USR1`);
      assert.deepEqual(host.outcome, { kind: 'exited', code: 0 });
      await until('it heard', () => has('heard'));
      assert.equal(run.liveness.kind, 'running');
      await bed.machine().exec('touch go');
      assert.deepEqual(await ended(run), { kind: 'failed', code: 4 });
    });

    if (user === undefined)
      it('is adopted after the end of the process that launched it, and killed whole', async () => {
        const one = spec(`setsid sleep 600 & (trap '' TERM; sleep 600) & touch ready; ${waiting}`);
        const argv = [resolve('test/unit/runs/launcher.ts'), JSON.stringify(one), bed.runsFolder];
        const child = spawn(process.execPath, argv, {
          env: { ...process.env, HOME: bed.home },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        await until('it works', () => has('ready'));
        child.kill('SIGKILL');
        await once(child, 'exit');
        const runs = open();
        const run = await runs.adopt(one);
        assert.equal(run?.liveness.kind, 'running');
        const before = processesOf(one.id).length;
        assert.ok(before >= 5, `${before} processes`);
        const { isVerified, isEscalated } = await runs.kill(run, { graceMs: 300 });
        assert.deepEqual([isVerified, isEscalated], [true, true]);
        assert.deepEqual(await ended(run), { kind: 'killed' });
        await until('its supervisor ends too', () => processesOf(one.id).length === 0);
      });
  });
