/**
 * Opening the metrics panel on a saved run of a million points, up to the answer that the view
 * draws.
 */
import { systemClock } from '../../src/base/clock.ts';
import type { SessionId } from '../../src/base/ids.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { RunMetrics } from '../../src/metrics/runMetrics.ts';
import { readSeries, ready, type SeriesQuery } from '../../src/protocol/metricsPanel.ts';
import { homeAt } from '../../src/storage/home.ts';
import { createMetricsSource } from '../../src/vscode/metrics/metricsSource.ts';
import { OpenSessions } from '../../src/vscode/window/openSessions.ts';
import { ScriptedModel } from '../fakes/scriptedModel.ts';
import { homeOf, openEngine } from './bed.ts';
import { median, shortCount, timed, type Figure, type Size } from './figure.ts';
import { openPanel } from './panelView.ts';
import { plainReadMs } from './plain.ts';
import { SyntheticJournal } from './syntheticJournal.ts';

const sizes = { full: { points: 1_000_000, rounds: 5 }, tiny: { points: 20_000, rounds: 1 } };
const linesPerChunk = 20_000;
/** Device pixels of a wide chart. */
const pixels = 1600;
/** A noisy curve on the way down, the same each time. */
const loss = (step: number): number => 3 / (1 + step / 1e5) + Math.sin(step * 12.9898) / 10;

interface Opening {
  readonly openMs: number;
  readonly zoomMs: number;
  readonly smoothMs: number;
}

export async function benchPanel(folder: string, size: Size): Promise<Figure[]> {
  const { points, rounds } = sizes[size];
  const { sessionId, pointsFolder } = await writeSession(folder, points);
  const openings: Opening[] = [];
  for (let round = 0; round < rounds; round++)
    openings.push(await open(folder, { sessionId, points }));
  const of = (pick: (opening: Opening) => number): number => median(openings.map(pick));
  const first = openings[0]?.openMs ?? Number.NaN;
  const what = `${shortCount(points)} points`;
  return [
    {
      name: `panel opened on ${what}, first time`,
      value: first,
      unit: 'ms',
      aim: { atMost: 400 },
    },
    {
      name: `panel opened on ${what}, p50 of ${rounds}`,
      value: of((one) => one.openMs),
      unit: 'ms',
      aim: { atMost: 400 },
    },
    {
      name: `zoom to a tenth of ${what}, p50 of ${rounds}`,
      value: of((one) => one.zoomMs),
      unit: 'ms',
    },
    {
      name: `smoothing over ${what}, p50 of ${rounds}`,
      value: of((one) => one.smoothMs),
      unit: 'ms',
    },
    {
      name: `bytes of ${what} read from disk, for comparison`,
      value: await plainReadMs(pointsFolder),
      unit: 'ms',
    },
  ];
}

interface Saved {
  readonly sessionId: SessionId;
  readonly pointsFolder: string;
}

/** An ended session with one run, as a journal and files of points. */
async function writeSession(folder: string, points: number): Promise<Saved> {
  const home = homeAt(homeOf(folder));
  const journal = new SyntheticJournal('bring loss < 1');
  const runId = journal.run();
  const metrics = await RunMetrics.open(home.runFolder(runId), { names: ['loss'] });
  for (let first = 0; first < points; first += linesPerChunk) {
    const lines = Array.from(
      { length: linesPerChunk },
      (_, i) => `step=${first + i} loss=${loss(first + i).toFixed(6)}\n`,
    );
    metrics.ingest(Buffer.from(lines.join('')), metrics.resumeOffset, journal.atMs + first);
  }
  journal.runEnded(runId, metrics.summaries());
  metrics.dispose();
  journal.add({ type: 'session.ended', reason: 'goal', summary: 'measured', evidence: [] });
  await journal.write(home);
  return { sessionId: journal.sessionId, pointsFolder: home.runFolder(runId) };
}

/** A new engine each time, so that nothing is in memory but the file cache of the system. */
async function open(
  folder: string,
  { sessionId, points }: { readonly sessionId: SessionId; readonly points: number },
): Promise<Opening> {
  const engine = await openEngine({ folder, model: new ScriptedModel([]) });
  const sessions = new OpenSessions(systemClock);
  try {
    const startedMs = performance.now();
    const source = await createMetricsSource(
      { engine, sessions, clock: systemClock, logger: silentLogger },
      sessionId,
    );
    const { connection, ...panel } = openPanel(source);
    connection.listen();
    const { runs } = await connection.sendRequest(ready);
    const query: SeriesQuery = {
      runIds: [runs[0]?.id ?? ''],
      metric: 'loss',
      axis: 'step',
      pixels,
    };
    const answer = await connection.sendRequest(readSeries, query);
    const openMs = performance.now() - startedMs;
    if (answer.total !== points) throw new Error(`${answer.total} points instead of ${points}`);
    const zoomed = { ...query, from: points * 0.4, to: points * 0.5 };
    const zoomMs = await timed(() => connection.sendRequest(readSeries, zoomed));
    const smoothMs = await timed(() =>
      connection.sendRequest(readSeries, { ...query, smoothing: 0.9 }),
    );
    panel.dispose();
    source.dispose();
    return { openMs, zoomMs, smoothMs };
  } finally {
    sessions.dispose();
    await engine.close();
  }
}
