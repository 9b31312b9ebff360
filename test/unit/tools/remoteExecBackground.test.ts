import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { remoteExecBackground } from '../../../src/tools/runs/remoteExecBackground.ts';
import { until } from '../../fakes/scratch.ts';
import { answer, call } from './machineTools.harness.ts';
import { noSweeps, useTasks } from './taskTools.harness.ts';

describe('remote_exec_background', () => {
  const { folder, tasks } = useTasks();
  const tool = () => remoteExecBackground(tasks().launcher, noSweeps);

  it('starts a run and says how to reach it', async () => {
    const result = await call(tool(), {
      command: 'echo loss=0.5',
      metric_names: ['loss'],
      label: 'lr=1',
    });
    const run = tasks().runs.find('run 1');
    assert.ok(run);
    assert.deepEqual(result.content, {
      run: 1,
      run_id: run.spec.id,
      task: run.handle,
      pid: run.process?.pid,
      machine_id: 'local',
      label: 'lr=1',
      log_path: run.outputPath,
      metrics: ['loss'],
    });
    assert.equal(result.runId, run.spec.id);
    assert.deepEqual(tasks().requests, [
      {
        machineId: 'local',
        command: 'echo loss=0.5',
        label: 'lr=1',
        metrics: { names: ['loss'] },
        experiment: {},
      },
    ]);
  });

  it('hands on what the run is for', async () => {
    const words = { hypothesis: 'a warm-up helps', retest: 'the disk was full' };
    await call(tool(), { command: 'true', experiment: 7, ...words });
    assert.deepEqual(tasks().requests[0]?.experiment, { experiment: '7', ...words });
    await assert.rejects(call(tool(), { command: 'true', hypothesis: 'h'.repeat(501) }));
  });

  it('hands on the time limit and what the run takes', async () => {
    await call(tool(), {
      command: 'true',
      max_minutes: 0.5,
      limit_from: 'first_metric',
      cpus: 2,
      memory_gb: 1.5,
    });
    const { limit, resources } = tasks().requests[0] ?? {};
    assert.deepEqual(limit, { ms: 30_000, from: 'first_metric' });
    assert.deepEqual(resources, { cpus: 2, memoryMb: 1536 });
    await call(tool(), { command: 'true', max_minutes: 90 });
    assert.deepEqual(tasks().requests[1]?.limit, { ms: 5_400_000, from: 'launch' });
    for (const wrong of [{ max_minutes: 0 }, { gpus: 1.5 }, { gpus: -1 }, { cpus: 0 }])
      await assert.rejects(call(tool(), { command: 'true', ...wrong }));
  });

  it('says why a run gets no GPU', async () => {
    await assert.rejects(
      call(tool(), { command: 'true', gpus: 1 }),
      /was not started: This machine has no GPU/,
    );
  });

  it('refuses a pattern that does not compile before anything is planned', async () => {
    await assert.rejects(
      call(tool(), { command: 'touch started', metric_patterns: { loss: '(' } }),
    );
    assert.deepEqual(tasks().requests, []);
  });

  it('resolves cwd on the machine', async () => {
    mkdirSync(join(folder(), 'sub'));
    await call(tool(), { command: 'pwd', cwd: 'sub' });
    assert.equal(tasks().requests[0]?.cwd, join(folder(), 'sub'));
  });

  it('makes log_path a link to the log, and leaves a file that is there alone', async () => {
    const { log_path: path } = await answer(tool(), {
      command: 'echo hi',
      log_path: 'logs/my run.log',
    });
    assert.equal(path, join(folder(), 'logs/my run.log'));
    assert.equal(readlinkSync(String(path)), tasks().runs.find('run 1')?.outputPath);
    await until('log is written', () => readFileSync(String(path), 'utf8') === 'hi\n');
    writeFileSync(join(folder(), 'mine'), 'keep');
    const second = await answer(tool(), { command: 'true', log_path: 'mine' });
    assert.equal(second.log_path, tasks().runs.find('run 2')?.outputPath);
    assert.match(String(second.warnings), /link to the log could not be created/);
    assert.equal(readFileSync(join(folder(), 'mine'), 'utf8'), 'keep');
  });

  it('warns of commands that hide their output or their end', async () => {
    const cases = [
      ['true > out.log', /no metrics are read/],
      ['true > out.log 2>&1', /no metrics are read/],
      ['true &> out.log', /no metrics are read/],
      ['true > out.log 2>&1 & echo $!', /background/],
      ['true 2> err.log', undefined],
      ['true 2>&1 | tee out.log', undefined],
      ['true > /dev/null', undefined],
      ['true && echo "a > b & c"', undefined],
      ['true &', undefined],
    ] as const;
    for (const [command, warning] of cases) {
      const { warnings } = await answer(tool(), { command });
      if (warning) assert.match(String(warnings), warning, command);
      else assert.equal(warnings, undefined, command);
    }
  });

  it('reports a run that could not be started', async () => {
    await assert.rejects(
      call(tool(), { command: 'true', cwd: 'no/such' }),
      /was not started: There is no folder/,
    );
  });
});
