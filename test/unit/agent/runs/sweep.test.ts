import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { ScriptedModel, type ScriptedReply } from '../../../fakes/scriptedModel.ts';
import {
  eventsOf,
  eventually,
  testEngine,
  until,
  type TestEngine,
} from '../../../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];
const sweepCall = (input: Record<string, unknown>) => ({ name: 'sweep', input });
const untilOver = {
  name: 'sleep',
  input: { reason: 'r', wake_conditions: [{ type: 'process_exit', sweep: 's1' }] },
};
const text = (model: ScriptedModel, index: number): string =>
  JSON.stringify(model.requests.at(index)?.messages);

/** Says how many of its kind run beside it, and when it is over. */
const counting = 'echo x > at-{i}; ls at-* | wc -l >> seen; sleep 0.6; rm at-{i}; echo loss=0.{i}';

describe('sweep', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    if (bed !== undefined) await writeFile(path.join(bed.work, 'stop'), '');
    for (const one of bed?.engine.runs.all() ?? [])
      await until(() => one.liveness.kind === 'ended');
    await bed?.dispose();
    bed = undefined;
  });
  const seen = async (): Promise<number[]> =>
    (await readFile(path.join(bed?.work ?? '', 'seen'), 'utf8')).trim().split('\n').map(Number);

  it('runs every point of a grid, a few at a time, while nobody is asked', async () => {
    const model = new ScriptedModel([
      [
        sweepCall({
          command_template: counting,
          params: { i: [1, 2, 3, 4, 5, 6, 7] },
          max_parallel: 3,
        }),
      ],
      [untilOver],
      quit,
    ]);
    bed = await testEngine(model);
    const session = await bed.start();
    assert.equal(await session.ended, 'blocked');
    assert.equal(model.requests.length, 3);
    const counts = await seen();
    assert.equal(counts.length, 7);
    assert.ok(Math.max(...counts) <= 3, `${counts.join()}`);
    assert.equal((await readdir(bed.work)).filter((name) => name.startsWith('at-')).length, 0);
    const rows = session.ledger.rows;
    assert.deepEqual(
      rows.map((row) => row.label),
      ['i=1', 'i=2', 'i=3', 'i=4', 'i=5', 'i=6', 'i=7'],
    );
    assert.deepEqual(
      rows.map((row) => row.number),
      [1, 2, 3, 4, 5, 6, 7],
    );
    assert.ok(rows.every((row) => row.verdict?.kind === 'ok'));
    assert.equal(session.ledger.champion?.label, 'i=1');
    assert.deepEqual(
      eventsOf(session, 'sweep.ended').map(({ why }) => why),
      ['done'],
    );
    assert.match(
      text(model, 2),
      /Sweep s1 over i on local has ended: 7 ok; best loss 0\.1 by i=1 \(run 1\)/,
    );
    assert.doesNotMatch(text(model, 2), /Run 3 \(i=3\) ended/);
  });

  const points = (
    params: Record<string, unknown[]>,
    command: string,
    more: Record<string, unknown> = {},
  ) => sweepCall({ command_template: command, params, ...more });
  const waiting = 'echo x > at-{i}; while [ ! -e stop ] && [ ! -e go-{i} ]; do sleep 0.02; done';
  const let1 = (i: number) => writeFile(path.join(bed?.work ?? '', `go-${i}`), '');
  const running = (session: Session): number[] =>
    [...session.state.runs.values()]
      .filter(({ process, verdict }) => process !== undefined && verdict === undefined)
      .map(({ spec }) => (spec.sweep?.index ?? 0) + 1);

  it('runs one at a time where nothing bounds the runs of a machine, and the next as soon as one has ended', async () => {
    bed = await testEngine(
      new ScriptedModel([[points({ i: [1, 2, 3] }, waiting)], [untilOver], quit]),
    );
    const session = await bed.start();
    for (const i of [1, 2, 3]) {
      await until(() => running(session).join() === String(i));
      await let1(i);
    }
    assert.equal(await session.ended, 'blocked');
    assert.equal(session.ledger.rows.length, 3);
  });

  it('is stopped with what runs of it, and launches no more', async () => {
    const script: readonly ScriptedReply[] = [
      [points({ i: [1, 2, 3, 4, 5] }, waiting, { max_parallel: 2 })],
      [
        { name: 'task_output', input: { run: 's1' } },
        { name: 'kill_task', input: { sweep: 's1', grace_seconds: 1 } },
      ],
      [untilOver],
      [{ name: 'kill_task', input: { run: 's1' } }],
      quit,
    ];
    const running = Promise.withResolvers<void>();
    const model = new ScriptedModel(async (_request, index) => {
      if (index === 1) await running.promise;
      return script[index] ?? quit;
    });
    bed = await testEngine(model);
    const session = await bed.start();
    await until(() => eventsOf(session, 'run.started').length === 2);
    running.resolve();
    assert.equal(await session.ended, 'blocked');
    const [table, killed, again] = eventsOf(session, 'tool.finished').filter(({ name }) =>
      name.includes('task'),
    );
    assert.match(table?.text ?? '', /^Sweep s1 over i on local: 2 running, 3 waiting/);
    const said = JSON.parse(killed?.text ?? '{}') as Record<string, unknown>;
    assert.deepEqual([said.status, said.killed], ['stopped', 2]);
    assert.match(String(said.table), /was stopped: 2 failed, 3 not run/);
    assert.match(
      again?.text ?? '',
      /"status":"over","state":"Sweep s1 over i on local was stopped:/,
    );
    assert.deepEqual(
      session.ledger.rows.map(({ verdict }) => verdict?.kind),
      ['killed', 'killed'],
    );
    assert.deepEqual(
      eventsOf(session, 'sweep.ended').map(({ why }) => why),
      ['stopped'],
    );
    assert.equal(session.state.runs.size, 2);
  });

  it('is named where a run is, and what does not exist is refused', async () => {
    const sleep = (condition: Record<string, unknown>) => ({
      name: 'sleep',
      input: { reason: 'r', wake_conditions: [{ type: 'process_exit', ...condition }] },
    });
    bed = await testEngine(
      new ScriptedModel([
        [points({ i: [1] }, 'echo loss=0.{i}')],
        [sleep({ sweep: 's2' })],
        [{ name: 'kill_task', input: { run: 's2' } }],
        [sleep({ run: 'sweep S1' })],
        quit,
      ]),
    );
    const session = await bed.start();
    assert.equal(await session.ended, 'blocked');
    const results = eventsOf(session, 'tool.finished').map(({ name, isError }) => [name, isError]);
    assert.deepEqual(results.slice(1, 4), [
      ['sleep', true],
      ['kill_task', true],
      ['sleep', false],
    ]);
  });

  it('goes on while the session is paused, and ends with it', async () => {
    bed = await testEngine(new ScriptedModel([[points({ i: [1, 2, 3] }, waiting)], 'hang']));
    const session = await bed.start();
    await eventually(session, 'run.started');
    await session.interrupt();
    assert.equal(session.state.phase, 'paused');
    await let1(1);
    await until(() => running(session).join() === '2');
    await session.stop();
    await let1(2);
    await eventually(
      session,
      'run.ended',
      ({ runId }) => session.state.runs.get(runId)?.spec.number === 2,
    );
    assert.equal(session.state.runs.size, 2);
    assert.deepEqual(
      eventsOf(session, 'sweep.ended').map(({ why }) => why),
      ['stopped'],
    );
  });

  it('launches no more when the minutes of the budget are used up, also while the session is paused', async () => {
    const clock = new ManualClock();
    bed = await testEngine(new ScriptedModel([[points({ i: [1, 2] }, waiting)], 'hang']), {
      clock,
    });
    const session = await bed.start({ budget: { minutes: 10 } });
    await eventually(session, 'run.started');
    await session.interrupt();
    await clock.advance(10 * 60_000 + 1);
    const end = await eventually(session, 'sweep.ended');
    assert.equal(end.why, 'budget');
    assert.match(
      end.text,
      /launches no more points, because the minutes of the budget are used up: 1 running, 1 not run/,
    );
    await let1(1);
    await eventually(session, 'run.ended');
    assert.equal(session.state.runs.size, 1);
    await session.stop();
  });

  it('leaves out a point that cannot be started, and says why', async () => {
    const call = points({ i: [1, 2] }, 'echo loss=0.{i}', { cwd: 'nowhere' });
    const model = new ScriptedModel([[call], [untilOver], quit]);
    bed = await testEngine(model);
    const session = await bed.start();
    assert.equal(await session.ended, 'blocked');
    assert.deepEqual(
      eventsOf(session, 'sweep.point_skipped').map(({ index }) => index),
      [0, 1],
    );
    assert.match(text(model, -1), /has ended: 2 skipped/);
    assert.match(text(model, -1), /- i=1: skipped: Run 1 was not started: .*nowhere/);
  });

  it('starts what was planned and never started under the same run, when the process died between the two', async () => {
    bed = await testEngine(new ScriptedModel([[points({ i: [1, 2] }, waiting)], [untilOver]]));
    const first = await bed.start();
    await eventually(first, 'sleep.started');
    await let1(1);
    await eventually(first, 'run.ended');
    await until(() => running(first).join() === '2');
    const { spec } = [...first.state.runs.values()][1] ?? assert.fail('two runs');
    await bed.engine.close();
    const stopped = path.join(bed.home, 'runs', spec.id);
    const journal = path.join(first.folder, 'journal.jsonl');
    const lines = (await readFile(journal, 'utf8')).split('\n');
    const planned = lines.findIndex(
      (line) => line.includes('"run.planned"') && line.includes(spec.id),
    );
    const id = `${spec.id.slice(0, -4)}zzzz`;
    // As if it had died just then: the plan is there, its run is not.
    await writeFile(
      journal,
      `${lines.slice(0, planned).join('\n')}\n${lines[planned]?.replace(spec.id, id)}\n`,
    );
    bed = await bed.restart(new ScriptedModel([quit]));
    const second = await bed.engine.sessions.resume(first.id);
    await until(() => running(second).join() === '2');
    await let1(2);
    assert.equal(await second.ended, 'blocked');
    assert.deepEqual(
      second.ledger.rows.map((row) => [row.number, row.label, row.verdict?.kind]),
      [
        [1, 'i=1', 'ok'],
        [2, 'i=2', 'ok'],
      ],
    );
    assert.equal(second.ledger.rows[1]?.runId, id);
    assert.equal(second.state.runs.size, 2);
    await until(() => existsSync(path.join(stopped, 'exit')));
  });

  it('is the same sweep when its call is made again after a crash', async () => {
    bed = await testEngine(new ScriptedModel([[points({ i: [1, 2] }, waiting)], 'hang']));
    const first = await bed.start();
    await eventually(first, 'run.started');
    await bed.engine.close();
    const journal = path.join(first.folder, 'journal.jsonl');
    const lines = (await readFile(journal, 'utf8')).split('\n');
    const finished = lines.findIndex((line) => line.includes('"tool.finished"'));
    // As if it had died with the first run at work and the call unanswered.
    await writeFile(journal, `${lines.slice(0, finished).join('\n')}\n`);
    bed = await bed.restart(new ScriptedModel([[untilOver], quit]));
    const second = await bed.engine.sessions.resume(first.id);
    await until(() => running(second).join() === '1');
    await let1(1);
    await let1(2);
    assert.equal(await second.ended, 'blocked');
    assert.equal(second.state.sweeps.size, 1);
    assert.deepEqual(
      second.ledger.rows.map(({ label, verdict }) => [label, verdict?.kind]),
      [
        ['i=1', 'ok'],
        ['i=2', 'ok'],
      ],
    );
  });
});
