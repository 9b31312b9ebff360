import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { buildHistory } from '../../../../src/agent/context/history.ts';
import { describeEvent } from '../../../../src/agent/journal/describeEvent.ts';
import type { JournalEvent, SessionEvent } from '../../../../src/agent/journal/events.ts';
import { outageText } from '../../../../src/agent/journal/runText.ts';
import { Outages } from '../../../../src/agent/runs/outages.ts';
import { Emitter } from '../../../../src/base/emitter.ts';
import type { Run, RunChange } from '../../../../src/runs/liveRun.ts';
import { buildBrief } from '../../../../src/reports/brief.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { Night } from '../../../fakes/nights.ts';
import { recorded, runState, started, stateOf } from '../../vscode/states.ts';

const startMs = new Date(2026, 10, 22, 8, 35, 14).getTime();

function watch(
  machines: Readonly<Record<number, string>>,
  past: readonly JournalEvent[] = [],
  hasAnswered = true,
) {
  const clock = new ManualClock(startMs);
  const changes = new Emitter<RunChange>();
  const events: SessionEvent[] = [];
  const runs = Object.entries(machines).map(([number, machineId]) => {
    const { spec } = runState(Number(number));
    const live = { liveness: { kind: 'running' }, ...(hasAnswered && { lastAnswerMs: startMs }) };
    return { spec: { ...spec, machineId }, ...live } as unknown as Run;
  });
  const outages = new Outages({
    log: {
      record: (event) => Promise.resolve(void events.push(event)),
      events: past,
      state: { runs: new Map(runs.map((run) => [run.spec.id, run])) } as never,
    },
    runs: { onDidChange: changes.event },
    sessionRuns: { live: () => runs as never },
    clock,
    onFailed: assert.fail,
  });
  const fire = (kind: 'unknown' | 'recovered', index: number): void =>
    changes.fire({ kind, run: runs[index], why: 'no answer' } as unknown as RunChange);
  const answer = (index: number): void =>
    void Object.assign(runs[index] ?? {}, { lastAnswerMs: clock.now() });
  const ends = () => events.filter(({ type }) => type === 'machine.out_of_reach');
  return { clock, events, ends, fire, answer, outages };
}

describe('outages of machines', () => {
  it('are told once they have lasted 10 s, with what goes on there, and again at their end', async () => {
    const { clock, events, fire } = watch({ 1: 'gpu1', 2: 'gpu1' });
    await clock.advance(4_000);
    fire('unknown', 0);
    fire('unknown', 1);
    await clock.advance(5_999);
    assert.deepEqual(events, []);
    await clock.advance(1);
    fire('unknown', 0);
    await clock.advance(60_000);
    fire('recovered', 0);
    assert.deepEqual(
      events.map((event) => describeEvent(recorded(event), stateOf())),
      [
        {
          ...{ kind: 'alarm', tone: 'warn' },
          title: 'gpu1 out of reach since 2026-11-22 08:35:14; 2 runs there go on',
        },
        {
          ...{ kind: 'alarm', tone: 'warn' },
          title: 'gpu1 answers again',
          detail: 'gpu1 out of reach 08:35:14–08:36:24; 2 runs went on',
        },
      ],
    );
  });

  it('that Helios did not see begin end, too, as soon as the machine has answered', async () => {
    const silent = { type: 'machine.silent', runs: 1 } as const;
    const over = { type: 'machine.out_of_reach', runs: 1 } as const;
    const past = [
      recorded({ ...silent, machineId: 'gpu1', fromMs: startMs - 60_000 }),
      recorded({ ...silent, machineId: 'gpu2', fromMs: startMs - 60_000 }),
      recorded({ ...over, machineId: 'gpu2', fromMs: startMs - 60_000, toMs: startMs - 30_000 }),
      recorded({ ...silent, machineId: 'gone', fromMs: startMs - 60_000 }),
    ];
    const { clock, events, fire, answer } = watch({ 1: 'gpu1', 2: 'gpu2' }, past, false);
    assert.deepEqual(events, []);
    fire('unknown', 0);
    await clock.advance(20_000);
    assert.deepEqual(events, []);
    answer(0);
    await clock.advance(5_000);
    await clock.advance(20_000);
    const toMs = startMs + 25_000;
    assert.deepEqual(events, [
      { ...over, machineId: 'gpu1', fromMs: startMs - 60_000, toMs, runs: 1 },
    ]);
  });

  it('are recorded once per machine, with from, to and the runs that went on', async () => {
    const { clock, ends, fire } = watch({ 1: 'gpu1', 2: 'gpu1', 3: 'gpu2' });
    fire('unknown', 0);
    await clock.advance(2_000);
    fire('unknown', 1);
    await clock.advance(20_000);
    fire('recovered', 0);
    fire('recovered', 1);
    const [event] = ends();
    assert.equal(ends().length, 1);
    assert.ok(event?.type === 'machine.out_of_reach');
    assert.deepEqual([event.machineId, event.toMs - event.fromMs, event.runs], ['gpu1', 22_000, 2]);
    assert.equal(outageText(event), 'gpu1 out of reach 08:35:14–08:35:36; 2 runs went on');
  });

  it('begin with the last sign of life of any run, not when they are noticed', async () => {
    const { clock, ends, fire, answer } = watch({ 1: 'gpu1', 2: 'gpu1' });
    await clock.advance(3_000);
    answer(0);
    await clock.advance(1_000);
    answer(1);
    await clock.advance(15_000);
    fire('unknown', 0);
    await clock.advance(10_000);
    fire('recovered', 0);
    const [event] = ends();
    assert.ok(event?.type === 'machine.out_of_reach');
    assert.equal(outageText(event), 'gpu1 out of reach 08:35:18–08:35:43; 2 runs went on');
  });

  it('are recorded where the machine answers right after they were noticed', async () => {
    const { clock, ends, fire } = watch({ 1: 'gpu1' });
    await clock.advance(17_000);
    fire('unknown', 0);
    await clock.advance(1_000);
    fire('recovered', 0);
    assert.equal(ends().length, 1);
  });

  it('are not worth a line below 10 s, and begin anew after the end', async () => {
    const { clock, ends, fire, answer } = watch({ 1: 'gpu1' });
    fire('unknown', 0);
    await clock.advance(9_000);
    fire('recovered', 0);
    await clock.advance(60_000);
    answer(0);
    fire('unknown', 0);
    await clock.advance(10_000);
    fire('recovered', 0);
    assert.deepEqual(
      ends().map((event) => event.type === 'machine.out_of_reach' && event.toMs - event.fromMs),
      [10_000],
    );
  });

  it('are a line of the brief, with its end or since when it goes on', async () => {
    const { clock, events, fire } = watch({ 1: 'gpu1', 2: 'gpu1', 3: 'gpu2' });
    fire('unknown', 0);
    await clock.advance(22_000);
    fire('recovered', 0);
    const happened = (): string => {
      const night = new Night();
      for (const event of events) night.add(event);
      return /## What happened meanwhile\n([^]*)/.exec(buildBrief(night.facts()))?.[1] ?? '';
    };
    assert.match(happened(), /^- \S+ \S+ gpu1 out of reach 08:35:14–08:35:36; 2 runs went on\n$/);
    fire('unknown', 2);
    await clock.advance(10_000);
    assert.match(
      happened(),
      /^- \S+ \S+ gpu2 out of reach since 2026-11-22 08:35:14; 1 run there goes on\n- /,
    );
    assert.equal(happened().trimEnd().split('\n').length, 2);
  });

  it('are no longer heard of after the end of the session', async () => {
    const { clock, events, fire, outages } = watch({ 1: 'gpu1' });
    fire('unknown', 0);
    outages.dispose();
    await clock.advance(60_000);
    fire('recovered', 0);
    assert.deepEqual(events, []);
  });
});

describe('what the model reads of accidents', () => {
  const at = (event: SessionEvent, atMs: number) => ({ ...recorded(event), at: atMs });
  const text = (...events: ReturnType<typeof at>[]): string =>
    JSON.stringify(buildHistory([{ ...started(), at: startMs }, ...events]));
  const resumed = { type: 'session.resumed', by: 'cli' } as const;
  /** A run that started at `atMs`. */
  const runAt = (atMs: number) => {
    const { spec } = runState(1);
    const process = { pid: 1, startTime: '1', bootId: 'b', startedMs: atMs };
    return [
      at({ type: 'run.planned', callId: '', spec }, atMs),
      at({ type: 'run.started', runId: spec.id, process }, atMs),
    ];
  };

  it('is when a machine was out of reach', () => {
    const outage: SessionEvent = {
      type: 'machine.out_of_reach',
      machineId: 'gpu1',
      fromMs: startMs,
      toMs: startMs + 22_000,
      runs: 2,
    };
    assert.match(
      text(at(outage, startMs + 22_000)),
      /\[gpu1 out of reach 08:35:14–08:35:36; 2 runs went on\.\]/,
    );
  });

  it('is that Helios was gone, unless it was back at once', () => {
    assert.match(
      text(at(resumed, startMs + 26_000)),
      /\[Helios was started again at 2026-11-22 08:35:40; its last record before is from 2026-11-22 08:35:14\.\]/,
    );
    assert.match(
      text(...runAt(startMs), at(resumed, startMs + 26_000)),
      /08:35:14; 1 run went on\.\]/,
    );
    assert.doesNotMatch(text(at(resumed, startMs + 4_000)), /started again/);
  });

  it('is for how long Helios was gone after a crash', () => {
    const dead = { ...resumed, lastSeenAt: startMs + 20_000 };
    assert.match(
      text(...runAt(startMs), at(dead, startMs + 140_000)),
      /\[Helios was gone for 2 min \(08:35:34–08:37:34\); 1 run went on\.\]/,
    );
    assert.doesNotMatch(text(at(dead, startMs + 23_000)), /gone|started again/);
  });
});
