/**
 * The metrics panel on a session of 1,000 runs with 40 metrics each, and on one of 10,000 runs, up
 * to what the view draws.
 */
import type { MessageConnection } from 'vscode-jsonrpc';
import { ArrangedItems } from '../../webview/metrics/arrangedItems.ts';
import type { ItemList } from '../../webview/metrics/itemList.ts';
import { StepValues } from '../../webview/metrics/stepValues.ts';
import { restoreState } from '../../webview/metrics/viewState.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { RunId, SessionId } from '../../src/base/ids.ts';
import { foldSession } from '../../src/agent/journal/fold.ts';
import { GrowingLedger } from '../../src/agent/runs/sessionLedger.ts';
import { silentLogger } from '../../src/base/logger.ts';
import type { MetricSummary } from '../../src/metrics/metric.ts';
import { readSeries, ready, type PanelState } from '../../src/protocol/metricsPanel.ts';
import { panelDelta } from '../../src/protocol/panelDelta.ts';
import { createMetricsSource } from '../../src/vscode/metrics/metricsSource.ts';
import { PanelStates } from '../../src/vscode/metrics/panelState.ts';
import { OpenSessions } from '../../src/vscode/window/openSessions.ts';
import { fullSize, writeLargeHome, type LargeHomeSize } from '../fakes/largeHome.ts';
import { ScriptedModel } from '../fakes/scriptedModel.ts';
import { homeOf, openEngine } from './bed.ts';
import { median, spread, timed, type Figure, type Size } from './figure.ts';
import { openPanel } from './panelView.ts';
import { plainParseMs } from './plain.ts';

const sizes: Readonly<Record<Size, LargeHomeSize & { readonly rounds: number }>> = {
  full: { ...fullSize, rounds: 3 },
  tiny: {
    sessions: 4,
    wide: { runs: 30, metrics: 40, points: 20 },
    long: { runs: 100, metrics: 4, points: 5 },
    rounds: 1,
  },
};
/** Device pixels of a chart beside another. */
const pixels = 1024;
/** Charts of a window without scrolling, and of the next two screens. */
const visibleCharts = 12;

export async function benchPanelScale(folder: string, size: Size): Promise<Figure[]> {
  const { rounds, ...homeSize } = sizes[size];
  const { home, wide, long } = await writeLargeHome(homeOf(folder), homeSize);
  const openings: Opening[] = [];
  for (let round = 0; round < rounds; round += 1) openings.push(await openCharts(folder, wide));
  const tables: Table[] = [];
  for (let round = 0; round < rounds; round += 1) tables.push(await openTable(folder, long));
  const what = `${homeSize.wide.runs} runs × ${homeSize.wide.metrics} metrics`;
  const rows = `${homeSize.long.runs} rows`;
  const of = (pick: (opening: Opening) => number): number => median(openings.map(pick));
  return [
    {
      name: `first chart of ${what}, p50 of ${rounds}`,
      value: of((one) => one.firstMs),
      unit: 'ms',
      aim: { atMost: 1000 },
    },
    {
      name: `journal of ${what} read and parsed, for comparison`,
      value: await plainParseMs(home.journalFile(wide)),
      unit: 'ms',
    },
    ...spread(
      `each further chart of ${what}`,
      openings.flatMap(({ chartsMs }) => chartsMs),
      500,
    ),
    {
      name: `heap of an open panel with ${visibleCharts} charts, ${what}`,
      value: of((one) => one.heapMb),
      unit: 'MB',
      aim: { atMost: 150 },
    },
    ...(await changeFigures(folder, wide, what)),
    {
      name: `state of ${rows} on an open session, p50 of ${rounds}`,
      value: median(tables.map(({ stateMs }) => stateMs)),
      unit: 'ms',
    },
    {
      name: `table of ${rows}, p50 of ${rounds}`,
      value: median(tables.map(({ tableMs }) => tableMs)),
      unit: 'ms',
      aim: { atMost: 300 },
    },
    {
      name: `table of ${rows} sorted and filtered, p50 of ${rounds}`,
      value: median(tables.map(({ arrangeMs }) => arrangeMs)),
      unit: 'ms',
      aim: { atMost: 300 },
    },
    {
      name: `session of ${rows} opened, p50 of ${rounds}`,
      value: median(tables.map(({ openMs }) => openMs)),
      unit: 'ms',
    },
    {
      name: `journal of ${rows} read and parsed, for comparison`,
      value: await plainParseMs(home.journalFile(long)),
      unit: 'ms',
    },
  ];
}

const values = 20;

/**
 * What a new value of one run costs: the ledger, the state of the panel, and the message. The views
 * of a window share the ledger, and gather the values of a quarter of a second.
 */
async function changeFigures(folder: string, id: SessionId, what: string): Promise<Figure[]> {
  const engine = await openEngine({ folder, model: new ScriptedModel([]) });
  const { events } = await engine.sessions.read(id);
  await engine.close();
  const state = foldSession(events);
  if (state === undefined) throw new Error('The journal has no session.');
  const [growing] = [...state.runs.keys()].slice(state.runs.size / 2);
  const [ledger, states] = [new GrowingLedger(), new PanelStates()];
  let newest: readonly MetricSummary[] = [];
  const build = (): PanelState =>
    states.of({
      state,
      ledger: ledger.of(state, ({ spec, metrics }) => (spec.id === growing ? newest : metrics)),
    });
  let shown = build();
  const costs: number[] = [];
  const sizes: number[] = [];
  for (let value = 0; value < values; value += 1) {
    newest = (state.runs.get(growing ?? ('' as RunId))?.metrics ?? []).map((summary) => ({
      ...summary,
      count: summary.count + value,
      last: summary.last - value / 100,
    }));
    const before = process.cpuUsage();
    const after = build();
    const delta = panelDelta(shown, after);
    const { user, system } = process.cpuUsage(before);
    costs.push((user + system) / 1000);
    sizes.push(JSON.stringify(delta).length);
    shown = after;
  }
  return [
    {
      name: `processor time of a new value, panel of ${what}, p50 of ${values}`,
      value: median(costs),
      unit: 'ms',
      aim: { atMost: 100 },
    },
    {
      name: `message of a new value, panel of ${what}, largest of ${values}`,
      value: Math.max(...sizes),
      unit: 'bytes',
      aim: { atMost: 20_000, kind: 'correctness' },
    },
  ];
}

interface Opening {
  readonly firstMs: number;
  readonly chartsMs: readonly number[];
  readonly heapMb: number;
}

const itemsIn = (connection: MessageConnection): ArrangedItems =>
  new ArrangedItems(new StepValues(connection, () => undefined));

/** The charts as the view asks for them: all lines of a chart at once. */
const openCharts = (folder: string, id: SessionId): Promise<Opening> =>
  withSource(folder, id, async ({ connection, startedMs, heapBefore }) => {
    const state = await connection.sendRequest(ready);
    const metric = state.metrics[0]?.name ?? '';
    const list = itemsIn(connection).of(state, restoreState(undefined), metric);
    const drawn = list.items.filter((item) => list.drawn.has(item.id));
    const chart = (metric: string): Promise<unknown> =>
      Promise.all(
        drawn
          .filter((item) => metric in item.metrics)
          .map(({ runIds }) =>
            connection.sendRequest(readSeries, { runIds, metric, axis: 'step', pixels }),
          ),
      );
    const [first = '', ...others] = state.metrics.map(({ name }) => name).slice(0, visibleCharts);
    await chart(first);
    const firstMs = performance.now() - startedMs;
    const chartsMs: number[] = [];
    for (const metric of others) chartsMs.push(await timed(() => chart(metric)));
    const heapMb = (heap() - heapBefore) / 1e6;
    return { firstMs, chartsMs, heapMb };
  });

interface Table {
  readonly openMs: number;
  /** From the request for the state to its arrival in the view. */
  readonly stateMs: number;
  /** From the state to the rows and columns. */
  readonly tableMs: number;
  readonly arrangeMs: number;
}

const openTable = (folder: string, id: SessionId): Promise<Table> =>
  withSource(folder, id, async ({ connection, startedMs }) => {
    const openMs = performance.now() - startedMs;
    const view = { ...restoreState(undefined), isTable: true, isGrouped: false };
    const askedMs = performance.now();
    const state = await connection.sendRequest(ready);
    const stateMs = performance.now() - askedMs;
    const items = itemsIn(connection);
    const arranged = (change: object): ItemList => items.of(state, { ...view, ...change }, 'loss');
    const tableMs = await timed(() => arranged({}));
    const sort = { column: 'last loss', isDescending: true };
    const arrangeMs = await timed(() => arranged({ sort, filter: 'lr<0.002 loss<1' }));
    return { openMs, stateMs, tableMs, arrangeMs };
  });

interface Opened {
  readonly connection: MessageConnection;
  readonly startedMs: number;
  /** Heap before the session was opened, in bytes. */
  readonly heapBefore: number;
}

/** A new engine each time, so that nothing is in memory but the file cache of the system. */
async function withSource<Result>(
  folder: string,
  id: SessionId,
  measure: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const engine = await openEngine({ folder, model: new ScriptedModel([]) });
  const sessions = new OpenSessions(systemClock);
  try {
    const heapBefore = heap();
    const startedMs = performance.now();
    const source = await createMetricsSource(
      { engine, sessions, clock: systemClock, logger: silentLogger },
      id,
    );
    const { connection, ...panel } = openPanel(source);
    connection.listen();
    const result = await measure({ connection, startedMs, heapBefore });
    panel.dispose();
    source.dispose();
    return result;
  } finally {
    sessions.dispose();
    await engine.close();
  }
}

function heap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
