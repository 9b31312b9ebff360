import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { foldSession } from '../../../src/agent/journal/fold.ts';
import type { JournalEvent } from '../../../src/agent/journal/events.ts';
import type { RunId } from '../../../src/base/ids.ts';
import { SessionStates } from '../../../src/vscode/sessionView/states.ts';
import {
  barsBetween,
  stepAt,
  Timeline,
  turnFrom,
} from '../../../src/vscode/sessionView/timeline.ts';
import { trackAnswer } from '../../../src/vscode/sessionView/track.ts';
import { DemoNight, demoNight } from '../../fakes/demoNight.ts';
import { MemorySessionSource } from '../../fakes/memorySessionSource.ts';

function timelineOf(events: readonly JournalEvent[]): {
  timeline: Timeline;
  states: SessionStates;
} {
  const [timeline, states] = [new Timeline(), new SessionStates()];
  events.forEach((event, index) => {
    const state = states.add(event);
    if (state !== undefined) timeline.add(event, index, state);
  });
  return { timeline, states };
}

const rowsOf = (events: readonly JournalEvent[]) =>
  timelineOf(events).timeline.steps.map(({ row }) => row);

/** So many runs one after the other, each with a turn and a sleep of its own. */
function longNight(runs: number, night = new DemoNight()): DemoNight {
  for (let index = 0; index < runs; index++) {
    night.turn(`Trying lr=${index}.`, [], 0.01);
    const run = night.launch(`lr=${index}`);
    night.sleep('it trains', 60_000, 'it ended');
    night.end(run, 1 + index, index % 7 === 3 ? { kind: 'failed', code: 1 } : { kind: 'ok' });
  }
  return night;
}

describe('the state of a session at a moment', () => {
  it('is the fold over the events up to it, wherever that is', () => {
    const night = new DemoNight();
    // So that a reply, which costs, is among the events whose state is kept.
    for (let number = 1; number <= 5; number++)
      night.source.add({ type: 'note.pinned', number, text: 'a note' });
    const events = longNight(80, night).source.events();
    const { states } = timelineOf(events);
    assert.ok(events.length > 600, `${events.length} events`);
    for (let index = 0; index < events.length; index += index < 200 ? 1 : 37)
      assert.deepEqual(
        states.at(index),
        foldSession(events.slice(0, index + 1)),
        `after event ${index}`,
      );
  });

  it('is there for a journal that begins with something else', () => {
    const [start, ...rest] = demoNight().source.events();
    assert.ok(start !== undefined);
    const stray = { v: 1, id: 'x', at: 0, type: 'note.unpinned', number: 1 } as const;
    const { states } = timelineOf([stray, start, ...rest]);
    assert.equal(states.at(0), undefined);
    assert.deepEqual(states.at(1), foldSession([start]));
  });
});

describe('the timeline of a session', () => {
  it('has a step for each thing that happened, with what came of it', () => {
    const rows = rowsOf(demoNight().source.events());
    const texts = rows.map(({ kind, title, note = '' }) => `${kind}: ${title} | ${note}`);
    for (const expected of [
      'turn: I will first read train.py, then run it unchanged as a baseline. | ',
      'tool: Read train.py | import torch',
      'plan: Experiment 1 | The script as it is, as a baseline',
      'run: Run 1 · lr=1e-3 | gpu1',
      'runEnd: Run 1: ok | lr=1e-3 · 42 min 3 s · val_loss 1.48',
      'alarm: Run 2: val_loss became NaN at step 120 | It is being stopped',
      'decision: Experiment 2: crash | It diverged at step 120',
      'checkpoint: Checkpoint | 141k tokens condensed into a briefing',
      'resume: Session resumed | process 4711',
      'question: Question q1 | May I download the larger tokenizer (2.1 GB)? · Answers: Yes, No · Default: No',
      'answer: Default answer used for q1 | No · no answer in time',
    ])
      assert.ok(texts.includes(expected), `${expected}\nnot in\n${texts.join('\n')}`);
    assert.equal(
      rows
        .filter(({ kind }) => kind === 'sleep')
        .every(({ title }) => title.startsWith('Sleeping')),
      true,
    );
  });

  it('shows a reply without its marks, and names and products as they are written', () => {
    const night = new DemoNight();
    night.turn(
      '## **Run 8** reached `val_loss` 1.9, best_loss 2*3e-4, with _half_ the rate (*so far*).',
      [],
      0.01,
    );
    const titles = rowsOf(night.source.events()).map(({ title }) => title);
    assert.ok(
      titles.includes('Run 8 reached val_loss 1.9, best_loss 2*3e-4, with half the rate (so far).'),
      titles.join('\n'),
    );
  });

  it('sums up what was spent, and says what each turn cost', () => {
    const rows = rowsOf(demoNight().source.events());
    const turns = rows.filter(({ kind }) => kind === 'turn');
    assert.deepEqual(
      turns.map(({ cost }) => cost),
      ['$0.034', '$0.034', '$0.034', '$0.034'],
    );
    assert.deepEqual(
      turns.map(({ usd }) => Number(usd.toFixed(3))),
      [0.034, 0.068, 0.102, 0.136],
    );
  });

  it('completes a step in its own place, and tells from where on rows are different', () => {
    const source = new MemorySessionSource();
    const [timeline, states] = [new Timeline(), new SessionStates()];
    const feed = (): void => {
      const events = source.events();
      for (let index = states.events.length; index < events.length; index++) {
        const event = events[index];
        const state = event && states.add(event);
        if (event && state) timeline.add(event, index, state);
      }
    };
    feed();
    assert.equal(timeline.takeChanged(), 0);
    source.add({
      type: 'tool.started',
      callId: 'c1',
      name: 'exec',
      effect: 'execute',
      title: 'Run ls',
    });
    source.add({ type: 'note.pinned', number: 1, text: 'be quick' });
    feed();
    assert.equal(timeline.takeChanged(), 2);
    assert.equal(timeline.steps[2]?.row.tone, 'busy');
    source.add({
      type: 'tool.finished',
      callId: 'c1',
      name: 'exec',
      text: 'no such file',
      isError: true,
      durationMs: 9,
    });
    feed();
    assert.equal(timeline.takeChanged(), 2);
    assert.equal(timeline.takeChanged(), timeline.steps.length, 'nothing since');
    const { tone, note, endMs } = timeline.steps[2]?.row ?? {};
    assert.deepEqual([tone, note, endMs], ['bad', 'no such file', source.atMs]);
  });

  it('says of what a dying process left undone that it was interrupted', () => {
    const source = new MemorySessionSource();
    source.add({ type: 'model.requested', turn: 1, provider: 'p', model: 'm' });
    source.add({ type: 'session.resumed', by: 'process 2' });
    const [, , turn] = rowsOf(source.events());
    assert.deepEqual([turn?.kind, turn?.tone, turn?.note], ['turn', 'muted', 'interrupted']);
  });

  it('leaves out an event of a newer version', () => {
    const { source } = new DemoNight();
    const before = rowsOf(source.events()).length;
    source.add({ type: 'universe.ended', why: 'entropy' } as never);
    assert.equal(rowsOf(source.events()).length, before);
  });

  it('puts runs that go on together side by side, and the rest of many into the last lane', () => {
    const night = new DemoNight();
    const ids = Array.from({ length: 12 }, (_, index) => night.launch(`seed=${index}`));
    const first = ids[0] as RunId;
    night.end(first, 1);
    night.launch('seed=12');
    const { timeline } = timelineOf(night.source.events());
    const lanes = timeline.bars.map(({ lane }) => lane);
    assert.deepEqual(lanes, [0, 1, 2, 3, 4, 5, 6, 7, 7, 7, 7, 7, 0]);
    assert.equal(timeline.bars[0]?.status, 'ok');
    const after = barsBetween(timeline, timeline.steps.length - 1, timeline.steps.length);
    assert.equal(
      after.some(({ runId }) => runId === first),
      false,
      'it was over',
    );
    assert.equal(after.length, 12);
  });

  it('finds steps by time and turns by their order', () => {
    const { timeline } = timelineOf(demoNight().source.events());
    const { steps } = timeline;
    const at = (row: number): number => steps[row]?.row.atMs ?? 0;
    assert.equal(stepAt(steps, at(7)), 7);
    assert.equal(stepAt(steps, at(7) - 1), 6);
    assert.deepEqual([stepAt(steps, 0), stepAt(steps, at(0) + 1e12)], [0, steps.length - 1]);
    const next = turnFrom(steps, 2, 1);
    assert.deepEqual([steps[next]?.row.kind, turnFrom(steps, next, -1)], ['turn', 2]);
    assert.equal(turnFrom(steps, steps.length - 1, 1), steps.length - 1);
  });
});

describe('the overview', () => {
  const query = { axis: 'time', pixels: 1200 } as const;

  it('never has more bars in a lane than pixels, and loses no run', () => {
    const { timeline, states } = timelineOf(longNight(1000).source.events());
    const nowMs = states.last?.lastEventMs ?? 0;
    for (const axis of ['time', 'step'] as const) {
      const track = trackAnswer(timeline, { axis, pixels: 300 }, nowMs);
      assert.ok(track.bars.length <= 300 * track.lanes, `${track.bars.length} bars`);
      assert.equal(
        track.bars.reduce((sum, { count }) => sum + count, 0),
        1000,
      );
      assert.ok(
        track.turns.length <= 301 && track.money.x.length <= 602,
        `${track.turns.length} ${track.money.x.length}`,
      );
      assert.equal(
        track.bars.reduce((sum, { failed }) => sum + failed, 0),
        timeline.bars.filter(({ tone }) => tone === 'bad').length,
        'a failure is not hidden by its neighbours',
      );
      for (const { tone, count, failed } of track.bars)
        assert.equal(tone === 'bad', failed >= count - failed, `${failed} of ${count}: ${tone}`);
    }
  });

  it('shows sleeps as long as they lasted, and what goes on up to now', () => {
    const { timeline, states } = timelineOf(demoNight().source.events());
    const nowMs = (states.last?.lastEventMs ?? 0) + 600_000;
    const track = trackAnswer(timeline, query, nowMs);
    assert.deepEqual(
      track.sleeps.map(({ from, to }) => Math.round((to - from) / 60_000)),
      [42, 55, 50, 10],
    );
    assert.equal(track.bars.find(({ name }) => name.startsWith('run 5'))?.to, nowMs);
    assert.equal(track.full.to, nowMs);
  });

  it('shows a part of the session, with money as it was at its beginning', () => {
    const { timeline, states } = timelineOf(demoNight().source.events());
    const full = trackAnswer(timeline, query, states.last?.lastEventMs ?? 0);
    const from = (full.from + full.to) / 2;
    const part = trackAnswer(
      timeline,
      { ...query, from, to: full.to },
      states.last?.lastEventMs ?? 0,
    );
    assert.deepEqual([part.from, part.to, part.full], [from, full.to, full.full]);
    assert.equal(part.money.x[0], from);
    assert.ok((part.money.usd[0] ?? 0) > 0.06);
    assert.ok(part.marks.length < full.marks.length && part.bars.length < full.bars.length);
  });

  it('answers a range that is outside, or upside down, with everything', () => {
    const { timeline } = timelineOf(demoNight().source.events());
    const all = trackAnswer(timeline, { axis: 'step', pixels: 100 }, 0);
    const odd = trackAnswer(timeline, { axis: 'step', pixels: 100, from: 900, to: 800 }, 0);
    assert.deepEqual([odd.from, odd.to], [all.from, all.to]);
  });
});
