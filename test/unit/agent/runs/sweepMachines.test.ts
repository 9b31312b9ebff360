import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import { MachineFailure } from '../../../../src/machines/machine.ts';
import type { MachineEntry } from '../../../../src/machines/machineEntry.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { ScriptedModel, type ScriptedReply } from '../../../fakes/scriptedModel.ts';
import { standIn, type StandIn } from '../../../fakes/scriptedMachine.ts';
import { eventsOf, testEngine, until, type TestEngine } from '../../../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];
const untilOver = [
  {
    name: 'sleep',
    input: { reason: 'r', wake_conditions: [{ type: 'process_exit', sweep: 's1' }] },
  },
];
const sweep = (input: Record<string, unknown>) => [{ name: 'sweep', input }];
const waiting =
  'while [ ! -e ../stop ] && [ ! -e ../go-{i} ]; do sleep 0.02; done; echo loss=0.{i}';

describe('sweep over machines', () => {
  let bed: TestEngine | undefined;
  const lost = new Set<string>();
  const clock = new ManualClock();
  afterEach(async () => {
    lost.clear();
    if (bed !== undefined) await writeFile(path.join(bed.work, 'stop'), '');
    for (const one of bed?.engine.runs.all() ?? [])
      await until(() => {
        void clock.advance(5_000);
        return one.liveness.kind === 'ended';
      });
    await bed?.dispose();
    bed = undefined;
  });

  /** Answers nothing while it is lost. */
  const breakable = (machine: StandIn): StandIn =>
    new Proxy(machine, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== 'function' || key === 'follow' || key === 'dispose') return value;
        return (...args: unknown[]): unknown =>
          lost.has(target.id)
            ? Promise.reject(new MachineFailure('unreachable', `${target.id} does not answer`))
            : (Reflect.apply(value, target, args) as unknown);
      },
    });
  const begin = async (
    entries: readonly MachineEntry[],
    replies: ScriptedReply[],
  ): Promise<Session> => {
    bed = await testEngine(new ScriptedModel(replies), {
      clock,
      createMachine: (entry) => breakable(standIn(entry, `${bed?.work}/${entry.id}`)),
    });
    for (const entry of entries) {
      await mkdir(`${bed.work}/${entry.id}`, { recursive: true });
      await bed.engine.machines.add(entry);
    }
    return bed.start();
  };
  const go = (i: number) => writeFile(path.join(bed?.work ?? '', `go-${i}`), '');
  /** Sorted: which of two machines is asked first is nobody's concern. */
  const running = (session: Session): string =>
    [...session.state.runs.values()]
      .filter(({ process, verdict }) => process !== undefined && verdict === undefined)
      .map(({ spec }) => `${spec.label}@${spec.machineId}`)
      .sort()
      .join(' ');
  const [gpu1, gpu2]: readonly [MachineEntry, MachineEntry] = [
    { id: 'gpu1', kind: 'ssh', host: 'gpu1.lab' },
    { id: 'gpu2', kind: 'ssh', host: 'gpu2.lab' },
  ];

  it('goes on without a machine that is lost in the middle, whose run is taken up when it is back', async () => {
    const call = sweep({
      command_template: waiting,
      params: { i: [1, 2, 3, 4] },
      machines: ['gpu1', 'gpu2'],
      max_parallel: 2,
    });
    const session = await begin([gpu1, gpu2], [call, untilOver, quit]);
    await until(() => running(session) === 'i=1@gpu1 i=2@gpu2');
    lost.add('gpu1');
    await clock.advance(5_000);
    await go(2);
    await until(() => running(session) === 'i=1@gpu1 i=3@gpu2');
    await go(3);
    await until(() => running(session) === 'i=1@gpu1 i=4@gpu2');
    await go(4);
    await until(() => running(session) === 'i=1@gpu1');
    // A machine that does not answer ends nothing.
    assert.equal(eventsOf(session, 'sweep.ended').length, 0);
    await go(1);
    lost.delete('gpu1');
    await until(() => {
      void clock.advance(5_000);
      return session.state.phase === 'ended';
    });
    assert.deepEqual(
      session.ledger.rows
        .map(({ label, machineId, verdict }) => `${label} ${machineId} ${verdict?.kind}`)
        .sort(),
      ['i=1 gpu1 ok', 'i=2 gpu2 ok', 'i=3 gpu2 ok', 'i=4 gpu2 ok'],
    );
  });

  it('uses what answers, and says what it waits for', async () => {
    lost.add('gpu1');
    const call = sweep({
      command_template: waiting,
      params: { i: [1, 2] },
      machines: ['gpu1', 'gpu2'],
    });
    const refresh = [{ name: 'task_output', input: { run: 's1' } }];
    const session = await begin([gpu1, gpu2], [call, refresh, untilOver, quit]);
    await until(
      () => running(session) === 'i=2@gpu2' && eventsOf(session, 'tool.finished').length >= 2,
    );
    const [, table] = eventsOf(session, 'tool.finished');
    assert.match(table?.text ?? '', /1 running, 1 waiting[^]*Waits: gpu1: gpu1 does not answer/);
    lost.clear();
    await until(() => {
      void clock.advance(1_000);
      return running(session) === 'i=1@gpu1 i=2@gpu2';
    });
    await go(1);
    await go(2);
    await until(() => session.state.phase === 'ended');
    assert.equal(session.ledger.rows.length, 2);
  });

  it('keeps to the slots of each machine', async () => {
    const call = sweep({
      command_template: waiting,
      params: { i: [1, 2, 3, 4, 5] },
      machines: ['gpu1', 'gpu2'],
      max_parallel: 5,
    });
    const share = { slots: 1 };
    bed = undefined;
    const session = await begin(
      [
        { ...gpu1, ...share },
        { ...gpu2, slots: 2 },
      ],
      [call, untilOver, quit],
    );
    await until(() => running(session).split(' ').length === 3);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(running(session).replaceAll(/i=\d@/g, '').split(' ').toSorted(), [
      'gpu1',
      'gpu2',
      'gpu2',
    ]);
    for (const i of [1, 2, 3, 4, 5]) await go(i);
    await until(() => session.state.phase === 'ended');
    assert.ok(session.ledger.rows.every(({ verdict }) => verdict?.kind === 'ok'));
    assert.deepEqual(
      session.ledger.rows.map(({ number }) => number),
      [1, 2, 3, 4, 5],
    );
  });

  it('gives a scheduler all its points at once, and none beside it', async () => {
    const slurm: MachineEntry = { id: 'lab', kind: 'slurm' };
    const both = sweep({
      command_template: waiting,
      params: { i: [1, 2] },
      machines: ['lab', 'gpu1'],
    });
    const alone = sweep({
      command_template: waiting,
      params: { i: [1, 2, 3] },
      machines: ['lab'],
      max_parallel: 2,
    });
    const session = await begin([slurm, gpu1], [both, alone, untilOver, quit]);
    await until(() => running(session).split(' ').length === 3);
    const [refused] = eventsOf(session, 'tool.finished');
    assert.equal(refused?.isError, true);
    assert.match(refused?.text ?? '', /one job array/);
    for (const i of [1, 2, 3]) await go(i);
    await until(() => session.state.phase === 'ended');
    assert.equal(session.ledger.rows.length, 3);
  });

  it('never takes all machines unasked', async () => {
    const session = await begin(
      [gpu1],
      [sweep({ command_template: waiting, params: { i: [1] } }), quit],
    );
    await until(() => session.state.phase === 'ended');
    const [refused] = eventsOf(session, 'tool.finished');
    assert.match(
      refused?.text ?? '',
      /there are several machines: local, gpu1\. Pass the ids .* Nothing was started/,
    );
    assert.equal(session.state.sweeps.size, 0);
  });
});
