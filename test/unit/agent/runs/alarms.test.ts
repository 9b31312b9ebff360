import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { AlarmKind } from '../../../../src/agent/journal/runEvents.ts';
import { WatchdogAlarms } from '../../../../src/agent/runs/watchdogAlarms.ts';
import { condemnedRuns, unheardAlarms } from '../../../../src/agent/runs/alarms.ts';
import { SessionLog } from '../../../../src/agent/journal/sessionLog.ts';
import type { Alarm, Question, RunState } from '../../../../src/agent/journal/state.ts';
import type { RunId } from '../../../../src/base/ids.ts';
import { silentLogger } from '../../../../src/base/logger.ts';
import type { Run } from '../../../../src/runs/liveRun.ts';
import type { Finding } from '../../../../src/watchdogs/finding.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';
import { recorded, runId, runsOf, runState, started } from '../../vscode/states.ts';

const alarm = (action: Alarm['action'], kind: AlarmKind = 'silence'): Alarm => ({
  ...{ kind, detail: 'says nothing', action, atMs: 1 },
});

describe('runs that are to be killed', () => {
  const question = (answer?: string, about: RunId | undefined = runId(1)): Question => ({
    ...{
      id: 'q1',
      text: 'Shall it?',
      options: [],
      fallback: 'let it run',
      askedMs: 1,
      deadlineMs: 2,
    },
    ...(about !== undefined && { runId: about }),
    ...(answer !== undefined && { answer: { text: answer, by: 'person' } }),
  });
  const kill = [alarm('kill'), alarm('warn')];
  const cases: readonly (readonly [
    name: string,
    run: Partial<RunState>,
    isCondemned: boolean,
    asked?: Question,
  ])[] = [
    ['that an alarm condemned', { alarms: kill }, true],
    [
      'that alarms only warned of, or asked about',
      { alarms: [alarm('warn'), alarm('ask')] },
      false,
    ],
    ['that a user said to kill', { alarms: [alarm('ask')] }, true, question(' Kill ')],
    ['that a user lets go on', { alarms: [alarm('ask')] }, false, question('let it run')],
    ['about which nobody has answered yet', { alarms: [alarm('ask')] }, false, question()],
    ['beside another one that a user said to kill', {}, false, question('kill', runId(2))],
    ['that is over', { alarms: kill, verdict: { kind: 'ok' } }, false],
    ['that never started', { alarms: kill, notStarted: 'no such machine' }, false],
    [
      'that never started, whatever a user said',
      { notStarted: 'no such machine' },
      false,
      question('kill'),
    ],
  ];
  for (const [name, changes, isCondemned, asked] of cases)
    it(`are ${isCondemned ? '' : 'not '}those ${name}`, () => {
      const runs = runsOf(runState(1, changes));
      const questions = new Map(asked === undefined ? [] : [[asked.id, asked]]);
      assert.deepEqual(
        condemnedRuns({ runs, questions }).map(({ spec }) => spec.number),
        isCondemned ? [1] : [],
      );
    });
});

describe('alarms of runs', () => {
  const folder = scratchFolder();
  let log: SessionLog;
  let woken: number;
  let killed: { readonly number: number; readonly graceMs: number | undefined }[];
  let asked: string[];
  const { spec, process } = runState(1);
  const run = { spec, liveness: { kind: 'running' } } as Run;

  beforeEach(async () => {
    [woken, killed, asked] = [0, [], []];
    const { v: _v, id: _id, at: _at, ...first } = started();
    log = await SessionLog.open(join(folder(), 'journal.jsonl'), new ManualClock(), first);
    for (const number of [1, 2])
      await log.record({ type: 'run.planned', callId: 'c', spec: runState(number).spec });
    await log.record({ type: 'run.started', runId: spec.id, process: process ?? assert.fail() });
  });
  afterEach(() => log.close());

  const inboxOf = (live: readonly Run[] = [run]): WatchdogAlarms =>
    new WatchdogAlarms({
      log,
      sessionRuns: { live: () => [...live], settle: () => Promise.resolve() },
      runs: {
        kill({ spec: { number }, liveness }, { graceMs } = {}) {
          killed.push({ number, graceMs });
          const sent = { signal: 'TERM', signalled: [], left: [], isEscalated: false };
          return Promise.resolve({ ...sent, wasRunning: true, isVerified: true, liveness });
        },
      },
      questions: {
        ask: ({ text, fallback }) => {
          asked.push(text);
          return Promise.resolve({ id: 'q1', fallback, deadlineMs: 1 });
        },
      },
      waiting: { alarm: () => void (woken += 1) },
      logger: silentLogger,
      onFailed: assert.fail,
    });
  const finding = (
    kind: AlarmKind,
    detail: string,
    action: Finding['action'] = 'warn',
  ): Finding => ({
    ...{ kind, detail, action },
  });
  const recordedAlarms = (): string[] =>
    log.events.flatMap((event) => (event.type === 'run.alarmed' ? [event.detail] : []));
  /** One alarm is told after the other: this one, of another run, after all before it. */
  const settle = async (sessionRuns: WatchdogAlarms): Promise<void> => {
    sessionRuns.tell({ ...run, spec: runState(2).spec }, [finding('divergence', 'the last')]);
    while (!recordedAlarms().includes('the last'))
      await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
  };

  it('are told five times of one kind at most, and each of the others', async () => {
    const sessionRuns = inboxOf();
    sessionRuns.tell(
      run,
      Array.from({ length: 9 }, (_, index) => finding('silence', `silence ${index}`)),
    );
    sessionRuns.tell(run, [finding('non_finite', 'grad became NaN')]);
    await settle(sessionRuns);
    const silences = [0, 1, 2, 3, 4].map((index) => `silence ${index}`);
    assert.deepEqual(recordedAlarms(), [...silences, 'grad became NaN', 'the last']);
    assert.equal(woken, 7);
  });

  it('of a run that is over, or is not one of the session, are not told', async () => {
    const sessionRuns = inboxOf();
    sessionRuns.tell({ ...run, liveness: { kind: 'ended' } } as Run, [
      finding('silence', 'over already'),
    ]);
    sessionRuns.tell({ ...run, spec: runState(3).spec }, [
      finding('silence', 'of another session'),
    ]);
    await log.record({
      type: 'run.ended',
      runId: spec.id,
      verdict: { kind: 'ok' },
      endedMs: 1,
      metrics: [],
    });
    sessionRuns.tell(run, [finding('silence', 'too late')]);
    await settle(sessionRuns);
    assert.deepEqual(recordedAlarms(), ['the last']);
  });

  it('ask the user, or kill the run at once, or only tell', async () => {
    const sessionRuns = inboxOf();
    sessionRuns.tell(run, [
      finding('silence', 'says nothing', 'ask'),
      finding('non_finite', 'loss became NaN', 'kill'),
    ]);
    await settle(sessionRuns);
    assert.deepEqual(asked, ['Run 1 (lr=1): says nothing. Kill it?']);
    assert.deepEqual(killed, [{ number: 1, graceMs: 300 }]);
  });

  it('that say kill are carried out by whoever takes the session up, and no others', async () => {
    const sessionRuns = inboxOf();
    sessionRuns.killCondemned();
    assert.deepEqual(killed, []);
    await log.record({
      type: 'run.alarmed',
      runId: spec.id,
      ...finding('divergence', 'loss grows', 'kill'),
    });
    inboxOf([]).killCondemned();
    assert.deepEqual(killed, []);
    sessionRuns.killCondemned();
    sessionRuns.killCondemned();
    assert.deepEqual(killed, [{ number: 1, graceMs: 5_000 }]);
  });
});

describe('alarms that nobody has heard of', () => {
  const planned = (number: number, sweepId?: string) => {
    const { spec } = runState(number);
    const sweep = sweepId === undefined ? {} : { sweep: { id: sweepId, index: number } };
    return recorded({ type: 'run.planned', callId: 'c', spec: { ...spec, ...sweep } });
  };
  const alarmed = (number: number, kind: AlarmKind = 'silence', action: Alarm['action'] = 'warn') =>
    recorded({
      type: 'run.alarmed',
      runId: runId(number),
      kind,
      detail: `${kind} ${number}`,
      action,
    });
  const textsOf = (...events: Parameters<typeof unheardAlarms>[0]): string[] =>
    unheardAlarms(events).map(({ text }) => text);

  it('are those since the last request, and since the sleep that they ended', () => {
    const asking = recorded({ type: 'model.requested', turn: 1, provider: 'p', model: 'm' });
    const woke = recorded({ type: 'sleep.ended', sleepId: 's', why: 'alarm', detail: '' });
    assert.deepEqual(textsOf(planned(1), alarmed(1), asking, alarmed(1)), ['run 1: silence 1']);
    assert.deepEqual(textsOf(planned(1), alarmed(1), woke), []);
  });

  it('of a sweep are the first of each kind, and none that kills a point', () => {
    const plans = [planned(1, 'sw1'), planned(2, 'sw1'), planned(3, 'sw2'), planned(4)];
    const told = [
      alarmed(1),
      alarmed(2),
      alarmed(1, 'divergence'),
      alarmed(2, 'non_finite', 'kill'),
      alarmed(3),
    ];
    assert.deepEqual(
      textsOf(...plans, ...told, alarmed(4), alarmed(4), alarmed(4, 'non_finite', 'kill')),
      [
        ...['run 1: silence 1', 'run 1: divergence 1', 'run 3: silence 3'],
        ...['run 4: silence 4', 'run 4: silence 4', 'run 4: non_finite 4'],
      ],
    );
  });
});
