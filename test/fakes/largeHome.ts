/**
 * A home of many sessions with many runs that never took place, written directly in the formats of
 * the product: journals, and the files of points. The same seed gives the same runs and values.
 *
 *     node test/fakes/largeHome.ts FOLDER [SEED]
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunId, SessionId } from '../../src/base/ids.ts';
import { directionOf } from '../../src/metrics/direction.ts';
import { fileHeader, recordBytes, writeRecord } from '../../src/metrics/disk/pointRecord.ts';
import type { MetricSummary } from '../../src/metrics/metric.ts';
import { summaryOf } from '../../src/metrics/metricSummary.ts';
import { Series } from '../../src/metrics/series/series.ts';
import { homeAt, type Home } from '../../src/storage/home.ts';
import { SyntheticJournal } from '../bench/syntheticJournal.ts';
import { random } from './random.ts';

export interface RunsSize {
  readonly runs: number;
  /** From 4 to 40. */
  readonly metrics: number;
  /** Points of each metric of a run; of `eval/…`, a fifth. */
  readonly points: number;
}

export interface LargeHomeSize {
  /** All sessions, with the two large ones. */
  readonly sessions: number;
  /** The session with many metrics. */
  readonly wide: RunsSize;
  /** The session with many runs. */
  readonly long: RunsSize;
}

export const fullSize: LargeHomeSize = {
  sessions: 300,
  wide: { runs: 1_000, metrics: 40, points: 100 },
  long: { runs: 10_000, metrics: 4, points: 20 },
};

export interface LargeHome {
  readonly home: Home;
  readonly wide: SessionId;
  readonly long: SessionId;
  readonly others: readonly SessionId[];
}

const small: RunsSize = { runs: 3, metrics: 4, points: 20 };
const seedsPerSetting = 3;
const runsPerSweep = 150;
const stepsPerPoint = 10;
const evalEvery = 5;
const tokensPerStep = 4096;

/** `loss`, counters, and then as many as wanted of two sections. */
export function metricNames(count: number): readonly string[] {
  const layers = Array.from({ length: 40 }, (_, index) => [
    `eval/task_${index + 1}_acc`,
    `train/layer_${index + 1}_norm`,
  ]);
  return ['loss', 'eval/loss', 'tokens', 'epoch', 'lr', ...layers.flat()].slice(0, count);
}

/** Writes the home below `folder`. The sessions have ended; their runs are ok. */
export async function writeLargeHome(
  folder: string,
  size: LargeHomeSize = fullSize,
  seed = 1,
): Promise<LargeHome> {
  const home = homeAt(folder);
  for (const closed of [home.sessionsFolder, home.runsFolder])
    mkdirSync(closed, { recursive: true, mode: 0o700 });
  const writer = new HomeWriter(home, random(seed));
  const wide = await writer.session(size.wide);
  const long = await writer.session(size.long);
  const others: SessionId[] = [];
  for (let left = size.sessions - 2; left > 0; left -= 1) others.push(await writer.session(small));
  return { home, wide, long, others };
}

class HomeWriter {
  readonly #home: Home;
  readonly #random: () => number;
  #sessions = 0;

  constructor(home: Home, next: () => number) {
    this.#home = home;
    this.#random = next;
  }

  async session(size: RunsSize): Promise<SessionId> {
    const number = (this.#sessions += 1);
    const day = 24 * 3600 * 1000;
    const journal = new SyntheticJournal(
      `bring the loss of model ${number} below 1`,
      Date.UTC(2026, 0, 1) + (number * day) / 4,
    );
    const names = metricNames(size.metrics);
    let callId = '';
    for (let index = 0; index < size.runs; index += 1) {
      if (index % runsPerSweep === 0) callId = journal.turn('start_sweep', {});
      const setting = settingAt(Math.floor(index / seedsPerSetting));
      const options = `--lr ${setting.lr} --width ${setting.width} --depth ${setting.depth}`;
      const runSeed = index % seedsPerSetting;
      const runId = journal.launch(callId, {
        command: `python train.py ${options} --seed ${runSeed}`,
        label: `lr=${setting.lr} width=${setting.width} depth=${setting.depth} seed=${runSeed}`,
        metrics: { names },
        sweep: { id: `s${1 + Math.floor(index / runsPerSweep)}`, index: index % runsPerSweep },
      });
      const run = this.#run(names, size.points, journal.atMs);
      writePoints(this.#home, runId, run);
      journal.runEnded(runId, run.summaries);
    }
    journal.add({ type: 'session.ended', reason: 'goal', summary: 'measured', evidence: [] });
    await journal.write(this.#home);
    return journal.sessionId;
  }

  #run(names: readonly string[], points: number, startedMs: number): WrittenRun {
    const level = 0.8 + this.#random();
    const rate = 2 + 4 * this.#random();
    const series = names.map(() => new Series());
    const view = new DataView(new ArrayBuffer(names.length * points * recordBytes));
    let at = 0;
    for (let index = 0; index < points; index += 1) {
      const share = index / points;
      const printed = names.flatMap((name, which) =>
        name.startsWith('eval/') && index % evalEvery > 0 ? [] : [{ name, which }],
      );
      for (const { name, which } of printed) {
        const step = index * stepsPerPoint;
        const timeMs = startedMs + step * 100;
        const noise = this.#random() - 0.5;
        const value = valueOf(name, { step, curve: level * Math.exp(-rate * share) + 0.4, noise });
        const isLastOfLine = which === printed.at(-1)?.which;
        const record = { kind: 'point', name: which, isLastOfLine } as const;
        writeRecord(view, at, { step, timeMs, value }, { ...record, endOffset: (index + 1) * 200 });
        series[which]?.add(step, timeMs, value);
        at += recordBytes;
      }
    }
    return {
      names,
      bytes: new Uint8Array(view.buffer, 0, at),
      summaries: names.flatMap((name, which) => {
        const one = series[which];
        return one === undefined ? [] : [summaryOf(name, one, directionOf(name))];
      }),
    };
  }
}

interface WrittenRun {
  readonly names: readonly string[];
  readonly bytes: Uint8Array;
  readonly summaries: readonly MetricSummary[];
}

interface Setting {
  readonly lr: number;
  readonly width: number;
  readonly depth: number;
}

/** Returns another setting for each number. */
const settingAt = (number: number): Setting => ({
  lr: Number(((1 + (number % 50)) * 1e-4).toFixed(4)),
  width: 64 * (1 + (Math.floor(number / 50) % 10)),
  depth: 1 + Math.floor(number / 500),
});

function valueOf(
  name: string,
  { step, curve, noise }: { readonly step: number; readonly curve: number; readonly noise: number },
): number {
  if (name === 'tokens') return step * tokensPerStep;
  if (name === 'epoch') return Math.floor(step / 250);
  if (name === 'lr') return 3e-4 * (1 - step / 1e5);
  if (name.endsWith('_acc')) return Math.max(0, 1 - curve / 2 + noise / 10);
  if (name.endsWith('_norm')) return 1 + noise;
  return curve + noise / 10;
}

function writePoints(home: Home, runId: RunId, run: WrittenRun): void {
  const folder = home.runFolder(runId);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'points.names'), run.names.map((name) => `${name}\n`).join(''));
  writeFileSync(join(folder, 'points.bin'), Buffer.concat([fileHeader, run.bytes]));
}

if (import.meta.main) {
  const [folder, seed = '1'] = process.argv.slice(2);
  if (folder === undefined) throw new Error('Usage: node test/fakes/largeHome.ts FOLDER [SEED]');
  const { wide, long } = await writeLargeHome(folder, fullSize, Number(seed));
  console.log(`1,000 runs: ${wide}\n10,000 runs: ${long}`);
}
