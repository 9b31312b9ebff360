import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { DOMParser } from 'linkedom';
import type { SeriesColumns } from '../../../src/metrics/metric.ts';
import { drawCharts } from '../../../src/reports/chartSet.ts';
import { bestSoFar } from '../../../src/experiments/bestSoFar.ts';
import { progressChart, type ProgressPoint } from '../../../src/reports/progressChart.ts';
import { runChart } from '../../../src/reports/runChart.ts';
import { scaleFor } from '../../../src/reports/scale.ts';
import { fullNight, lossOf, Night } from '../../fakes/nights.ts';

function seriesOf(
  values: readonly number[],
  steps = values.map((_, index) => index),
): SeriesColumns {
  return {
    steps: Float64Array.from(steps),
    timesMs: Float64Array.from(steps),
    values: Float64Array.from(values),
  };
}

interface Found {
  readonly textContent: string;
  getAttribute(name: string): string | null;
}

/** What the selector finds in the document, parsed as XML. */
function all(svg: string | undefined, selector: string): readonly Found[] {
  assert.ok(svg !== undefined);
  assert.doesNotMatch(svg, /NaN[" ,LM]|Infinity|undefined/);
  const opened = svg.match(/<[a-z]+(?=[\s>])[^>]*(?<!\/)>/g)?.length;
  assert.equal(opened, svg.match(/<\/[a-z]+>/g)?.length, 'each element is closed');
  const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml');
  return Array.from(parsed.querySelectorAll(selector) as Iterable<Found>);
}

const textsOf = (svg: string | undefined, selector = 'text'): string[] =>
  all(svg, selector).map(({ textContent }) => textContent);
const lineOf = (svg: string | undefined, selector: string): string =>
  all(svg, selector)[0]?.getAttribute('d') ?? '';

/** Of WCAG. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe('the chart of runs', () => {
  const falling = seriesOf([3, 2, 1]);

  it('draws the champion thicker and above the others, the goal dashed', () => {
    const svg = runChart({
      metric: 'loss',
      runs: [
        { number: 1, name: 'run 1', isChampion: true, series: falling },
        { number: 2, name: 'run 2', isChampion: false, series: seriesOf([3, 2.5, 2]) },
      ],
      goal: { value: 0.5, text: 'loss < 0.5' },
    });
    const names = textsOf(svg, '.line > title');
    assert.deepEqual(names, ['run 2', 'run 1']);
    assert.match(svg ?? '', /\.line\.strong\{stroke-width:3/);
    assert.match(svg ?? '', /\.goal\{[^}]*stroke-dasharray/);
    assert.equal(all(svg, '.goal').length, 2, 'the line, and its sign in the legend');
    assert.ok(textsOf(svg).includes('run 1 · champion') && textsOf(svg).includes('loss < 0.5'));
  });

  it('gives a run the same colour and dashes whichever other runs are drawn', () => {
    const runOf = (number: number) => ({
      ...{ number, name: `run ${number}`, isChampion: number === 3, series: falling },
    });
    const classes = (...numbers: number[]): ReadonlyMap<string, string | null> =>
      new Map(
        all(runChart({ metric: 'loss', runs: numbers.map(runOf) }), 'path.line')
          .filter(({ textContent }) => textContent !== '')
          .map((line) => [line.textContent, line.getAttribute('class')]),
      );
    assert.equal(classes(3, 1).get('run 1'), 'line c0 d0');
    assert.equal(classes(3, 1).get('run 3'), 'line c2 d0 strong');
    assert.equal(classes(1, 2, 3, 13).get('run 3'), 'line c2 d0 strong');
    assert.equal(classes(1, 2, 3, 13).get('run 13'), 'line c0 d1');
  });

  it('draws repeats as their mean in a band of one standard deviation, which one run lacks', () => {
    const svg = runChart({
      metric: 'loss',
      runs: [
        {
          ...{ number: 1, name: 'runs 1–3', isChampion: true, series: seriesOf([4, 2]) },
          repeats: [seriesOf([4, 3]), seriesOf([4, 4, NaN])],
        },
        { number: 4, name: 'run 4', isChampion: false, series: seriesOf([1, 5]) },
      ],
    });
    const placesOf = (selector: string): number[] =>
      [...lineOf(svg, selector).matchAll(/[ML][-\d.]+ ([-\d.]+)/g)].map(([, y]) => Number(y));
    const [, mean = NaN] = placesOf('.line.strong');
    const [, low = NaN, high = NaN] = placesOf('.band');
    assert.ok(Math.abs(low - mean - (mean - high)) < 0.3 && low > high, `${low} ${mean} ${high}`);
    // Of 1 and 5, the ends of the axis, 3 is in the middle, and the deviation of 2, 3, 4 is 1.
    const [bottom = NaN, top = NaN] = placesOf('.line:not(.strong)');
    assert.ok(Math.abs(low - mean - (bottom - top) / 4) < 0.3);
    assert.equal(all(svg, '.band').length, 1);
    assert.deepEqual(textsOf(svg, '.bad > title'), ['runs 1–3: NaN', 'infinite or NaN']);
  });

  it('keeps a logarithmic axis where a band reaches below zero', () => {
    const repeats = [seriesOf([100, 0.001])];
    const runs = [{ ...{ number: 1, name: 'runs 1, 2', isChampion: true }, repeats }];
    const svg = runChart({
      metric: 'loss',
      runs: runs.map((run) => ({ ...run, series: seriesOf([100, 1]) })),
    });
    assert.ok(textsOf(svg).includes('loss (log scale)'), textsOf(svg).join());
  });

  it('shows characters that change the direction of a text', () => {
    const runs = [{ number: 1, name: 'a\u202eb\u2028c', isChampion: false, series: falling }];
    assert.ok(textsOf(runChart({ metric: 'loss', runs })).includes('a⟨U+202E⟩b⟨U+2028⟩c'));
  });

  it('marks where a value is no number, and says so', () => {
    const svg = runChart({
      metric: 'loss',
      runs: [
        { number: 1, name: 'run 1', isChampion: false, series: seriesOf([3, NaN, 2, Infinity, 1]) },
      ],
    });
    const marks = textsOf(svg, '.bad > title');
    assert.deepEqual(marks, ['run 1: NaN', 'run 1: Inf', 'infinite or NaN']);
  });

  it('keeps the axis readable where a run diverges, which leaves at the top', () => {
    const named = (name: string, ...values: number[]) => ({
      ...{ number: Number(name.at(-1)), name, isChampion: name === 'run 1' },
      series: seriesOf(values),
    });
    const svg = runChart({
      metric: 'test rmse',
      runs: [
        named('run 1', 0.13, 0.08, 0.056),
        named('run 2', 0.14, 0.09, 0.058),
        named('run 7', 0.2, 600, 1e9, Infinity, NaN),
      ],
    });
    const texts = textsOf(svg);
    assert.ok(texts.includes('0.1') && texts.includes('test rmse'), texts.join());
    assert.deepEqual(
      texts.filter((text) => text.includes('e+') || text.startsWith('run 7')),
      ['run 7 · off scale'],
    );
    const place = (name: string): number[] =>
      all(svg, '.line')
        .filter(({ textContent }) => textContent === name)
        .flatMap((line) => [...(line.getAttribute('d') ?? '').matchAll(/ ([-\d.]+)/g)])
        .map(([, y]) => Number(y));
    assert.ok(Math.max(...place('run 2')) - Math.min(...place('run 2')) > 200, 'fills the chart');
    assert.deepEqual(place('run 7'), [44, 44, 44]);
  });

  it('draws the way to the best without what a run without success reached', () => {
    const svg = progressChart({
      metric: 'loss',
      best: [
        { number: 1, value: 0.5 },
        { number: 2, value: 0.4 },
      ],
      points: [
        { number: 1, value: 0.5, counts: true },
        { number: 2, value: 0.4, counts: true },
        { number: 3, value: 1e9, counts: false },
      ],
    });
    assert.ok(!textsOf(svg).some((text) => text.includes('e+') || text.includes('log scale')));
    assert.equal(all(svg, '.bad').length, 2, 'the cross, and its sign in the legend');
  });

  it('keeps the lowest and the highest of a million points in a small picture', () => {
    const values = Array.from({ length: 1_000_000 }, (_, index) =>
      index === 700_000 ? -9 : index === 1 ? 99 : 1,
    );
    const svg = runChart({
      metric: 'score',
      runs: [{ number: 1, name: 'run 1', isChampion: true, series: seriesOf(values) }],
    });
    assert.ok((svg?.length ?? Infinity) < 60_000, `${svg?.length} characters`);
    const heights = [...lineOf(svg, '.strong').matchAll(/[ML][\d.]+ ([\d.]+)/g)].map(([, y]) =>
      Number(y),
    );
    assert.deepEqual(
      [Math.min(...heights), Math.max(...heights)],
      [54, 342],
      'from the top to the bottom of the axes',
    );
  });

  it('draws one point as a dot, and nothing where there is none', () => {
    const one = runChart({
      metric: 'loss',
      runs: [{ number: 1, name: 'run 1', isChampion: true, series: seriesOf([2]) }],
    });
    assert.equal(all(one, 'circle.dot').length, 1);
    assert.equal(
      runChart({
        metric: 'loss',
        runs: [{ number: 1, name: 'run 1', isChampion: true, series: seriesOf([NaN]) }],
      }),
      undefined,
    );
    assert.equal(runChart({ metric: 'loss', runs: [] }), undefined);
  });

  it('spreads values over powers of ten, unless one is not above 0', () => {
    const wide = {
      metric: 'loss',
      runs: [{ number: 1, name: 'run 1', isChampion: true, series: seriesOf([1000, 10, 0.1]) }],
    };
    assert.ok(textsOf(runChart(wide)).includes('loss (log scale)'));
    const crossing = {
      metric: 'loss',
      runs: [{ number: 1, name: 'run 1', isChampion: true, series: seriesOf([1000, 0]) }],
    };
    assert.ok(textsOf(runChart(crossing)).includes('loss'));
  });

  it('is readable on white and on dark, without knowing which it is', () => {
    const svg =
      runChart({
        metric: 'loss',
        runs: [{ number: 1, name: 'run 1', isChampion: true, series: falling }],
      }) ?? '';
    assert.doesNotMatch(svg, /prefers-color-scheme|<rect/);
    const [, style = ''] = /<style>([^<]*)</.exec(svg) ?? [];
    const colours = [...style.matchAll(/([\w.]+)\{[^}]*?(?:fill|stroke|color):(#\w+)/g)];
    assert.ok(colours.length >= 14);
    for (const [, rule, colour = ''] of colours)
      for (const ground of ['#ffffff', '#1f1f1f'])
        assert.ok(
          contrast(colour, ground) >= (rule === 'text' ? 3.9 : 3),
          `${rule} ${colour} on ${ground}`,
        );
    assert.match(svg, /<title>loss<\/title><desc>loss by step of run 1 \(champion\)<\/desc>/);
  });

  it('lets no name end an element or an attribute', () => {
    const name = '</text><script>alert(1)</script>" onload="x" & \u0000\u001b[31m\uFFFF\uD800';
    const svg = runChart({
      metric: name,
      runs: [{ number: 1, name, isChampion: true, series: falling }],
    });
    assert.equal(all(svg, 'script').length, 0);
    assert.doesNotMatch(svg ?? '', /[\u0000\u001b\uFFFF]|[\uD800-\uDFFF]|<script/);
    assert.doesNotMatch(svg ?? '', /" onload/);
  });

  it('draws values of any size', () => {
    for (const values of [
      [1e308, -1e308],
      [5e-324, 1e-300],
      [7, 7, 7],
      [0, 0],
      [-1e-12, 1e-12],
    ])
      all(
        runChart({
          metric: 'm',
          runs: [{ number: 1, name: 'run 1', isChampion: true, series: seriesOf(values) }],
        }),
        'svg',
      );
  });
});

describe('the chart of the way to the best', () => {
  const point = (
    number: number,
    value: number,
    more: Partial<ProgressPoint> = {},
  ): ProgressPoint => ({
    number,
    value,
    counts: true,
    ...more,
  });

  it('goes down in steps, and does not follow what does not count', () => {
    const svg = progressChart({
      metric: 'loss',
      best: [point(1, 4), point(4, 2)],
      points: [
        point(1, 4, { decision: 'keep' }),
        point(2, 5, { decision: 'discard' }),
        point(3, 1, { counts: false, decision: 'crash' }),
        point(4, 2, { decision: 'keep' }),
      ],
    });
    const corners = lineOf(svg, '.line.strong').match(/[ML][\d.]+ [\d.]+/g) ?? [];
    assert.equal(corners.length, 4, 'level, down, level');
    const count = (selector: string): number => all(svg, `${selector} > title`).length;
    assert.deepEqual(
      [count('circle.keep'), count('circle.discard'), count('path.bad')],
      [3, 2, 2],
      'with the legend',
    );
    assert.ok(textsOf(svg).every((text) => !/^\d+\.\d+$/.test(text) || Number(text) <= 5));
  });

  it('thins out ten thousand runs and keeps all that were kept', () => {
    const points = Array.from({ length: 10_000 }, (_, index) =>
      point(index + 1, 5 + Math.sin(index), index % 1000 === 7 ? { decision: 'keep' } : {}),
    );
    const svg = progressChart({ metric: 'loss', points, best: [] });
    assert.ok((svg?.length ?? Infinity) < 100_000, `${svg?.length} characters`);
    assert.equal(all(svg, 'circle.keep').length, 10 + 1);
  });
});

describe('the best value so far', () => {
  const steps = (night: Night): (readonly [number, number])[] =>
    bestSoFar(night.facts()).map(({ number, value }) => [number, Number(value.toPrecision(6))]);
  const seeds = (lr: string, ...losses: readonly number[]) =>
    losses.map((loss, seed) => ({
      command: `train --lr ${lr} --seed ${seed}`,
      metrics: [lossOf(loss), lossOf(lr === '3' ? 922 : 400, { metric: 'model_kb' })],
    }));

  it('goes from mean to mean of the seeds of the goal, past what was discarded or is too big', () => {
    const night = new Night('loss < 3.3, mean over seeds 0 to 2, and model_kb < 600');
    const why = 'w';
    const decision = (is: 'reference' | 'keep' | 'discard') => ({
      hypothesis: is,
      decision: { is, why },
    });
    night.experiment(decision('reference'), ...seeds('0', 7.8, 8.1, 8.2));
    night.experiment(decision('keep'), ...seeds('1', 3.0006, 3.2888, 3.2739));
    night.experiment(decision('discard'), ...seeds('2', 2.9797, 3, 3));
    night.experiment({ hypothesis: 'too big' }, ...seeds('3', 2.9, 2.9, 2.9));
    night.experiment({ hypothesis: 'one seed' }, ...seeds('4', 1));
    assert.deepEqual(steps(night), [
      [3, 8.03333],
      [6, 3.18777],
    ]);
  });

  it('is one run where one suffices, follows its repeats, and goes up where more is better', () => {
    const night = new Night('loss < 3.3');
    night.experiment({ hypothesis: 'a' }, ...seeds('1', 4, 2));
    night.experiment({ hypothesis: 'b' }, ...seeds('2', 5));
    assert.deepEqual(steps(night), [
      [1, 4],
      [2, 3],
    ]);
    const up = new Night('acc > 0.9');
    for (const acc of [0.2, 0.6, 0.4])
      up.run({ metrics: [lossOf(acc, { metric: 'acc', direction: 'higher' })] });
    assert.deepEqual(steps(up), [
      [1, 0.2],
      [2, 0.6],
    ]);
  });
});

describe('the charts of a report', () => {
  const read = (row: { metrics: readonly { min: number }[] }): Promise<SeriesColumns> =>
    Promise.resolve(seriesOf([4, row.metrics[0]?.min ?? 1]));

  it('are the way to the best, the metric that decides, and others of the champion', async () => {
    const night = new Night();
    night.run({ loss: 2 });
    const acc = lossOf(0.9, { metric: 'val/acc', direction: 'higher' });
    const rate = lossOf(0.1, { metric: 'lr', direction: 'none' });
    night.run({ metrics: [lossOf(1), acc, rate, { ...acc, metric: 'val.acc' }] });
    const charts = await drawCharts(night.facts(), read);
    assert.deepEqual(
      charts.map(({ name }) => name),
      ['best-so-far', 'loss', 'val-acc', 'val-acc-2'],
    );
    for (const { svg } of charts) all(svg, 'svg');
  });

  it('show the champion, the best, and what stopped being a number', async () => {
    const [, loss] = await drawCharts(fullNight().facts(), read);
    assert.equal(loss?.text, 'loss of run 4, run 5, run 6, run 1, run 2, run 7 (excluded)');
    assert.ok(textsOf(loss.svg).includes('run 7 · excluded'));
    assert.match(
      loss.svg,
      /<desc>loss by step of run 4 \(champion\), .*, run 7 \(excluded\)<\/desc>/,
    );
  });

  it('leave out runs that are invalid or reproductions, and mark them on the way to the best', async () => {
    const night = new Night();
    const first = night.experiment({ hypothesis: 'a' }, { loss: 2 });
    night.experiment(
      { hypothesis: 'b', decision: { is: 'invalid', why: 'trained on the test data' } },
      { loss: 0.1, command: 'python3 train.py --leak' },
      { loss: 0.2, metrics: [lossOf(0.2, { firstNonFinite: { value: NaN, step: 3, index: 2 } })] },
    );
    night.run({ loss: 1.9, experimentId: first, isReproduction: true });
    night.experiment({ hypothesis: 'c' }, { loss: 1.5 });
    const [progress, loss] = await drawCharts(night.facts(), read);
    assert.equal(loss?.text, 'loss of run 5, run 1');
    assert.deepEqual(
      textsOf(progress?.svg, '.bad > title').filter((text) => text !== 'excluded'),
      ['run 2: 0.1 (invalid)', 'run 3: 0.2 (invalid)'],
    );
  });

  it('draw repeats as one line if wanted: the champion first, then the best means', async () => {
    const night = new Night();
    for (const [option, ...losses] of [
      [1, 2, 3],
      [2, 0.9, 1],
      [3, 0.5, 4],
      [4, 1.5],
    ] as const)
      night.experiment(
        { hypothesis: 'a', ...(option === 2 && { decision: { is: 'keep', why: 'best' } }) },
        ...losses.map((loss, seed) => ({ loss, command: `train --lr ${option} --seed ${seed}` })),
      );
    const broken = lossOf(2, { firstNonFinite: { index: 1, step: 1, value: NaN } });
    night.run({ metrics: [broken], verdict: { kind: 'killed' } });
    const [, loss] = await drawCharts(night.facts(), read, { isGrouped: true, columns: 50 });
    assert.equal(loss?.text, 'loss of runs 3, 4, run 7, runs 5, 6, runs 1, 2, run 8 (excluded)');
    assert.ok(textsOf(loss.svg).includes('runs 3, 4 · champion'));
    assert.equal(all(loss.svg, '.band').length, 3);
  });

  it('mark the settings of a sweep as they were decided, one by one', async () => {
    const night = new Night();
    const sweep = night.experiment(
      { hypothesis: 'a' },
      { loss: 2, command: 'python3 train.py --lr 1' },
      { loss: 0.5, command: 'python3 train.py --lr 2' },
      { loss: 1, command: 'python3 train.py --lr 3' },
    );
    const decided = { type: 'experiment.decided', experimentId: sweep, by: 'agent' } as const;
    night.add({ ...decided, decision: 'invalid', why: 'leak', runs: [2] });
    night.add({ ...decided, decision: 'keep', why: 'best', runs: [3] });
    const [progress, loss] = await drawCharts(night.facts(), read);
    assert.equal(loss?.text, 'loss of run 3, run 1');
    assert.deepEqual(
      ['keep', 'discard', 'bad'].map((mark) => textsOf(progress?.svg, `.${mark} > title`)[0]),
      ['run 3: 1 (keep)', 'run 1: 2', 'run 2: 0.5 (invalid)'],
    );
  });

  it('are none where nothing was measured, and leave out what is not within reach', async () => {
    assert.deepEqual(await drawCharts(new Night('do it').facts(), read), []);
    const night = new Night();
    night.run({ loss: 2 });
    assert.deepEqual(await drawCharts(night.facts(), () => Promise.resolve(undefined)), []);
  });
});

describe('the numbers beside an axis', () => {
  it('are round, few, and in the range', () => {
    for (const [low, high] of [
      [0, 1],
      [0.83, 0.97],
      [-5, 1e6],
      [1e-9, 3e-9],
    ] as const) {
      const { ticks } = scaleFor({ low, high, from: 0, to: 100 });
      assert.ok(ticks.length >= 2 && ticks.length <= 20, `${ticks.length}`);
      for (const { at } of ticks) assert.ok(at >= low - 1e-12 && at <= high + 1e-12, `${at}`);
    }
  });
});
