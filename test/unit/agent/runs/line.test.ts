import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import { ScriptedModel, type ScriptedReply } from '../../../fakes/scriptedModel.ts';
import { standIn } from '../../../fakes/scriptedMachine.ts';
import {
  eventsOf,
  eventually,
  testEngine,
  until,
  type TestEngine,
} from '../../../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];
const untilGo = (i: string): string =>
  `while [ ! -e ../stop ] && [ ! -e ../go-${i} ]; do sleep 0.02; done; echo loss=0.5`;
const launch = (name: string) => ({
  name: 'remote_exec_background',
  input: { command: untilGo(name), label: name, machine_id: 'gpu1', metric_names: ['loss'] },
});
const sweep = {
  name: 'sweep',
  input: { command_template: untilGo('{i}'), params: { i: [1, 2, 3, 4] }, machines: ['gpu1'] },
};
const nap = {
  name: 'sleep',
  input: { reason: 'r', wake_conditions: [{ type: 'process_exit', run: '3' }] },
};
const kill = (run: string) => ({ name: 'kill_task', input: { run } });

describe('the line of a machine', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    if (bed !== undefined) await writeFile(path.join(bed.work, 'stop'), '');
    for (const one of bed?.engine.runs.all() ?? [])
      await until(() => one.liveness.kind === 'ended');
    await bed?.dispose();
    bed = undefined;
  });
  const begin = async (replies: readonly ScriptedReply[], slots = 2): Promise<Session> => {
    let work = '';
    bed = await testEngine(new ScriptedModel([...replies]), {
      createMachine: (entry) => standIn(entry, `${work}/${entry.id}`),
    });
    work = bed.work;
    await mkdir(`${work}/gpu1`, { recursive: true });
    await bed.engine.machines.add({ id: 'gpu1', kind: 'ssh', host: 'gpu1.lab', slots });
    return bed.start();
  };
  const go = (name: string) => writeFile(path.join(bed?.work ?? '', `go-${name}`), '');
  const running = (session: Session): string =>
    [...session.state.runs.values()]
      .filter(({ process, verdict }) => process !== undefined && verdict === undefined)
      .map(({ spec }) => spec.label)
      .join(' ');
  const results = (session: Session, name: string): Record<string, unknown>[] =>
    eventsOf(session, 'tool.finished')
      .filter((event) => event.name === name)
      .map(({ text }) => JSON.parse(text) as Record<string, unknown>);

  it('holds single launches behind the points of a sweep, and starts them in that order', async () => {
    const session = await begin([[sweep], [launch('a'), launch('b'), launch('c')], 'hang', quit]);
    await until(() => eventsOf(session, 'run.queued').length === 3);
    await until(() => results(session, 'remote_exec_background').length === 3);
    assert.deepEqual(
      results(session, 'remote_exec_background').map((each) => [
        each.run,
        each.status,
        each.place_in_line,
      ]),
      [
        [3, 'waiting', 3],
        [4, 'waiting', 4],
        [5, 'waiting', 5],
      ],
    );
    await go('1');
    await until(() => running(session) === 'i=2 i=3');
    await go('2');
    await until(() => running(session) === 'i=3 i=4');
    await go('3');
    await until(() => running(session) === 'a i=4');
    await go('a');
    await until(() => running(session) === 'b i=4');
    await session.stop();
    await until(() => eventsOf(session, 'run.not_started').length === 1);
    assert.equal(eventsOf(session, 'run.not_started')[0]?.why, 'the session had ended');
  });

  it('lets a waiting run be waited on, shown and cancelled, and keeps no experiment of it', async () => {
    const read = { name: 'task_output', input: { run: 3 } };
    const session = await begin([
      [launch('a'), launch('b'), launch('c'), launch('d')],
      [read, kill('4'), kill('run 4')],
      [nap],
      quit,
    ]);
    await until(() => session.state.phase === 'sleeping');
    const [shown] = eventsOf(session, 'tool.finished').filter(({ name }) => name === 'task_output');
    assert.match(shown?.text ?? '', /^Run 3 has not started: .* on gpu1, as number 1 in line/);
    const [cancelled] = eventsOf(session, 'tool.finished').filter(
      ({ name }) => name === 'kill_task',
    );
    assert.match(cancelled?.text ?? '', /"run":4.*"status":"cancelled"/);
    assert.deepEqual([...session.state.experiments.keys()], ['e1', 'e2', 'e3']);
    await go('a');
    await until(() => running(session) === 'b c');
    await go('c');
    assert.equal(await session.ended, 'blocked');
    assert.equal(eventsOf(session, 'sleep.ended')[0]?.why, 'trigger');
    assert.deepEqual(
      session.ledger.rows.map(({ label }) => label),
      ['a', 'b', 'c'],
    );
  });

  it('is the same after a restart', async () => {
    const first = await begin([[launch('a'), launch('b'), launch('c')], 'hang'], 1);
    await until(() => eventsOf(first, 'run.queued').length === 2);
    await until(() => results(first, 'remote_exec_background').length === 3);
    bed = await bed?.restart(new ScriptedModel(['hang', 'hang']));
    assert.ok(bed);
    const second = await bed.engine.sessions.resume(first.id);
    await go('a');
    await until(() => running(second) === 'b');
    await go('b');
    await until(() => running(second) === 'c');
    await go('c');
    await eventually(
      second,
      'run.ended',
      ({ runId }) => second.state.runs.get(runId)?.spec.number === 3,
    );
    assert.deepEqual(
      second.ledger.rows.map(({ number, verdict }) => [number, verdict?.kind]),
      [
        [1, 'ok'],
        [2, 'ok'],
        [3, 'ok'],
      ],
    );
    assert.equal(eventsOf(second, 'run.not_started').length, 0);
    await second.stop();
  });

  it('takes up a run that a process started from it and did not record', async () => {
    const first = await begin([[launch('a'), launch('b')], 'hang'], 1);
    await until(() => eventsOf(first, 'run.queued').length === 1);
    await go('a');
    await until(() => running(first) === 'b');
    const [, started] = eventsOf(first, 'run.started');
    await bed?.engine.close();
    const journal = path.join(first.folder, 'journal.jsonl');
    const lines = (await readFile(journal, 'utf8')).split('\n');
    const from = lines.findIndex((line) => line.includes(started?.id ?? 'none'));
    await writeFile(
      journal,
      lines
        .slice(0, from)
        .map((line) => `${line}\n`)
        .join(''),
    );
    bed = await bed?.restart(new ScriptedModel(['hang', 'hang']));
    assert.ok(bed);
    const second = await bed.engine.sessions.resume(first.id);
    await until(() => running(second) === 'b');
    const again = eventsOf(second, 'run.started').at(-1);
    assert.equal(again?.process.pid, started?.process.pid);
    await second.stop();
  });
});
