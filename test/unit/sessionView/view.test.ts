import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { LedgerLine } from '../../../src/protocol/sessionView.ts';
import { axisLabels } from '../../../webview/session/axisLabels.ts';
import { ordered } from '../../../webview/session/ledgerOrder.ts';
import { longestWaitMs, ReplayClock } from '../../../webview/session/replayClock.ts';
import { formatUsd as viewUsd } from '../../../webview/session/labels.ts';
import { exactTime, relative, span } from '../../../webview/session/times.ts';
import { exactTime as hostExactTime } from '../../../src/base/localTime.ts';
import { formatSpan } from '../../../src/base/span.ts';
import { formatUsd } from '../../../src/base/text.ts';
import { keyTarget } from '../../../webview/session/timelineList.ts';
import { windowOf } from '../../../webview/shared/windowOf.ts';
import { ViewStore } from '../../../webview/shared/viewStore.ts';
import { restoreState, type ViewState } from '../../../webview/session/viewState.ts';

/** Steps at these seconds. */
const steps = (...seconds: readonly (number | undefined)[]) => ({
  count: seconds.length,
  timeOf: (row: number) => (seconds[row] === undefined ? undefined : seconds[row] * 1000),
});

describe('the clock of a replay', () => {
  it('goes as fast as it happened, or so many times faster', () => {
    const real = new ReplayClock(0);
    assert.deepEqual(
      [400, 400, 400].map((ms) => real.advance(ms, 1, steps(0, 1, 2, 3))),
      [0, 0, 1],
    );
    const fast = new ReplayClock(0);
    assert.equal(fast.advance(250, 10, steps(0, 1, 2, 3)), 2);
  });

  it('does not wait out a night', () => {
    const clock = new ReplayClock(0);
    assert.equal(clock.advance(longestWaitMs - 1, 1, steps(0, 30_000, 30_001)), 0);
    assert.equal(clock.advance(1, 1, steps(0, 30_000, 30_001)), 1);
  });

  it('loses no time between frames, and takes many steps in one', () => {
    const clock = new ReplayClock(0);
    const many = steps(...Array.from({ length: 101 }, (_, index) => index));
    for (let frame = 0; frame < 10; frame++) clock.advance(100, 100, many);
    assert.equal(clock.row, 100);
  });

  it('waits where the time of the next step is not known yet', () => {
    const clock = new ReplayClock(0);
    assert.equal(clock.advance(60_000, 100, steps(0, undefined, 2)), 0);
    assert.equal(
      clock.advance(9, 100, steps(0, 1, 2)),
      0,
      'what passed meanwhile is not made up for',
    );
    assert.equal(clock.advance(1, 100, steps(0, 1, 2)), 1);
  });

  it('comes to the end of anything within some seconds, and stays there', () => {
    const night = steps(...Array.from({ length: 10_000 }, (_, index) => index));
    const clock = new ReplayClock(0);
    for (let frame = 0; frame < 240; frame++) clock.advance(16, 0, night);
    assert.equal(clock.row, 9999);
    assert.equal(clock.advance(16, 0, night), 9999);
  });

  it('passes over a clock that was set back', () => {
    assert.equal(new ReplayClock(0).advance(1, 1, steps(50, 10, 11)), 1);
  });
});

const range = (top: number, height: number, total: number) =>
  windowOf({ top, height, total, rowHeight: 22, spareRows: 10 });

describe('the list of steps', () => {
  it('draws what is in sight and a little more, of however many', () => {
    assert.deepEqual(range(0, 440, 10_000), { from: 0, to: 30 });
    assert.deepEqual(range(22 * 5000, 440, 10_000), { from: 4990, to: 5030 });
    assert.deepEqual(range(22 * 9990, 440, 10_000), { from: 9980, to: 10_000 });
    assert.deepEqual(range(0, 440, 0), { from: 0, to: 0 });
    assert.deepEqual(
      range(22 * 50, 440, 5),
      { from: 0, to: 5 },
      'scrolled beyond what has become shorter',
    );
  });

  for (const [key, expected] of Object.entries({
    ...{ ArrowUp: 49, ArrowDown: 51, PageUp: 30, PageDown: 70, Home: 0, End: 99, x: undefined },
  }))
    it(`moves with ${key}`, () =>
      assert.equal(keyTarget(key, { row: 50, last: 99, page: 20 }), expected));

  it('stays within the session', () => {
    assert.equal(keyTarget('PageUp', { row: 3, last: 99, page: 20 }), 0);
    assert.equal(keyTarget('ArrowDown', { row: 99, last: 99, page: 20 }), 99);
  });
});

describe('the order of the ledger', () => {
  const line = (number: number, more: Partial<LedgerLine>): LedgerLine => ({
    ...{
      name: `e${number}`,
      number,
      what: '',
      decision: '',
      tone: 'plain',
      why: '',
      best: '',
      runs: [],
      cost: '',
    },
    ...{ code: '', isChampion: false, options: [] },
    ...more,
  });
  const lines = [
    line(1, { bestValue: 2 }),
    line(2, {}),
    line(3, { bestValue: 0.5 }),
    line(4, { bestValue: 2 }),
  ];
  const by = (isDescending: boolean) =>
    ordered({ lines, options: [] }, { column: 'best', isDescending }).map(({ number }) => number);

  it('keeps lines without a value last, both ways, and equal ones by their number', () => {
    assert.deepEqual(by(false), [3, 1, 4, 2]);
    assert.deepEqual(by(true), [1, 4, 3, 2]);
  });

  it('compares the values of an option as numbers', () => {
    const rates = ['0.01', '1e-4', '', '0.1'].map((rate, index) =>
      line(index + 1, { options: [rate] }),
    );
    const table = { lines: rates, options: ['--lr'] };
    const sorted = ordered(table, { column: 'option --lr', isDescending: false });
    assert.deepEqual(
      sorted.map(({ number }) => number),
      [2, 1, 4, 3],
    );
  });
});

describe('times and axes', () => {
  it('are those of the host, which webviews cannot import', () => {
    for (const spanMs of [-5, 59_999, 60_000, 7_800_000, 90_000_000])
      assert.equal(span(spanMs), formatSpan(spanMs));
    for (const usd of [0, 1.2, 0.075, 0.0042]) assert.equal(viewUsd(usd), formatUsd(usd));
    assert.equal(exactTime(1_700_000_000_000), hostExactTime(1_700_000_000_000));
  });

  it('say how long and how long ago', () => {
    assert.deepEqual([40_000, 720_000, 7_800_000, 3 * 86_400_000].map(span), [
      ...['40 s', '12 min', '2 h 10 min', '3 d'],
    ]);
    assert.deepEqual([relative(1000, 61_000), relative(61_000, 1000)], ['1 min ago', 'in 1 min']);
  });

  it('label steps from 1 and times as clocks count them', () => {
    assert.deepEqual(
      axisLabels('step', { from: 0, to: 44 }, 6).map(({ text }) => text),
      ['10', '20', '30', '40'],
    );
    const start = new Date(2026, 0, 1, 22).getTime();
    const night = axisLabels('time', { from: start, to: start + 8 * 3_600_000 }, 9);
    assert.deepEqual(
      night.slice(0, 3).map(({ text }) => text),
      ['22:00', '23:00', '00:00'],
    );
  });

  it('never label without end', () => {
    for (const axis of ['time', 'step'] as const)
      for (const to of [0.001, 1, 1e6, 1e12])
        assert.ok(axisLabels(axis, { from: 0, to }, 8).length <= 9, `${axis} ${to}`);
  });
});

describe('what the user has arranged', () => {
  it('survives being saved', () => {
    let saved: unknown;
    const store = {
      getState: () => saved,
      setState: (state: ViewState) => void (saved = structuredClone(state)),
    };
    const first = new ViewStore(store, restoreState(store.getState()), () => undefined);
    first.update({
      sessionId: 's-1',
      tab: 'inbox',
      isLive: false,
      row: 17,
      speed: 100,
      sort: { column: 'best', isDescending: true },
    });
    first.zoomTo({ from: 10, to: 20 });
    assert.deepEqual(
      new ViewStore(store, restoreState(store.getState()), () => undefined).state,
      first.state,
    );
  });

  it('is sound whatever was saved', () => {
    const sound = restoreState(undefined);
    for (const junk of [
      null,
      7,
      [],
      { tab: 'x', row: -1, speed: 3, axis: 1, zoom: { time: { from: 2, to: 1 } }, sort: 'no' },
    ])
      assert.deepEqual(restoreState(junk), sound);
  });
});
