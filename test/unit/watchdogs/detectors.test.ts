import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { MetricPoint } from '../../../src/metrics/metric.ts';
import { DiskWatch } from '../../../src/watchdogs/disk.ts';
import { GpuIdleWatch } from '../../../src/watchdogs/gpuIdle.ts';
import { roleOf } from '../../../src/watchdogs/metricRole.ts';
import { RunningMedian } from '../../../src/watchdogs/runningMedian.ts';
import { RunWatch } from '../../../src/watchdogs/runWatch.ts';
import { SilenceWatch } from '../../../src/watchdogs/silence.ts';
import {
  defaultPolicy,
  policyOf,
  watchdogSettingsSchema,
  type WatchdogPolicy,
} from '../../../src/watchdogs/settings.ts';
import { ThroughputWatch } from '../../../src/watchdogs/throughput.ts';
import { random } from '../../fakes/random.ts';

const minuteMs = 60_000;

const seriesOf = (metric: string, values: readonly number[]): MetricPoint[] =>
  values.map((value, step) => ({ metric, step, timeMs: 1000 * step, value }));

const runWatch = (policy: WatchdogPolicy = defaultPolicy, decisive?: string): RunWatch =>
  new RunWatch({ policy, isDecisive: (metric) => metric === decisive });

const row = (times: number, ...values: readonly number[]): number[] =>
  Array.from({ length: times }, () => values).flat();

describe('metrics that are no numbers', () => {
  const cases: readonly {
    readonly what: string;
    readonly metric: string;
    readonly values: readonly number[];
    readonly decisive?: string;
    readonly actions: readonly string[];
  }[] = [
    { what: 'a loss', metric: 'loss', values: [2, 1, NaN], actions: ['kill'] },
    {
      what: 'a loss that is infinite',
      metric: 'train/loss',
      values: [2, Infinity],
      actions: ['kill'],
    },
    {
      what: 'a loss that a progress bar shows before the first mean',
      metric: 'loss',
      values: [NaN, NaN, 2, 1],
      actions: [],
    },
    {
      what: 'a loss that is no number for ever',
      metric: 'loss',
      values: row(9, NaN),
      actions: ['warn'],
    },
    {
      what: 'a perplexity that is too large at first',
      metric: 'ppl',
      values: [Infinity, 9e30, 90],
      actions: [],
    },
    {
      what: 'the part of a loss',
      metric: 'policy_loss',
      values: [1, 2, ...row(5, NaN)],
      actions: ['warn', 'kill'],
    },
    {
      what: 'a part that is not computed in each step',
      metric: 'actor_loss',
      values: row(40, NaN, NaN, 1),
      actions: [],
    },
    {
      what: 'a part that is computed twice now and then',
      metric: 'actor_loss',
      values: row(9, 1, 1, ...row(4, NaN)),
      actions: ['warn'],
    },
    {
      what: 'the metric that decides',
      metric: 'reward',
      values: [1, 2, ...row(5, NaN)],
      decisive: 'reward',
      actions: ['warn', 'kill'],
    },
    {
      what: 'the mean of no episode',
      metric: 'reward',
      values: [1, 2, NaN, 3, NaN, NaN, 4],
      decisive: 'reward',
      actions: ['warn'],
    },
    {
      what: 'one that decides and waits for its first episode',
      metric: 'reward',
      values: [...row(20, NaN), 1, 2],
      decisive: 'reward',
      actions: [],
    },
    {
      what: 'a best value before the first',
      metric: 'best_val_loss',
      values: [...row(40, Infinity), 2, 2],
      actions: [],
    },
    {
      what: 'a validation that never gives one',
      metric: 'val_loss',
      values: row(60, NaN),
      actions: ['warn'],
    },
    {
      what: 'a validation that is not made in each line',
      metric: 'val_loss',
      values: [2, NaN, NaN, 1.9, NaN],
      actions: [],
    },
    {
      what: 'a validation that is made each time',
      metric: 'val_loss',
      values: [2, 1.9, ...row(5, NaN)],
      actions: ['warn', 'kill'],
    },
    {
      what: 'a validation that overflows once',
      metric: 'val_loss',
      values: [2, 1.9, Infinity, 1.8, 1.7],
      actions: ['warn'],
    },
    {
      what: 'a gradient under a scaled loss',
      metric: 'grad_norm',
      values: row(50, 1, Infinity, 1, NaN),
      actions: [],
    },
    {
      what: 'a gradient that is gone',
      metric: 'grad_norm',
      values: [1, 1, NaN, NaN, NaN],
      actions: ['warn'],
    },
    {
      what: 'a gradient that is so from the first step',
      metric: 'grad_norm',
      values: [Infinity, Infinity, Infinity, 1],
      actions: [],
    },
    {
      what: 'a scale of the loss',
      metric: 'loss_scale',
      values: [65536, ...row(3, Infinity)],
      actions: ['warn'],
    },
    {
      what: 'what has no variance to explain',
      metric: 'explained_variance',
      values: [...row(30, NaN), 0.1],
      actions: [],
    },
    { what: 'a healthy loss', metric: 'loss', values: [2, 1, 0.5], actions: [] },
  ];
  for (const { what, metric, values, decisive, actions } of cases)
    it(`${what}: ${actions.join(', ') || 'nothing'}`, () => {
      const found = runWatch(defaultPolicy, decisive).take(seriesOf(metric, values));
      assert.deepEqual(
        found.map(({ action }) => action),
        actions,
      );
    });

  it('kill after they only warned of another', () => {
    const watch = runWatch();
    assert.deepEqual(
      watch
        .take([...seriesOf('grad_norm', [1, NaN, NaN, NaN]), ...seriesOf('loss', [1, NaN])])
        .map(({ action }) => action),
      ['warn', 'kill'],
    );
  });

  it('count for those alone that the user names', () => {
    const policy = policyOf(watchdogSettingsSchema.parse({ non_finite: { metrics: ['Aux'] } }));
    assert.equal(runWatch(policy).take(seriesOf('aux', [NaN]))[0]?.action, 'kill');
    assert.equal(runWatch(policy).take(seriesOf('loss', [1, NaN]))[0]?.action, 'warn');
  });

  it('are told of again after a thousand numbers, and not before', () => {
    const watch = runWatch(policyOf({ non_finite: { action: 'warn' } }));
    const numbers = (count: number): number[] => Array.from({ length: count }, () => 1);
    const found = (values: readonly number[]): number =>
      watch.take(seriesOf('loss', values)).length;
    assert.equal(found([1, NaN]), 1);
    assert.equal(found([...numbers(999), NaN]), 0);
    assert.equal(found([...numbers(1000), NaN]), 1);
  });
});

describe('what was read before', () => {
  const recalled = (
    values: readonly number[],
    told: readonly { kind: 'non_finite' | 'divergence'; action: 'kill' | 'warn' }[] = [],
  ) =>
    new RunWatch({ policy: defaultPolicy, isDecisive: () => false, told }).recall({
      names: () => ['loss'],
      series: () => ({
        values: Float64Array.from(values),
        steps: Float64Array.from(values, (_, index) => index),
        timesMs: new Float64Array(values.length),
      }),
    });

  it('is found where it holds at the end and was not told', () => {
    assert.deepEqual(
      recalled([2, 1, NaN]).map(({ detail }) => detail),
      ['loss became NaN at step 2'],
    );
  });

  it('is not found again where it was told', () => {
    assert.deepEqual(recalled([2, 1, NaN], [{ kind: 'non_finite', action: 'kill' }]), []);
  });

  it('is not found where it is over', () => {
    const jump = [
      ...Array.from({ length: 100 }, (_, index) => 2 - index / 100),
      ...Array.from({ length: 20 }, () => 50),
    ];
    assert.equal(recalled(jump)[0]?.kind, 'divergence');
    assert.deepEqual(recalled([...jump, ...Array.from({ length: 60 }, () => 1)]), []);
  });
});

describe('divergence', () => {
  const flat = (count: number, value: number): number[] =>
    Array.from({ length: count }, (_, index) => value + 0.01 * (index % 3));
  it('is told once, and again after it has come back', () => {
    const watch = runWatch();
    const take = (values: readonly number[]): number => watch.take(seriesOf('loss', values)).length;
    assert.equal(take([...flat(100, 1), ...flat(20, 9)]), 1);
    assert.equal(take(flat(100, 9)), 0);
    assert.equal(take(flat(60, 1)), 0);
    assert.equal(take(flat(20, 9)), 1);
  });

  it('is one-sided: a loss that falls and a reward that rises are no alarm', () => {
    assert.deepEqual(runWatch().take(seriesOf('loss', [...flat(100, 5), ...flat(50, 0.1)])), []);
    assert.deepEqual(
      runWatch(defaultPolicy, 'reward').take(
        seriesOf('reward', [...flat(100, 5), ...flat(50, 100)]),
      ),
      [],
    );
    assert.equal(
      runWatch(defaultPolicy, 'reward').take(
        seriesOf('reward', [...flat(100, 5), ...flat(50, -40)]),
      ).length,
      1,
    );
  });

  it('is not judged before the warm-up is over, nor by less than the points in a row', () => {
    assert.deepEqual(runWatch().take(seriesOf('loss', [...flat(20, 1), ...flat(29, 9)])), []);
    assert.deepEqual(
      runWatch().take(seriesOf('loss', [...flat(100, 1), ...flat(7, 9), ...flat(50, 1)])),
      [],
    );
  });

  it('judges neither parts of a training nor metrics without a direction', () => {
    for (const metric of ['value_loss', 'lr', 'entropy'])
      assert.deepEqual(
        runWatch().take(seriesOf(metric, [...flat(100, 1), ...flat(50, 90)])),
        [],
        metric,
      );
  });
});

describe('throughput', () => {
  const limits = { belowPercent: 25, minutes: 5 };
  /** `stepsPerMinute` → minutes, one point each 20 s. */
  function points(
    course: readonly (readonly [stepsPerMinute: number, minutes: number])[],
    everyMs = 20_000,
  ): MetricPoint[] {
    const found: MetricPoint[] = [];
    let [step, timeMs] = [0, 0];
    for (const [rate, minutes] of course)
      for (let left = minutes * minuteMs; left > 0; left -= everyMs) {
        found.push({ metric: 'loss', step: Math.round(step), timeMs, value: 1 });
        step += (rate * everyMs) / minuteMs;
        timeMs += everyMs;
      }
    return found;
  }
  const alarms = (all: readonly MetricPoint[]): string[] => {
    const watch = new ThroughputWatch(limits);
    return all.flatMap((point) => watch.add(point, false) ?? []);
  };

  it('of steps that collapsed for minutes is told, once', () => {
    assert.deepEqual(
      alarms(
        points([
          [600, 20],
          [60, 20],
        ]),
      ),
      ['steps/s fell to 1 from 10, for 5 min'],
    );
  });

  it('that was low for an evaluation, or for less than the time, is not', () => {
    assert.deepEqual(
      alarms(
        points([
          [600, 20],
          [60, 4],
          [600, 10],
        ]),
      ),
      [],
    );
    assert.deepEqual(
      alarms([
        ...points([[600, 20]]),
        { metric: 'loss', step: 12_010, timeMs: 40 * minuteMs, value: 1 },
      ]),
      [],
    );
  });

  it('that was low in an evaluation of each epoch is told once, and again when it lasts far longer', () => {
    const watch = new ThroughputWatch(limits);
    let timeMs = 0;
    const told = (perSecond: number, minutes: number): number =>
      Array.from({ length: minutes * 6 }, () =>
        watch.add(
          { metric: 'it/s', step: NaN, timeMs: (timeMs += 10_000), value: perSecond },
          true,
        ),
      ).filter((detail) => detail !== undefined).length;
    assert.deepEqual(
      [10, 1, 10, 1, 10, 1].map((perSecond) => told(perSecond, 10)),
      [0, 1, 0, 0, 0, 0],
    );
    assert.equal(told(10, 10) + told(1, 25), 1);
  });

  it('is not that of lines which tell of no step', () => {
    const training = points([[600, 20]]);
    const { step = 0, timeMs = 0 } = training.at(-1) ?? {};
    const evaluation = Array.from({ length: 60 }, (_, index) => ({
      ...{ metric: 'loss', step, timeMs: timeMs + 20_000 * (index + 1), value: 1 },
    }));
    assert.deepEqual(alarms([...training, ...evaluation]), []);
  });

  it('is taken from steps that come in gulps', () => {
    const gulps = points([[600, 120]], 6 * minuteMs).flatMap((point) =>
      Array.from({ length: 100 }, (_, index) => ({
        ...point,
        step: point.step + 36 * index,
        timeMs: point.timeMs + index,
      })),
    );
    assert.deepEqual(alarms(gulps), []);
  });

  it('begins anew when the steps do', () => {
    assert.deepEqual(
      alarms([
        ...points([[600, 20]]),
        ...points([[600, 20]]).map((each) => ({ ...each, timeMs: each.timeMs + 21 * minuteMs })),
      ]),
      [],
    );
  });

  it('is what the run says itself, where it does', () => {
    const watch = runWatch();
    const said = (value: number, minutes: number, fromMs: number): MetricPoint[] =>
      Array.from({ length: 3 * minutes }, (_, index) => ({
        metric: 'tokens/s',
        step: NaN,
        timeMs: fromMs + 20_000 * index,
        value,
      }));
    const found = watch.take([...said(80_000, 20, 0), ...said(2_000, 10, 20 * minuteMs)]);
    assert.deepEqual(
      found.map(({ kind, action, detail }) => [kind, action, detail]),
      [['throughput', 'warn', 'tokens/s fell to 2000 from 80000, for 5 min']],
    );
  });
});

describe('silence', () => {
  const beats = (
    watch: SilenceWatch,
    fromMs: number,
    minutes: number,
    heardMs: number | undefined,
  ): string[] =>
    Array.from(
      { length: 4 * minutes },
      (_, index) => watch.beat(fromMs + 15_000 * (index + 1), heardMs) ?? [],
    ).flat();

  it('is told once it lasted, and again after output only when it lasts twice as long', () => {
    const watch = new SilenceWatch(30);
    assert.deepEqual(beats(watch, 0, 29, 0), []);
    assert.deepEqual(beats(watch, 29 * minuteMs, 5, 0), ['no output for 30 min']);
    assert.deepEqual(beats(watch, 34 * minuteMs, 6, 0), []);
    assert.deepEqual(beats(watch, 40 * minuteMs, 79, 40 * minuteMs), []);
    assert.deepEqual(beats(watch, 119 * minuteMs, 3, 40 * minuteMs), ['no output for 80 min']);
  });

  it('of who speaks seldom is told once', () => {
    const watch = new SilenceWatch(30);
    const told = [1, 2, 3, 4, 5].map(
      (epoch) => beats(watch, epoch * 40 * minuteMs, 40, epoch).length,
    );
    assert.deepEqual(told, [1, 0, 0, 0, 0]);
  });

  it('counts no time in which the computer slept, or the machine did not answer', () => {
    const watch = new SilenceWatch(30);
    beats(watch, 0, 5, 0);
    assert.deepEqual(beats(watch, 600 * minuteMs, 20, 0), []);
    watch.skip();
    assert.deepEqual(beats(watch, 900 * minuteMs, 3, 0), []);
  });
});

describe('disks and GPUs', () => {
  it('of a disk both the share and the bytes count, and it is told again only after there was room', () => {
    const watch = new DiskWatch({ belowPercent: 5, belowGb: 5 });
    const refresh = (freeGb: number, totalGb: number) =>
      watch.judge([{ path: '/data', freeBytes: freeGb * 1e9, totalBytes: totalGb * 1e9 }]);
    assert.equal(refresh(40, 1000), undefined);
    assert.equal(refresh(2, 20), undefined);
    assert.equal(refresh(2, 1000), 'the disk of /data is nearly full: 2.0 GB (0.2 %) left');
    assert.equal(refresh(1, 1000), undefined);
    assert.equal(refresh(6, 1000), undefined);
    assert.equal(refresh(1, 1000), undefined);
    refresh(8, 1000);
    assert.notEqual(refresh(1, 1000), undefined);
  });

  it('GPUs are idle when all of them are, for the whole time', () => {
    const watch = new GpuIdleWatch({ belowPercent: 5, minutes: 15 });
    const refresh = (minutes: readonly number[], percents: readonly number[]): string[] =>
      minutes.flatMap((minute) =>
        [0, 1, 2, 3].flatMap(
          (part) => watch.judge(minute * minuteMs + part * 15_000, percents) ?? [],
        ),
      );
    const minutes = (from: number, to: number): number[] =>
      Array.from({ length: to - from }, (_, index) => from + index);
    assert.deepEqual(refresh(minutes(0, 60), [0, 90]), []);
    assert.deepEqual(refresh(minutes(60, 74), [0, 2]), []);
    assert.deepEqual(refresh(minutes(74, 90), [0, 2]), ['its 2 GPUs were below 5 % for 15 min']);
    assert.deepEqual(refresh(minutes(90, 91), [0, 80]), []);
    assert.deepEqual(refresh(minutes(91, 100), [0]), []);
    assert.deepEqual(refresh(minutes(200, 214), [0]), []);
    assert.deepEqual(refresh(minutes(220, 230), []), []);
  });
});

describe('running median', () => {
  it('is that of the last values, as is the deviation, whatever comes', () => {
    const next = random(7);
    const median = new RunningMedian(25);
    const all: number[] = [];
    const middle = (values: readonly number[]): number => {
      const sorted = values.toSorted((a, b) => a - b);
      return ((sorted[(sorted.length - 1) >> 1] ?? NaN) + (sorted[sorted.length >> 1] ?? NaN)) / 2;
    };
    for (let count = 0; count < 500; count += 1) {
      const value = Math.floor(next() * 40) * (next() < 0.1 ? -100 : 1);
      all.push(value);
      median.add(value);
      const window = all.slice(-25);
      assert.equal(median.median, middle(window));
      const distances = window
        .map((each) => Math.abs(each - middle(window)))
        .toSorted((a, b) => a - b);
      assert.equal(median.deviation, distances[(distances.length - 1) >> 1]);
    }
  });
});

describe('roles of metrics', () => {
  const cases: readonly (readonly [name: string, role: Partial<ReturnType<typeof roleOf>>])[] = [
    ['loss', { isLoss: true, isSteadyLoss: true, isDerived: false }],
    ['trainLoss', { isLoss: true, isSteadyLoss: true }],
    ['val/loss', { isLoss: true, isSteadyLoss: true, isDerived: true }],
    ['policy_loss', { isLoss: true, isSteadyLoss: false }],
    ['loss_scale', { isLoss: false }],
    ['grad_norm', { isLoss: false }],
    ['perplexity', { isLoss: true }],
    ['tokens/s', { isSpeed: true }],
    ['samples_per_second', { isSpeed: true }],
    ['it/s', { isSpeed: true }],
    ['train/tokens_per_sec', { isSpeed: true }],
    ['steps', { isSpeed: false }],
    ['loss/step', { isSpeed: false }],
  ];
  for (const [name, role] of cases)
    it(name, () => {
      const found = roleOf(name);
      assert.deepEqual({ ...found, ...role }, found);
    });
});

describe('policy', () => {
  it('is the defaults, with what was said over them, the last over the first', () => {
    const person = watchdogSettingsSchema.parse({ divergence: 'kill', silence: { minutes: 5 } });
    const project = watchdogSettingsSchema.parse({
      divergence: { deviations: 20 },
      gpu_idle: 'off',
    });
    assert.deepEqual(policyOf(person, project), {
      ...defaultPolicy,
      divergence: { ...defaultPolicy.divergence, action: 'kill', deviations: 20 },
      silence: { action: 'warn', minutes: 5 },
      gpu_idle: { ...defaultPolicy.gpu_idle, action: 'off' },
    });
    assert.deepEqual(policyOf(undefined), defaultPolicy);
  });

  it('kills by default for nothing that a healthy run does', () => {
    const killing = Object.entries(defaultPolicy).filter(([, { action }]) => action === 'kill');
    assert.deepEqual(
      killing.map(([kind]) => kind),
      ['non_finite'],
    );
  });
});
