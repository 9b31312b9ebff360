/**
 * What watchdogs do: how soon a run that computes NaN is gone, how often they are wrong, and what
 * they cost.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createLineParser } from '../../src/metrics/lines/lineParser.ts';
import type { MetricPoint } from '../../src/metrics/metric.ts';
import type { Finding } from '../../src/watchdogs/finding.ts';
import { RunWatch } from '../../src/watchdogs/runWatch.ts';
import { defaultPolicy } from '../../src/watchdogs/settings.ts';
import { divergingCurves, healthyCurves, type Curve } from '../fakes/curves.ts';
import { killedAfter, nanCommand } from '../fakes/nanRun.ts';
import { ScriptedModel, type ScriptedReply } from '../fakes/scriptedModel.ts';
import { openEngine, workOf } from './bed.ts';
import { median, none, spread, type Figure, type Size } from './figure.ts';

const sizes = {
  full: { kills: 24, curves: 100, further: 1000, lines: 100_000, rounds: 7 },
  tiny: { kills: 2, curves: 20, further: 20, lines: 2_000, rounds: 1 },
};
const seed = 1;

type Terms = (typeof sizes)['full'];

export const benchWatchdogs = async (folder: string, size: Size): Promise<Figure[]> => [
  ...(await killFigures(folder, sizes[size])),
  ...healthyFigures(sizes[size]),
  ...divergingFigures(sizes[size]),
  ...costFigures(sizes[size]),
];

/**
 * Real local runs, one after the other, in one session; every other one has a child that does not
 * heed TERM.
 */
async function killFigures(folder: string, { kills }: Terms): Promise<Figure[]> {
  const places = Array.from({ length: kills }, (_, index) => join(workOf(folder), `run${index}`));
  const replies = places.flatMap((place, index): ScriptedReply[] => [
    [
      {
        name: 'remote_exec_background',
        input: { command: nanCommand(place, index % 2 === 1), metric_names: ['loss'] },
      },
    ],
    [
      {
        name: 'sleep',
        input: { reason: 'r', wake_conditions: [{ type: 'process_exit', run: index + 1 }] },
      },
    ],
  ]);
  const last: ScriptedReply = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];
  const model = new ScriptedModel([...replies, last]);
  const engine = await openEngine({ folder, model });
  try {
    await Promise.all(places.map((place) => mkdir(place, { recursive: true })));
    const request = { goal: 'train a model', budget: {}, workFolder: workOf(folder) };
    const session = await engine.sessions.start(request);
    const times: number[] = [];
    for (const place of places) times.push(await killedAfter(place));
    await session.ended;
    const usual = times.filter((_, index) => index % 2 === 0);
    const stubborn = times.filter((_, index) => index % 2 === 1);
    return [
      ...spread('first NaN byte → every process of the run dead', times, 2000),
      { name: 'of those that heed TERM, p50', value: median(usual), unit: 'ms' },
      { name: 'of those that need KILL, p50', value: median(stubborn), unit: 'ms' },
    ];
  } finally {
    await engine.close();
  }
}

const pointsOf = ({ metric, values }: Curve): MetricPoint[] =>
  values.map((value, step) => ({ metric, step, timeMs: 1000 * step, value }));

const watchOf = (curve: Curve): RunWatch =>
  new RunWatch({ policy: defaultPolicy, isDecisive: (metric) => metric === curve.metric });

function healthyFigures({ curves, further }: Terms): Figure[] {
  const found = (count: number, from: number): readonly Finding[] =>
    healthyCurves(count, from).flatMap((curve) => watchOf(curve).take(pointsOf(curve)));
  const first = found(curves, seed);
  const many = found(further, 100_000);
  const killed = (findings: readonly Finding[]): number =>
    findings.filter(({ action }) => action === 'kill').length;
  return [
    {
      name: `false kills of ${curves} healthy curves`,
      value: killed(first),
      unit: 'count',
      aim: none,
    },
    {
      name: `false alarms of ${curves} healthy curves`,
      value: first.length,
      unit: 'count',
      aim: none,
    },
    {
      name: `false kills of ${further} further ones`,
      value: killed(many),
      unit: 'count',
      aim: none,
    },
    { name: `false alarms of ${further} further ones`, value: many.length, unit: 'count' },
  ];
}

function divergingFigures({ curves }: Terms): Figure[] {
  const delays = divergingCurves(curves, seed).flatMap((curve) => {
    const watch = watchOf(curve);
    const at = pointsOf(curve).findIndex((point) => watch.take([point]).length > 0);
    return at < 0 ? [] : [at - (curve.divergesAt ?? 0)];
  });
  const seen = delays.filter((delay) => delay >= 0);
  const max = { atLeast: 0.9 * curves, kind: 'correctness' } as const;
  return [
    { name: `seen of ${curves} diverging curves`, value: seen.length, unit: 'count', aim: max },
    { name: 'points from divergence to alarm, p50', value: median(seen), unit: 'count' },
    {
      name: 'called diverging before they were',
      value: delays.length - seen.length,
      unit: 'count',
      aim: none,
    },
  ];
}

/** In turns with reading the same points from their lines. */
function costFigures({ lines: count, rounds }: Terms): Figure[] {
  const metrics = ['loss', 'val_loss', 'accuracy', 'lr', 'grad_norm'];
  const lines = Array.from({ length: count }, (_, step) =>
    [
      `step=${step}`,
      ...metrics.map(
        (metric, index) => `${metric}=${(1 + ((step * 7 + index) % 97) / 97).toFixed(4)}`,
      ),
    ].join(' '),
  );
  const parser = createLineParser({ names: metrics });
  const points: MetricPoint[] = [];
  const parse = (): void => {
    points.length = 0;
    for (const line of lines)
      parser.parse(line, (metric, step, value) =>
        points.push({ metric, step, timeMs: 1000 * step, value }),
      );
  };
  const watch = (): void => {
    const run = new RunWatch({
      policy: defaultPolicy,
      isDecisive: (metric) => metric === 'accuracy',
    });
    for (let at = 0; at < points.length; at += 50) run.take(points.slice(at, at + 50));
  };
  const times = { parse: [] as number[], watch: [] as number[] };
  for (let round = -1; round < rounds; round += 1)
    for (const [name, work] of Object.entries({ parse, watch })) {
      const startedMs = performance.now();
      work();
      if (round >= 0) times[name as keyof typeof times].push(performance.now() - startedMs);
    }
  return [
    { name: 'watching a point', value: (median(times.watch) * 1e6) / points.length, unit: 'ns' },
    {
      name: 'watching ÷ reading the line',
      value: median(times.watch) / median(times.parse),
      unit: '×',
      aim: { atMost: 0.5 },
    },
  ];
}
