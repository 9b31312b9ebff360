import { MemoryPanelSource } from '../../fakes/memoryPanelSource.ts';

/** Numbers between 0 and 1 that are the same each time. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export function lossCurve(points: number, seed: number, floor = 0.8): Float64Array {
  const random = randomOf(seed);
  return Float64Array.from({ length: points }, (_, index) => {
    const share = index / points;
    return floor + 2.2 * Math.exp(-5 * share) + (random() - 0.5) * 0.25 * (1.1 - share);
  });
}

/** A session in the middle of its night: a champion, a run that diverged, one that goes on. */
export function demoSource(): MemoryPanelSource {
  const source = new MemoryPanelSource();
  source.addRun({ id: 'r-1', label: 'baseline lr=1e-3', machine: 'gpu1' });
  source.addRun({
    id: 'r-2',
    label: 'lr=3e-3',
    machine: 'gpu1',
    isGood: false,
    status: 'failed (exit code 1)',
  });
  source.addRun({ id: 'r-3', label: 'lr=3e-4 warmup=500', machine: 'gpu2', isChampion: true });
  source.addRun({ id: 'r-4', label: 'lr=3e-4 wd=0.1 cosine schedule', machine: 'slurm' });
  source.addRun({
    id: 'r-5',
    label: 'lr=3e-4 dropout=0.1',
    machine: 'gpu2',
    isRunning: true,
    status: 'running',
  });
  source.setSeries('r-1', 'loss', lossCurve(2000, 1, 1.15), 5);
  const diverged = lossCurve(900, 2, 1.3).map((value, index) =>
    index > 700 ? value + (index - 700) * 0.004 : value,
  );
  diverged.fill(Number.NaN, 860);
  diverged[820] = Number.POSITIVE_INFINITY;
  source.setSeries('r-2', 'loss', diverged, 5);
  source.setSeries('r-3', 'loss', lossCurve(2000, 3, 0.92), 5);
  source.setSeries('r-4', 'loss', lossCurve(2000, 4, 1.02), 5);
  source.setSeries('r-5', 'loss', lossCurve(1200, 5, 1.0), 5);
  for (const [id, floor, points] of [
    ['r-1', 1.22, 40],
    ['r-3', 1.01, 40],
    ['r-4', 1.1, 40],
    ['r-5', 1.12, 24],
  ] as const)
    source.setSeries(id, 'val/loss', lossCurve(points, points + floor * 100, floor), 250);
  for (const id of ['r-1', 'r-3', 'r-4', 'r-5']) {
    const peak = id === 'r-1' ? 1e-3 : 3e-4;
    const warmup = Float64Array.from(
      { length: 400 },
      (_, index) => peak * Math.min(1, index / 40) * Math.cos(index / 270),
    );
    source.setSeries(id, 'lr', warmup, 25);
    const random = randomOf(id.charCodeAt(2));
    source.setSeries(
      id,
      'tokens_per_s',
      Float64Array.from({ length: 400 }, () => 41_000 + random() * 2500),
      25,
    );
  }
  source.metrics = source.metrics.map((metric) =>
    metric.name === 'loss' ? { ...metric, target: 1.0 } : metric,
  );
  return source;
}

/** Three seeds of each of two settings. */
export function seedsSource(): MemoryPanelSource {
  const source = new MemoryPanelSource();
  for (const [group, rate, floor] of [
    [1, '1e-3', 0.9],
    [2, '3e-4', 1.3],
  ] as const) {
    const runIds = [0, 1, 2].map((seed) => {
      const number = (group - 1) * 3 + seed + 1;
      const id = `r-${number}`;
      source.addRun({ id, group, label: `lr=${rate} seed=${seed}`, isChampion: number === 1 });
      source.setSeries(id, 'loss', lossCurve(400, number, floor + seed * 0.1), 5);
      return id;
    });
    const metrics = { loss: { last: `${(floor + 0.1).toFixed(2)} ± 0.1`, best: `${floor} ± 0.1` } };
    const [from, to] = [runIds[0]?.slice(2), runIds[2]?.slice(2)];
    const place = { number: group, runIds, name: `runs ${from}–${to}`, label: `lr=${rate}` };
    source.groups = [...source.groups, { ...place, metrics }];
  }
  source.ranking = [1, 2];
  return source;
}

/** Runs with two parameters; the last run is the best. Only the first has points. */
export function manyRunsSource(count: number): MemoryPanelSource {
  const source = new MemoryPanelSource();
  const rates = ['1e-4', '3e-4', '1e-3'];
  source.runs = Array.from({ length: count }, (_, index) => {
    const number = index + 1;
    const loss = (2 - index / count).toPrecision(6);
    return {
      ...{ id: `r-${number}`, number, group: number, name: `run ${number}` },
      ...{ label: `run with a label ${number}`, machine: 'gpu1', status: 'ok' },
      ...{ isRunning: false, isGood: true, isChampion: false, durationMs: 1000 * number },
      parameters: { lr: rates[index % 3] ?? '', depth: String(2 + (index % 4)) },
      metrics: { loss: { last: loss, best: loss, points: 1 } },
    };
  });
  source.ranking = source.runs.map(({ group }) => group).toReversed();
  source.metrics = [{ name: 'loss', direction: 'lower' }];
  return source;
}

/**
 * Runs of a random search: the learning rate and the optimizer matter, dropout does not. With
 * `isGrid`, the runs of a sweep over two parameters, two of each.
 */
export function searchSource(count: number, isGrid = false): MemoryPanelSource {
  const source = new MemoryPanelSource();
  const random = randomOf(7);
  source.runs = Array.from({ length: count }, (_, index) => {
    const number = index + 1;
    const exponent = isGrid ? -4 + (Math.floor(index / 2) % 4) / 2 : -5 + 3 * random();
    const optimizer = (isGrid ? Math.floor(index / 8) % 3 === 0 : random() < 0.5) ? 'sgd' : 'adam';
    const depth = String(2 + (Math.floor(index / 8) % 3));
    const loss = 1 + 0.3 * (exponent + 3) ** 2 + 0.15 * Number(depth) + 0.1 * random();
    const value = (loss + (optimizer === 'sgd' && !isGrid ? 0.5 : 0)).toPrecision(6);
    const lr = String(Number((10 ** exponent).toPrecision(3)));
    const dropout = String(Number((random() * 0.5).toFixed(3)));
    return {
      ...{ id: `r-${number}`, number, group: number, name: `run ${number}`, machine: 'gpu1' },
      ...{ label: `lr=${lr}`, status: 'ok', isRunning: false, isGood: true },
      isChampion: number === 5,
      parameters: isGrid ? { lr, depth } : { lr, optimizer, dropout },
      metrics: { val_loss: { last: value, best: value, points: 1 } },
    };
  });
  source.metrics = [{ name: 'val_loss', direction: 'lower' }];
  source.decisive = { metric: 'val_loss', rule: 'last' };
  source.ranking = source.runs.map(({ group }) => group);
  return source;
}
