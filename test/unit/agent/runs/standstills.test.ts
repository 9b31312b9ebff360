import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { buildHistory } from '../../../../src/agent/context/history.ts';
import { budgetEndMs, measuresOf, nothingSpent } from '../../../../src/agent/budget/measures.ts';
import { describeEvent } from '../../../../src/agent/journal/describeEvent.ts';
import type { JournalEvent, SessionEvent } from '../../../../src/agent/journal/events.ts';
import { foldSession } from '../../../../src/agent/journal/fold.ts';
import { workedMs } from '../../../../src/agent/journal/sessionEnd.ts';
import type { SessionState } from '../../../../src/agent/journal/state.ts';
import { happeningsOf } from '../../../../src/agent/reports/reportHappenings.ts';
import { Standstills } from '../../../../src/agent/runs/standstills.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { SleepyComputer } from '../../../fakes/sleepyComputer.ts';
import { recorded, runState, started, stateOf } from '../../vscode/states.ts';

const minute = 60_000;
const hour = 60 * minute;
const startMs = new Date(2026, 10, 22, 2, 0, 0).getTime();
const at = (event: SessionEvent, atMs: number): JournalEvent => ({ ...recorded(event), at: atMs });

/** A session with a run on this computer, one elsewhere, and 60 minutes. */
function sessionAt(atMs: number): JournalEvent[] {
  const process = { pid: 1, startTime: '1', bootId: 'b', startedMs: atMs };
  return [
    { ...started(), budget: { minutes: 60, experiment: { minutes: 30 } }, at: atMs },
    ...['local', 'gpu1'].flatMap((machineId, index) => {
      const spec = { ...runState(index + 1).spec, machineId };
      return [
        at({ type: 'run.planned', callId: '', spec }, atMs),
        at({ type: 'run.started', runId: spec.id, process }, atMs),
      ];
    }),
  ];
}

describe('time in which Helios stood still', () => {
  let clock: ManualClock;
  let computer: SleepyComputer;
  let events: JournalEvent[];
  let standstills: Standstills;
  let failed: unknown[];
  let recording: Promise<void>;
  beforeEach(() => {
    clock = new ManualClock(startMs);
    computer = new SleepyComputer(clock);
    events = sessionAt(startMs);
    failed = [];
    recording = Promise.resolve();
    standstills = new Standstills({
      log: {
        async record(event) {
          await recording;
          events.push(at(event, clock.now()));
        },
        get state() {
          return state();
        },
      },
      clock,
      awakeTime: computer,
      onFailed: (error) => void failed.push(error),
    });
  });
  const state = (): SessionState => foldSession(events) ?? assert.fail();
  const stood = () => events.filter(({ type }) => type === 'session.stood_still');
  const lines = () =>
    stood().map((event) => describeEvent(event, stateOf())?.title ?? assert.fail());

  it('is recorded when the computer slept, with the local runs, and told everywhere', async () => {
    await clock.advance(10 * minute);
    computer.sleep(4 * hour);
    await standstills.look();
    const text = 'The computer slept 02:10:00–06:10:00; 1 local run stood still';
    assert.deepEqual(lines(), [text]);
    assert.ok(JSON.stringify(buildHistory(events)).includes(`[${text}.]`));
    assert.deepEqual(
      happeningsOf(events, state()).map((one) => one.text),
      [text],
    );
  });

  it('says no more than is certain where the clocks do not show that the computer slept', async () => {
    await clock.advance(10 * minute);
    computer.sleep(hour, false);
    await standstills.look();
    assert.deepEqual(lines(), [
      'Helios stood still 02:10:00–03:10:00: the computer slept, its clock was set, or Helios was stopped',
    ]);
  });

  it('does not count for limits in minutes, nor for the time worked', async () => {
    await clock.advance(10 * minute);
    computer.sleep(4 * hour);
    await standstills.look();
    await clock.advance(5 * minute);
    const used = measuresOf({ state: state(), today: nothingSpent, nowMs: clock.now() });
    assert.deepEqual(
      used.map(({ scope, used: minutes }) => [scope, minutes]),
      [
        ['goal', 15],
        ['experiment', 15],
      ],
    );
    assert.equal(workedMs(state(), clock.now()), 15 * minute);
    assert.equal(budgetEndMs(state()), startMs + 5 * hour);
  });

  it('moves the alarm at the end of the minutes, also while it is being recorded', async () => {
    const written = Promise.withResolvers<void>();
    recording = written.promise;
    let alarms = 0;
    standstills.alarmAt(
      () => budgetEndMs(state()),
      () => void (alarms += 1),
    );
    await clock.advance(10 * minute);
    computer.sleep(4 * hour);
    await clock.advance(minute);
    assert.deepEqual([alarms, stood().length], [0, 0]);
    written.resolve();
    await clock.advance(48 * minute);
    assert.deepEqual([alarms, stood().length], [0, 1]);
    await clock.advance(minute);
    assert.equal(alarms, 1);
  });

  it('moves no alarm that was disposed', async () => {
    let alarms = 0;
    const alarm = standstills.alarmAt(
      () => budgetEndMs(state()),
      () => void (alarms += 1),
    );
    computer.sleep(4 * hour);
    await clock.advance(minute);
    alarm.dispose();
    await clock.advance(2 * hour);
    assert.equal(alarms, 0);
  });

  it('is not recorded below a minute, nor for the time before the session was opened', async () => {
    computer.sleep(minute - 1);
    await standstills.look();
    const other = new SleepyComputer(new ManualClock());
    const log = { record: () => assert.fail('recorded'), state: state() };
    new Standstills({ log, clock, awakeTime: other, onFailed: assert.fail });
    other.sleep(hour);
    other.look();
    assert.deepEqual(stood(), []);
  });

  it('ends with the session: what follows is the rest between its end and its continuation', async () => {
    events.push(at({ type: 'session.ended', reason: 'user', summary: '', evidence: [] }, startMs));
    computer.sleep(4 * hour);
    await standstills.look();
    assert.deepEqual(stood(), []);
  });

  it('that cannot be recorded is told, and holds nothing up', async () => {
    recording = Promise.reject(new Error('no disk'));
    computer.sleep(4 * hour);
    await standstills.look();
    assert.equal(standstills.look(), undefined);
    assert.equal(failed.length, 1);
  });
});
