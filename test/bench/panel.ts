/** Opening the metrics panel on a saved run of a million points, up to the answer that the view draws. */
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
import { median, timed, type Figure } from './figure.ts';
import { openPanel } from './panelView.ts';
import { SyntheticJournal } from './syntheticJournal.ts';

const pointCount = 1_000_000;
const linesPerChunk = 20_000;
const rounds = 5;
/** Device pixels of a wide chart. */
const pixels = 1600;
/** A noisy curve on the way down, the same each time. */
const loss = (step: number): number => 3 / (1 + step / 1e5) + Math.sin(step * 12.9898) / 10;

interface Opening {
  readonly openMs: number;
  readonly zoomMs: number;
  readonly smoothMs: number;
}

export async function benchPanel(folder: string): Promise<Figure[]> {
  const sessionId = await writeSession(folder);
  const openings: Opening[] = [];
  for (let round = 0; round < rounds; round++) openings.push(await open(folder, sessionId));
  const of = (pick: (opening: Opening) => number): number => median(openings.map(pick));
  const first = openings[0]?.openMs ?? Number.NaN;
  return [
    { name: 'panel opened on 1M points, first time', value: first, unit: 'ms', aim: { atMost: 1000 } },
    {
      name: 'panel opened on 1M points, p50 of 5',
      value: of((one) => one.openMs),
      unit: 'ms',
      aim: { atMost: 1000 },
    },
    { name: 'zoom to a tenth of 1M points, p50 of 5', value: of((one) => one.zoomMs), unit: 'ms' },
    { name: 'smoothing over 1M points, p50 of 5', value: of((one) => one.smoothMs), unit: 'ms' },
  ];
}

/** An ended session with one run, as a journal and files of points. */
async function writeSession(folder: string): Promise<SessionId> {
  const home = homeAt(homeOf(folder));
  const journal = new SyntheticJournal('bring loss < 1');
  const runId = journal.run();
  const metrics = await RunMetrics.open(home.runFolder(runId), { names: ['loss'] });
  for (let first = 0; first < pointCount; first += linesPerChunk) {
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
  return journal.sessionId;
}

/** A new engine each time, so that nothing is in memory but the file cache of the system. */
async function open(folder: string, sessionId: SessionId): Promise<Opening> {
  const engine = await openEngine({ folder, model: new ScriptedModel([]) });
  const sessions = new OpenSessions(systemClock);
  try {
    const startedMs = performance.now();
    const source = await createMetricsSource({ engine, sessions, clock: systemClock, logger: silentLogger }, sessionId);
    const { connection, ...panel } = openPanel(source);
    connection.listen();
    const { runs } = await connection.sendRequest(ready);
    const query: SeriesQuery = { runId: runs[0]?.id ?? '', metric: 'loss', axis: 'step', pixels };
    const answer = await connection.sendRequest(readSeries, query);
    const openMs = performance.now() - startedMs;
    if (answer.total !== pointCount) throw new Error(`${answer.total} points instead of ${pointCount}`);
    const zoomed = { ...query, from: pointCount * 0.4, to: pointCount * 0.5 };
    const zoomMs = await timed(() => connection.sendRequest(readSeries, zoomed));
    const smoothMs = await timed(() => connection.sendRequest(readSeries, { ...query, smoothing: 0.9 }));
    panel.dispose();
    source.dispose();
    return { openMs, zoomMs, smoothMs };
  } finally {
    sessions.dispose();
    await engine.close();
  }
}
