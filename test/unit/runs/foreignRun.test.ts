import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { RunId, SessionId } from '../../../src/base/ids.ts';
import { MachineFailure } from '../../../src/machines/machine.ts';
import { watchRun } from '../../../src/runs/foreignRun.ts';
import { ProcessHost } from '../../../src/runs/processHost.ts';
import type { RunEnd, RunSpec } from '../../../src/runs/run.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { MemoryMachine } from '../../fakes/memoryMachine.ts';

const spec: RunSpec = {
  ...{
    id: 'r-1' as RunId,
    sessionId: 's-1' as SessionId,
    number: 7,
    machineId: 'local',
    command: 'train',
    cwd: '/w',
  },
  ...{ env: {}, metrics: {}, label: '', plannedMs: 1 },
};
const inRun = (name: string): string => `/h/runs/r-1/${name}`;
const statFile = '/proc/77/stat';
const statOf = (startTime: number): string => `77 (x) S${' 0'.repeat(18)} ${startTime} 1\n`;
const processFile = 'pid=77\nstart_time=5000\nboot_id=boot\nstarted_ms=1\n';
const bootIdFile = '/proc/sys/kernel/random/boot_id';

/** A run that goes on. */
function living(): MemoryMachine {
  const memory = new MemoryMachine();
  memory.put(inRun('process'), processFile);
  memory.put(statFile, statOf(5000));
  memory.put(bootIdFile, 'boot');
  return memory;
}

describe('watching a run that another process follows', () => {
  let clock: ManualClock;
  let memory: MemoryMachine;
  let output: string;
  let troubles: string[];
  let leaving: AbortController;
  beforeEach(() => {
    clock = new ManualClock();
    memory = living();
    output = '';
    troubles = [];
    leaving = new AbortController();
  });
  const watch = (): { end?: RunEnd | undefined; isOver: boolean } => {
    const watching: { end?: RunEnd | undefined; isOver: boolean } = { isOver: false };
    const sink = {
      onOutput: (bytes: Uint8Array) => void (output += Buffer.from(bytes).toString()),
      onTrouble: (why: string) => void troubles.push(why),
    };
    const { signal } = leaving;
    void watchRun({ spec, machine: memory.machine, clock }, sink, { signal }).then((end) =>
      Object.assign(watching, { end, isOver: true }),
    );
    return watching;
  };
  const record = 'code=3\nended_ms=5\nstarted=1\n';
  const failed: RunEnd = { verdict: { kind: 'failed', code: 3 }, endedMs: 5 };
  const lost = { kind: 'lost', why: 'its process is gone and left no exit record' } as const;

  it('gives its output to the last byte before its end', async () => {
    memory.put(inRun('exit'), record);
    memory.unread = 'last words';
    const watching = watch();
    await clock.advance(0);
    assert.deepEqual([watching.end, output, memory.isFollowed], [failed, 'last words', false]);
    assert.equal(clock.pendingTimers, 0);
  });

  it('looks when something changes, and every five seconds', async () => {
    const watching = watch();
    await clock.advance(4_999);
    memory.put(inRun('exit'), record);
    assert.equal(watching.isOver, false);
    memory.sink?.onChange('exit');
    await clock.advance(0);
    assert.deepEqual([watching.end, clock.pendingTimers], [failed, 0]);
    memory.files.delete(inRun('exit'));
    const again = watch();
    await clock.advance(4_999);
    memory.put(inRun('exit'), record);
    await clock.advance(0);
    assert.equal(again.isOver, false);
    await clock.advance(1);
    assert.deepEqual(again.end, failed);
  });

  it('gives a run that is gone five seconds for its record', async () => {
    const watching = watch();
    await clock.advance(0);
    memory.files.delete(statFile);
    memory.put(inRun('heartbeat'), '', 99);
    await clock.advance(5_000);
    assert.equal(watching.isOver, false, 'seen to be gone now');
    memory.put(inRun('exit'), record);
    await clock.advance(5_000);
    assert.deepEqual(watching.end, failed);
  });

  it('tells of a run that left no record, as of its last heartbeat', async () => {
    memory.files.delete(statFile);
    memory.put(inRun('heartbeat'), '', 99);
    const watching = watch();
    await clock.advance(4_999);
    memory.sink?.onChange('process');
    await clock.advance(0);
    assert.equal(watching.isOver, false);
    await clock.advance(1);
    memory.sink?.onChange('process');
    await clock.advance(0);
    assert.deepEqual(watching.end, { verdict: lost, endedMs: 99 });
  });

  it('counts anew from when a run is gone that was there again', async () => {
    memory.files.delete(statFile);
    const watching = watch();
    await clock.advance(4_000);
    memory.put(statFile, statOf(5000));
    memory.sink?.onChange('process');
    await clock.advance(1_000);
    memory.files.delete(statFile);
    memory.sink?.onChange('process');
    await clock.advance(4_999);
    assert.equal(watching.isOver, false);
    await clock.advance(5_000);
    assert.deepEqual(watching.end?.verdict, lost);
  });

  for (const [mark, verdict] of [
    ['kill', { kind: 'killed' }],
    ['limit', { kind: 'time_limit' }],
    ['none', { kind: 'lost', why: 'its machine was restarted' }],
  ] as const)
    it(`tells at once that it is ${verdict.kind} where its machine was restarted`, async () => {
      memory.put(bootIdFile, 'another');
      if (mark !== 'none') memory.put(inRun(mark), '');
      const watching = watch();
      await clock.advance(0);
      assert.deepEqual(watching.end, { verdict, endedMs: clock.now() });
    });

  it('says that the machine does not answer, and asks again until it does', async () => {
    memory.failure = new MachineFailure('unreachable', 'no route');
    const watching = watch();
    await clock.advance(60_000);
    assert.deepEqual([new Set(troubles), watching.isOver], [new Set(['no route']), false]);
    assert.equal(troubles.length, 13);
    memory.failure = undefined;
    memory.put(inRun('exit'), record);
    await clock.advance(5_000);
    assert.deepEqual(watching.end, failed);
  });

  it('stops when it is asked to', async () => {
    const watching = watch();
    await clock.advance(1_000);
    leaving.abort();
    await clock.advance(0);
    assert.deepEqual([watching.isOver, watching.end, memory.isFollowed], [true, undefined, false]);
    assert.equal(clock.pendingTimers, 0);
  });
});

describe('a run whose machine started it directly', () => {
  let clock: ManualClock;
  let memory: MemoryMachine;
  let host: ProcessHost;
  beforeEach(() => {
    clock = new ManualClock();
    memory = living();
    host = new ProcessHost({ spec, machine: memory.machine, clock });
  });
  const process = { pid: 77, startTime: '5000', bootId: 'boot', startedMs: 1 };
  const gone = { kind: 'gone', why: 'its process is gone and left no exit record', isFinal: false };

  it('has 30 seconds from its claim to its process', async () => {
    await clock.advance(29_999);
    assert.deepEqual(await host.presence(undefined), { kind: 'starting' });
    await clock.advance(1);
    assert.deepEqual(await host.presence(undefined), {
      ...{ kind: 'gone', why: 'its command was never started', isFinal: true },
    });
    assert.equal(await host.exists(), false);
    memory.put(inRun('claim'), '');
    assert.equal(await host.exists(), true);
  });

  it('lives while its supervisor does, which waits for the rest of it', async () => {
    assert.deepEqual(await host.presence(process), { kind: 'alive' });
    memory.files.delete(statFile);
    assert.deepEqual(await host.presence(process), gone);
    memory.put(inRun('capsule'), processFile.replace('77', '78'));
    assert.deepEqual(await host.presence(process), gone);
    memory.put('/proc/78/stat', statOf(5000));
    assert.deepEqual(await host.presence(process), { kind: 'alive' });
    memory.put('/proc/78/stat', statOf(5001));
    assert.deepEqual(await host.presence(process), gone);
    memory.put(bootIdFile, 'another');
    assert.deepEqual(await host.presence(process), {
      kind: 'gone',
      why: 'its machine was restarted',
      isFinal: true,
    });
  });

  it('is over when nothing of it is left, and an order that failed is told', async () => {
    const said = {
      stdout: 'signalled=77\nescalated=0\nleft=\n',
      stderr: ' no such folder \n',
      code: 0,
    };
    const timeouts: (number | undefined)[] = [];
    Object.assign(memory.machine, {
      exec: (_: string, { timeoutMs }: { timeoutMs?: number }) => {
        timeouts.push(timeoutMs);
        return Promise.resolve({ ...said, outcome: { kind: 'exited', code: said.code } });
      },
    });
    const report = { signalled: [77], isEscalated: false, left: [] };
    assert.deepEqual(await host.signal('TERM', 2_000), { ...report, isOver: true });
    said.stdout = 'signalled=77\nescalated=0\nleft=78\n';
    assert.deepEqual(await host.signal('STOP', undefined), {
      ...report,
      left: [78],
      isOver: false,
    });
    assert.deepEqual(timeouts, [32_000, 30_000]);
    said.code = 1;
    await assert.rejects(host.signal('TERM', 1), {
      reason: 'io',
      message: /: <untrusted from="local">no such folder<.untrusted>$/,
    });
  });
});
