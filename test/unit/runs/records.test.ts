import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { RunId, SessionId } from '../../../src/base/ids.ts';
import {
  supervisorFiles,
  parseFields,
  parseProcess,
  parseSignalReport,
  runFolder,
  signalCommand,
} from '../../../src/runs/supervisor.ts';
import { parseExit } from '../../../src/runs/exitRecord.ts';
import {
  handleOf,
  livenessText,
  runName,
  runTitle,
  verdictText,
  type Liveness,
  type RunSpec,
  type Verdict,
} from '../../../src/runs/run.ts';
import { limitsFile, type SharedMachine } from '../../../src/runs/limits.ts';

const spec: RunSpec = {
  ...{
    id: 'r-1' as RunId,
    sessionId: 's-1' as SessionId,
    number: 7,
    machineId: 'gpu1',
    command: 'train',
    cwd: '/w',
  },
  ...{ env: {}, metrics: {}, label: '', plannedMs: 1 },
};

describe('what a supervisor writes down of a process', () => {
  const text = 'pid=77\nstart_time=5000\nboot_id=b\nstarted_ms=9\ngpus=0,3\n';
  const process = { pid: 77, startTime: '5000', bootId: 'b', startedMs: 9 };

  it('is read with its GPUs, where it has some', () => {
    assert.deepEqual(parseProcess(text), { ...process, gpuIds: ['0', '3'] });
    assert.deepEqual(parseProcess(text.replace('0,3', '')), process);
    assert.deepEqual(parseProcess(text.replace('gpus=0,3\n', '')), process);
    assert.deepEqual(parseProcess(text.replace('boot_id=b\n', '')), {
      ...process,
      bootId: '',
      gpuIds: ['0', '3'],
    });
  });

  it('is read where it is the first of a container, or the clock was never set', () => {
    const first = text.replace('77', '1').replace('_ms=9', '_ms=1');
    assert.deepEqual(parseProcess(first), { ...process, pid: 1, startedMs: 1, gpuIds: ['0', '3'] });
    assert.deepEqual(parseExit('code=0\nended_ms=1\n'), { verdict: { kind: 'ok' }, endedMs: 1 });
  });

  const torn = [
    ...['', 'pid=77', 'pid=77\nstart_time=5000', text.replace('77', ''), text.replace('77', '0')],
    ...[text.replace('77', 'x'), text.replace('_ms=9', '_ms='), text.replace('_ms=9', '_ms=0')],
    ...[text.replace('start_time', 'start'), text.slice(0, text.indexOf('9') + 1)],
  ];
  for (const part of torn)
    it(`is not there where it is not whole: ${JSON.stringify(part)}`, () =>
      assert.equal(parseProcess(part), undefined));

  it('are fields with a name and a value, which may hold anything', () => {
    const fields = parseFields('a=1\nnothing\nb = x=y \n=none\nc=\n');
    assert.deepEqual(
      [...fields],
      [
        ['a', '1'],
        ['b ', 'x=y'],
        ['', 'none'],
        ['c', ''],
      ],
    );
  });
});

describe('what a supervisor says of a signal', () => {
  it('is read as pids, none of them made up', () => {
    const told = { signalled: [7, 8], isEscalated: true, left: [8] };
    assert.deepEqual(parseSignalReport('signalled=7 8 \nescalated=1\nleft=8\n'), told);
    assert.deepEqual(parseSignalReport('signalled=\nescalated=0\nleft=\n'), {
      ...{ signalled: [], isEscalated: false, left: [] },
    });
    assert.deepEqual(parseSignalReport(''), { signalled: [], isEscalated: false, left: [] });
  });

  it('is asked for in tenths of a second, never fewer than were given', () => {
    const folder = runFolder('/h/runs', spec.id);
    assert.match(
      signalCommand(folder, 'TERM'),
      /^\/bin\/sh \/h\/runs\/r-1\/capsule\.sh signal TERM$/,
    );
    for (const [graceMs, ticks] of [
      [0, 0],
      [1, 1],
      [100, 1],
      [101, 2],
      [10_000, 100],
    ] as const)
      assert.match(
        signalCommand(folder, 'INT', graceMs),
        new RegExp(`capsule\\.sh end INT ${ticks}$`),
      );
  });
});

describe('the record of an end', () => {
  const record = (code: number | string, marks: string): string =>
    `code=${code}\nended_ms=5\n${marks}\n   \n`;
  const signalled = (signal: string): Verdict => ({ kind: 'signalled', signal });
  const rows: readonly [text: string, verdict: Verdict][] = [
    [record(0, 'started=1'), { kind: 'ok' }],
    [record(0, ''), { kind: 'ok' }],
    [record(1, ''), { kind: 'failed', code: 1 }],
    [record(128, ''), { kind: 'failed', code: 128 }],
    [record(129, ''), signalled('HUP')],
    [record(137, 'oom=0'), signalled('KILL')],
    [record(137, 'oom=1'), { kind: 'out_of_memory' }],
    [record(143, 'oom=1'), signalled('TERM')],
    [record(1, 'oom=1'), { kind: 'failed', code: 1 }],
    [record(255, ''), { kind: 'failed', code: 255 }],
    [record(0, 'killed=1'), { kind: 'killed' }],
    [record(0, 'limit=1'), { kind: 'time_limit' }],
    [record(137, 'oom=1\nlimit=1'), { kind: 'time_limit' }],
    [record(137, 'oom=1\nkilled=1\nlimit=1'), { kind: 'killed' }],
    [record(0, 'started=0'), { kind: 'lost', why: 'its command was never started' }],
    [record(75, 'started=0\nkilled=1'), { kind: 'lost', why: 'its command was never started' }],
  ];
  for (const [text, verdict] of rows)
    it(`of ${text.trim().replaceAll('\n', ' ')} is ${verdictText(verdict)}`, () =>
      assert.deepEqual(parseExit(text), { verdict, endedMs: 5 }));

  for (const text of [
    record('', ''),
    record('-1', ''),
    record('1x', ''),
    'code=0\nended_ms=0',
    'code=0\nended_ms=x',
  ])
    it(`is none where it is not whole: ${JSON.stringify(text)}`, () =>
      assert.equal(parseExit(text), undefined));
});

describe('the name, the verdict and the handle of a run, in words', () => {
  it('are its number, or its id where no number is known', () => {
    assert.equal(runName(8), 'run 8');
    assert.equal(runTitle(8), 'Run 8');
    assert.equal(runName('r-1' as RunId), 'run r-1');
  });

  const words: readonly [Verdict, string][] = [
    [{ kind: 'ok' }, 'ok'],
    [{ kind: 'failed', code: 3 }, 'failed (exit code 3)'],
    [{ kind: 'signalled', signal: 'KILL' }, 'ended by signal KILL'],
    [{ kind: 'out_of_memory' }, 'out of memory'],
    [{ kind: 'time_limit' }, 'time limit reached'],
    [{ kind: 'killed' }, 'killed'],
    [{ kind: 'preempted' }, 'preempted'],
    [{ kind: 'lost', why: 'a power cut' }, 'lost (a power cut)'],
  ];
  for (const [verdict, text] of words)
    it(`are ${text}`, () => assert.equal(verdictText(verdict), text));

  it('name the alarm that ended the run, and no other', () => {
    const alarm = { detail: 'loss became NaN', action: 'kill' } as const;
    const killed = { kind: 'killed' } as const;
    assert.equal(verdictText(killed, alarm), 'killed after the alarm: loss became NaN');
    assert.equal(verdictText(killed, { ...alarm, action: 'warn' }), 'killed');
    assert.equal(verdictText({ kind: 'ok' }, alarm), 'ok');
  });

  it('are those of its state while it goes on', () => {
    const states: readonly [Liveness, string][] = [
      [{ kind: 'starting' }, 'starting'],
      [{ kind: 'queued', jobId: '7', why: 'Priority' }, 'queued (Priority)'],
      [{ kind: 'running' }, 'running'],
      [{ kind: 'unknown', why: 'link lost' }, 'no answer from gpu1 (link lost)'],
      [{ kind: 'ended', verdict: { kind: 'killed' }, endedMs: 1 }, 'killed'],
    ];
    for (const [liveness, text] of states) assert.equal(livenessText(liveness, 'gpu1'), text);
  });

  it('name the job where there is one, else the process, else nothing', () => {
    const process = { pid: 77, startTime: '1', bootId: 'b', startedMs: 1 };
    assert.equal(handleOf(spec, undefined), undefined);
    assert.equal(handleOf(spec, process), 'gpu1:77');
    assert.equal(handleOf(spec, undefined, '4711'), 'gpu1:4711');
    assert.equal(handleOf(spec, process, '4711'), 'gpu1:4711');
    assert.equal(handleOf(spec, { ...process, jobId: '4712' }, '4711'), 'gpu1:4712');
  });
});

describe('what a supervisor is told', () => {
  const of = (more: Partial<RunSpec>, machine: SharedMachine = {}): readonly string[] =>
    limitsFile({ ...spec, ...more }, machine)
      .trim()
      .split('\n')
      .slice(3);

  it('are the terms of the run, and nothing of what is not said', () => {
    assert.equal(limitsFile(spec, {}), 'run=r-1\nnumber=7\nsession=s-1\n');
    const limit = ['limit_ms=1501', 'limit_from=launch'];
    assert.deepEqual(of({ limit: { ms: 1500.2, from: 'launch' } }), [...limit, 'grace_ms=10000']);
    assert.deepEqual(of({ limit: { ms: 1501, from: 'launch', graceMs: 0 } }), [
      ...limit,
      'grace_ms=0',
    ]);
    assert.deepEqual(of({ resources: { gpus: 0 } }), ['gpus=0']);
    const share = { slots: 2, gpuIds: ['0', '3'] };
    assert.deepEqual(of({ resources: { gpus: 1, cpus: 4 } }, { share }), [
      'gpus=1',
      'cpus=4',
      'slots=2',
      'gpu_ids=0,3',
    ]);
    const scheduler = {} as NonNullable<SharedMachine['scheduler']>;
    assert.deepEqual(of({ resources: { gpus: 1, cpus: 4 } }, { share, scheduler }), [
      'gpu_ids=0,3',
    ]);
  });

  const waits: readonly [command: string, isWaitedFor: boolean][] = [
    ['train &', true],
    ['train & \n', true],
    ['&', true],
    ['train', false],
    ['train &&', false],
    ['a & b', false],
  ];
  for (const [command, isWaitedFor] of waits)
    it(`${isWaitedFor ? 'is' : 'is not'} to wait after ${JSON.stringify(command)}`, () => {
      const script =
        supervisorFiles({ ...spec, command }, { kind: 'local', runsFolder: '/h/runs' })[
          'command.sh'
        ] ?? '';
      assert.ok(script.startsWith(`${command}\n`));
      assert.equal(script.includes('wait "$!"'), isWaitedFor);
    });
});
