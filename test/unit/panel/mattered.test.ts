import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { buildLedger } from '../../../src/experiments/buildLedger.ts';
import type { LedgerRow } from '../../../src/experiments/ledger.ts';
import { scaleOf } from '../../../src/presentation/runs/mattered/axes.ts';
import {
  measuredRuns,
  type MeasuredRun,
} from '../../../src/presentation/runs/mattered/measured.ts';
import { matteredAnswer } from '../../../src/presentation/runs/mattered/mattered.ts';
import type { MatteredAxis } from '../../../src/protocol/mattered.ts';
import { comparisonsOf, withComparisons } from '../../../webview/metrics/mattered/brush.ts';
import { factsOf } from '../../../webview/metrics/mattered/reader.ts';
import { matches, readFilter } from '../../../webview/metrics/filter.ts';
import { itemsOf } from '../../../webview/metrics/items.ts';
import { MemoryPanelSource } from '../../fakes/memoryPanelSource.ts';
import { Noise } from '../../fakes/noise.ts';
import { rowOf, summaryOf } from '../vscode/states.ts';

const axisOf = (texts: readonly string[], kind: MatteredAxis['kind'] = 'number'): MatteredAxis => {
  const levels = [...new Set(texts)].filter((text) => text !== '');
  const places = texts.map((text) =>
    text === '' ? null : levels.indexOf(text) / (levels.length - 1),
  );
  return { name: 'lr', kind, isLog: false, ticks: [], places, texts };
};

const runsOf = (
  count: number,
  draw: (by: Noise, at: number) => [Record<string, string>, number],
): MeasuredRun[] => {
  const by = new Noise(5);
  return Array.from({ length: count }, (_, at) => {
    const [parameters, value] = draw(by, at);
    const number = at + 1;
    const names = { id: `r-${number}`, number, name: `run ${number}`, group: number };
    return { ...names, parameters, value, isChampion: number === 1 };
  });
};

const lower = { metric: 'loss', direction: 'lower', rule: 'last' } as const;
const higher = { ...lower, direction: 'higher' } as const;

describe('a range of an axis', () => {
  const numbers = axisOf(['1e-5', '1e-4', '0.001', '', '0.01']);

  it('becomes comparisons that the runs in it meet, and no other', () => {
    assert.equal(comparisonsOf(numbers, { from: 0.3, to: 0.7 }), 'lr>=1e-4 lr<=0.001');
    assert.equal(comparisonsOf(numbers, { from: 0, to: 0.4 }), 'lr<=1e-4');
    assert.equal(comparisonsOf(numbers, { from: 0.6, to: 1 }), 'lr>=0.001');
    assert.equal(comparisonsOf(numbers, { from: 0, to: 1 }), '');
    assert.equal(comparisonsOf(numbers, { from: 0.4, to: 0.5 }), undefined);
    const source = new MemoryPanelSource();
    numbers.texts.forEach((lr, at) => source.addRun({ id: `r-${at}`, parameters: { lr } }));
    const filter = readFilter('lr>=1e-4 lr<=0.001');
    const items = itemsOf(source.state(), { isGrouped: false, expanded: [] });
    const found = items.filter((item) => matches(item, filter)).map(({ id }) => id);
    assert.deepEqual(found, ['r-1', 'r-2']);
  });

  it('names one level, or the levels that are outside', () => {
    const levels = axisOf(['adam', 'sgd', 'two words', 'adam'], 'category');
    assert.equal(comparisonsOf(levels, { from: 0, to: 0.2 }), 'lr=adam');
    assert.equal(comparisonsOf(levels, { from: 0, to: 0.6 }), 'lr!="two words"');
    assert.equal(comparisonsOf(levels, { from: 0.9, to: 1 }), 'lr="two words"');
  });

  it('replaces the comparisons of its own parameter only', () => {
    const filter = 'seed run lr>=1 lr_min>=2 label:"a b" LR<3';
    assert.equal(withComparisons(filter, 'lr', 'lr<=5'), 'seed run lr_min>=2 label:"a b" lr<=5');
    assert.equal(withComparisons('lr>=1 x', 'lr', ''), 'x');
  });
});

describe('an axis', () => {
  const texts = (values: number[], isLog: boolean) =>
    scaleOf(values, isLog).ticks.map(({ text }) => text);
  const spread = (low: number, high: number) =>
    Array.from({ length: 20 }, (_, at) => low + (at * (high - low)) / 19);

  it('has round ticks, a tick per value of few, and powers of ten', () => {
    assert.deepEqual(texts(spread(0.13, 0.92), false), ['0.2', '0.4', '0.6', '0.8']);
    assert.deepEqual(texts([16, 32, 64, 16], false), ['16', '32', '64']);
    assert.deepEqual(texts(spread(2e-5, 0.2), true), ['1e-4', '0.001', '0.01', '0.1']);
  });

  it('places values in order within the axis', () => {
    const { place } = scaleOf([1, 10, 100], true);
    assert.ok(0 < place(1) && place(1) < place(10) && place(10) < place(100) && place(100) < 1);
    assert.equal(place(10), 0.5);
    assert.equal(scaleOf([3, 3], false).place(3), 0.5);
  });
});

describe('what mattered, in words', () => {
  it('names share, interval, better end and count of what matters, and bounds the rest', () => {
    const runs = runsOf(40, (by) => {
      const [lr, dropout] = [10 ** by.between(-5, -2), by.between(0, 0.5)];
      return [{ lr: `${lr}`, dropout: `${dropout}` }, Math.log10(lr) + 6 + 0.3 * by.normal()];
    });
    const { heading, parameters } = matteredAnswer({ decisive: lower, runs, leftOut: 0, best: [] });
    assert.equal(heading, 'loss, lower is better: 40 runs with 40 settings');
    assert.match(
      parameters[0]?.text ?? '',
      /^\d+ % of the variance \(\d+–\d+ %\), lower is better, 40 runs$/,
    );
    assert.match(parameters[0]?.detail ?? '', /^Strong rank correlation with loss \(0\.\d\d\)$/);
    assert.match(parameters[1]?.text ?? '', /^at most \d+ % of the variance, 40 runs$/);
    const up = matteredAnswer({ decisive: higher, runs, leftOut: 0, best: [] });
    assert.match(up.parameters[0]?.text ?? '', /higher is better/);
  });

  it('calls no end better where the best values lie in between', () => {
    const runs = runsOf(60, (by) => {
      const lr = 10 ** by.between(-5, -2);
      return [{ lr: `${lr}` }, (Math.log10(lr) + 3.4) ** 2 + 0.1 * by.normal()];
    });
    for (const [decisive, sign] of [
      [lower, 1],
      [higher, -1],
    ] as const) {
      const turned = runs.map((run) => ({ ...run, value: sign * run.value }));
      const answer = matteredAnswer({ decisive, runs: turned, leftOut: 0, best: [] });
      assert.match(answer.parameters[0]?.text ?? '', /, values in between are better, 60 runs$/);
    }
  });

  it('claims nothing on noise, and names the best level of a category', () => {
    const noise = runsOf(40, (by) => [{ lr: `${by.between(0, 1)}` }, by.normal()]);
    const { parameters } = matteredAnswer({ decisive: lower, runs: noise, leftOut: 0, best: [] });
    assert.deepEqual(
      parameters.map(({ isClaimed }) => isClaimed),
      [false],
    );
    const levels = runsOf(40, (by, at) => [
      { optimizer: ['adam', 'sgd', 'lion'][at % 3] ?? '' },
      (at % 3) + 0.2 * by.normal(),
    ]);
    const answer = matteredAnswer({ decisive: higher, runs: levels, leftOut: 0, best: [] });
    assert.match(answer.parameters[0]?.text ?? '', /, lion is best, 40 runs$/);
  });

  it('bounds nothing of a parameter that varies with one that matters', () => {
    const runs = runsOf(40, (by) => {
      const depth = by.whole(2, 6);
      const other = by.between(0, 1);
      const parameters = { depth: `${depth}`, width: `${64 * depth}`, other: `${other}` };
      return [parameters, depth + 0.3 * by.normal()];
    });
    const { parameters } = matteredAnswer({ decisive: lower, runs, leftOut: 0, best: [] });
    const textOf = (name: string) => parameters.find((one) => one.name === name)?.text ?? '';
    const together = /^varies together with parameters above, which explain as much, 40 runs$/;
    assert.match(textOf('depth'), / % of the variance \(/);
    assert.match(textOf('width'), together);
    assert.match(textOf('other'), /^at most/);
  });

  it('says why there is nothing to say', () => {
    const few = runsOf(5, (by, at) => [{ lr: `${at}` }, by.normal()]);
    const [note, out] = matteredAnswer({ decisive: lower, runs: few, leftOut: 2, best: [] }).notes;
    assert.match(note ?? '', /^12 runs with different settings are needed .* 7 more are needed\.$/);
    assert.match(out ?? '', /^2 runs left out/);
    const same = runsOf(20, (by) => [{ lr: '1' }, by.normal()]);
    const { notes } = matteredAnswer({ decisive: lower, runs: same, leftOut: 0, best: [] });
    assert.deepEqual(notes, ['No parameter varies between these runs.']);
    assert.match(matteredAnswer({ runs: [], leftOut: 0, best: [] }).notes[0] ?? '', /^No metric/);
  });

  it('averages the repeats of a sweep over two parameters, and of no other', () => {
    const draw = (_: Noise, at: number): [Record<string, string>, number] => [
      { lr: ['0.01', '0.1'][at % 2] ?? '', depth: `${2 + (Math.floor(at / 2) % 2) * 8}` },
      at,
    ];
    const { grid } = matteredAnswer({
      decisive: lower,
      runs: runsOf(8, draw),
      leftOut: 0,
      best: [],
    });
    assert.deepEqual([grid?.rowName, grid?.columnName], ['lr', 'depth']);
    assert.deepEqual(grid?.columns, ['2', '10']);
    assert.deepEqual(grid?.rows[0], {
      text: '0.01',
      cells: [
        { text: '2', runs: 2, rank: 1 },
        { text: '4', runs: 2, rank: 1 - 2 / 3 },
      ],
    });
    const three = runsOf(8, (by, at) => [{ ...draw(by, at)[0], z: `${at % 3}` }, at]);
    const other = matteredAnswer({ decisive: lower, runs: three, leftOut: 0, best: [] });
    assert.equal(other.grid, undefined);
  });

  it('draws the best so far as corners, up to the last run', () => {
    const runs = runsOf(3, (_, at) => [{}, 3 - at]);
    const best = [
      { number: 1, value: 3 },
      { number: 2, value: 2 },
    ];
    const { progress } = matteredAnswer({ decisive: lower, runs, leftOut: 0, best });
    const [a, b, c, d] = progress?.line ?? [];
    assert.equal(progress?.line.length, 4);
    assert.equal(a?.y, b?.y);
    assert.equal(b?.x, c?.x);
    assert.equal(c?.y, d?.y);
    assert.equal(d?.x, progress?.places[2]);
  });
});

describe('the question what mattered', () => {
  it('is asked again when a run ends or its value changes, not when an active run goes on', () => {
    const source = new MemoryPanelSource();
    source.decisive = { metric: 'loss', rule: 'last' };
    source.addRun({ id: 'r-1' });
    source.addRun({ id: 'r-2', isRunning: true, status: 'running' });
    source.setSeries('r-1', 'loss', Float64Array.of(2));
    const facts = () => factsOf(source.state(), ['r-1', 'r-2']);
    const before = facts();
    source.setSeries('r-2', 'loss', Float64Array.of(2, 1));
    assert.equal(facts(), before);
    source.setSeries('r-1', 'loss', Float64Array.of(2, 1.5));
    assert.notEqual(facts(), before);
    const later = facts();
    source.runs = source.runs.map((run) => ({ ...run, isRunning: false, status: 'ok' }));
    assert.notEqual(facts(), later);
    assert.notEqual(factsOf(source.state(), ['r-2']), facts());
  });
});

describe('the runs that count for what mattered', () => {
  const row = (number: number, lr: string, loss: number, more: Partial<LedgerRow> = {}) =>
    rowOf(number, {
      experimentId: 'e1',
      command: `train --lr ${lr} --seed ${number}`,
      verdict: { kind: 'ok' },
      metrics: [summaryOf('loss', loss)],
      ...more,
    });
  const ledger = buildLedger([
    row(1, '1', 3),
    row(2, '1', 2),
    row(3, '2', 1, { verdict: { kind: 'failed', code: 1 } }),
    row(4, '2', Number.NaN),
    row(5, '3', 1.5),
    row(6, '4', 1, { isReproduction: true }),
    row(7, '5', 0.1, { decision: { decision: 'invalid', why: 'leak', by: 'agent', atMs: 0 } }),
  ]);
  const idsOf = (...numbers: number[]) =>
    numbers.map((number) => ledger.rows.find((one) => one.number === number)?.runId ?? '');

  it('ended well with a finite value, and repeats have one setting', () => {
    const { decisive, runs, leftOut } = measuredRuns({ ledger }, idsOf(1, 2, 3, 4, 5, 6, 7));
    assert.equal(decisive?.metric, 'loss');
    assert.deepEqual(
      runs.map(({ number, group, parameters, value }) => [number, group, parameters, value]),
      [
        [1, 1, { lr: '1' }, 3],
        [2, 1, { lr: '1' }, 2],
        [5, 3, { lr: '3' }, 1.5],
      ],
    );
    assert.equal(leftOut, 4);
  });

  it('are those of the table, and the best so far is theirs', () => {
    const { runs, best } = measuredRuns({ ledger }, idsOf(1, 2));
    assert.deepEqual(
      runs.map(({ number }) => number),
      [1, 2],
    );
    assert.deepEqual(best, [
      { number: 1, value: 3 },
      { number: 2, value: 2.5 },
    ]);
  });
});
