import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Disposable } from '../../../src/base/disposable.ts';
import type { RunId, SessionId } from '../../../src/base/ids.ts';
import { MachineFailure } from '../../../src/machines/machine.ts';
import { RunMetrics } from '../../../src/metrics/runMetrics.ts';
import { limitClock } from '../../../src/runs/limitClock.ts';
import type { RunLimit } from '../../../src/runs/run.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { MemoryMachine } from '../../fakes/memoryMachine.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

describe('the clock of a limit from the first metric', () => {
  const scratch = scratchFolder();
  let clock: ManualClock;
  let memory: MemoryMachine;
  let metrics: RunMetrics;
  let isOver: boolean;
  const owned: Disposable[] = [];
  beforeEach(async () => {
    clock = new ManualClock();
    memory = new MemoryMachine();
    metrics = await RunMetrics.open(join(scratch(), 'r-1'), { names: ['loss', 'acc'] });
    isOver = false;
  });
  afterEach(() => {
    for (const each of owned.splice(0)) each.dispose();
    metrics.dispose();
  });
  const begin = (from: RunLimit['from'] = 'first_metric'): Disposable => {
    const spec = {
      ...{
        id: 'r-1' as RunId,
        sessionId: 's-1' as SessionId,
        number: 1,
        machineId: 'local',
        command: '',
        cwd: '/',
      },
      ...{ env: {}, metrics: {}, label: '', plannedMs: 1, limit: { ms: 1_000, from } },
    };
    const { machine } = memory;
    const made = limitClock({ spec, machine, metrics, clock }, () => isOver);
    owned.push(made);
    return made;
  };
  const print = (line: string, atMs = clock.now()): void =>
    void metrics.ingest(Buffer.from(`${line}\n`), metrics.resumeOffset, atMs);
  const file = '/h/runs/r-1/first_metric';

  it('begins once, with the age of the earliest of all metrics', async () => {
    begin();
    await clock.advance(1_000);
    assert.deepEqual(memory.written, []);
    print('loss=1', clock.now() - 200);
    print('acc=1', clock.now() - 300);
    await clock.advance(0);
    // Even where it is not there any more.
    memory.files.clear();
    print('loss=1');
    await clock.advance(10_000);
    assert.deepEqual(memory.written, [`${file}: age_ms=300\n`]);
    assert.equal(clock.pendingTimers, 0);
  });

  it('knows metrics that were there before, and none that come from the future', async () => {
    print('loss=1', clock.now() + 500);
    begin();
    await clock.advance(0);
    assert.deepEqual(memory.written, [`${file}: age_ms=0\n`]);
  });

  it('is not begun where the limit is from the launch, where the run is over, and where it was begun', async () => {
    print('loss=1');
    begin('launch');
    isOver = true;
    const late = begin();
    await clock.advance(0);
    late.dispose();
    isOver = false;
    memory.put(file, 'age_ms=7\n');
    begin();
    print('loss=2');
    await clock.advance(10_000);
    assert.deepEqual(memory.written, []);
  });

  it('is begun every five seconds until the machine answers, and no more when it is let go of', async () => {
    memory.failure = new MachineFailure('unreachable', 'no route');
    print('loss=1');
    const made = begin();
    await clock.advance(4_999);
    memory.failure = undefined;
    await clock.advance(0);
    assert.deepEqual(memory.written, []);
    await clock.advance(1);
    assert.deepEqual(memory.written, [`${file}: age_ms=5000\n`]);
    memory.files.clear();
    memory.failure = new MachineFailure('unreachable', 'no route');
    const other = begin();
    await clock.advance(0);
    assert.equal(clock.pendingTimers, 1);
    print('loss=2');
    await clock.advance(0);
    assert.equal(clock.pendingTimers, 1, 'a point that comes meanwhile adds no second attempt');
    made.dispose();
    other.dispose();
    assert.equal(clock.pendingTimers, 0);
  });
});
