/**
 * Opening the session view on a journal of 10,000 events, scrubbing through it, and what it keeps
 * in memory.
 */
import type { MessageConnection } from 'vscode-jsonrpc';
import { systemClock } from '../../src/base/clock.ts';
import type { SessionId } from '../../src/base/ids.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { connect } from '../../src/protocol/connect.ts';
import { readStepDetail, readRows, readTrack, ready } from '../../src/protocol/sessionView.ts';
import { homeAt } from '../../src/storage/home.ts';
import { OpenSessions } from '../../src/vscode/window/openSessions.ts';
import { SessionViewHost } from '../../src/vscode/sessionView/viewHost.ts';
import { createSessionViewSource } from '../../src/vscode/sessionView/sessionViewSource.ts';
import { ScriptedModel } from '../fakes/scriptedModel.ts';
import { homeOf, openEngine } from './bed.ts';
import { median, spread, timed, type Figure, type Size } from './figure.ts';
import { portPair } from './panelView.ts';
import { plainParseMs } from './plain.ts';
import { SyntheticJournal } from './syntheticJournal.ts';

const sizes = {
  full: { events: 10_000, runs: 1_000, rounds: 5, scrubs: 200 },
  tiny: { events: 600, runs: 60, rounds: 1, scrubs: 10 },
};
const track = { axis: 'time', pixels: 1600 } as const;

type Terms = (typeof sizes)['full'];

interface Opening {
  readonly openMs: number;
  readonly scrubsMs: readonly number[];
  readonly trackMs: number;
  readonly heapMb: number;
}

export async function benchSessionView(folder: string, size: Size): Promise<Figure[]> {
  const terms = sizes[size];
  const { events, runs, rounds } = terms;
  const sessionId = await writeSession(folder, terms);
  const journalFile = homeAt(homeOf(folder)).journalFile(sessionId);
  const openings: Opening[] = [];
  for (let round = 0; round < rounds; round++) openings.push(await open(folder, sessionId, terms));
  const of = (pick: (opening: Opening) => number): number => median(openings.map(pick));
  const what = `${events} events and ${runs} runs`;
  return [
    {
      name: `session view opened on ${what}, p50 of ${rounds}`,
      value: of((one) => one.openMs),
      unit: 'ms',
      aim: { atMost: 1000 },
    },
    {
      name: 'their lines read and parsed, for comparison',
      value: await plainParseMs(journalFile),
      unit: 'ms',
    },
    ...spread(
      'step of a scrub',
      openings.flatMap(({ scrubsMs }) => scrubsMs),
      50,
    ),
    {
      name: `overview read anew, p50 of ${rounds}`,
      value: of((one) => one.trackMs),
      unit: 'ms',
      aim: { atMost: 50 },
    },
    { name: `heap of an open session view, ${what}`, value: of((one) => one.heapMb), unit: 'MB' },
  ];
}

/** A run for every ten events: each in a turn of its own, as a year of sweeps would leave them. */
async function writeSession(folder: string, { events, runs }: Terms): Promise<SessionId> {
  const journal = new SyntheticJournal('bring loss < 1');
  for (let run = 0; run < runs; run++) {
    const id = journal.run();
    const best = 3 - run / runs;
    const metric = {
      metric: 'loss',
      count: 100,
      last: best,
      lastStep: 99,
      min: best,
      max: 4,
      mean: 3,
    };
    journal.runEnded(id, [{ ...metric, best, direction: 'lower' }]);
  }
  while (journal.length + 3 <= events) journal.talk();
  await journal.write(homeAt(homeOf(folder)));
  return journal.sessionId;
}

/** A new engine each time, so that nothing is in memory but the file cache of the system. */
async function open(folder: string, sessionId: SessionId, { scrubs }: Terms): Promise<Opening> {
  const engine = await openEngine({ folder, model: new ScriptedModel([]) });
  const sessions = new OpenSessions(systemClock);
  try {
    const before = heap();
    const startedMs = performance.now();
    const source = await createSessionViewSource(
      { engine, sessions, clock: systemClock, logger: silentLogger },
      sessionId,
    );
    const [hostPort, viewPort] = portPair();
    const actions = { openRunOutput: () => undefined, openMetrics: () => undefined };
    const host = new SessionViewHost({
      source,
      port: hostPort,
      actions,
      clock: systemClock,
      logger: silentLogger,
    });
    const view = connect(viewPort);
    view.listen();
    const { rows } = await view.sendRequest(ready);
    await Promise.all([
      view.sendRequest(readRows, { from: rows - 50, to: rows }),
      view.sendRequest(readTrack, track),
      view.sendRequest(readStepDetail, { row: rows - 1 }),
    ]);
    const openMs = performance.now() - startedMs;
    const scrubsMs = await scrub(view, rows, scrubs);
    const trackMs = await timed(() => view.sendRequest(readTrack, track));
    const heapMb = (heap() - before) / 1e6;
    view.dispose();
    host.dispose();
    source.dispose();
    return { openMs, scrubsMs, trackMs, heapMb };
  } finally {
    sessions.dispose();
    await engine.close();
  }
}

/** All over the session, in no order, as a slider does that is pulled to and fro. */
async function scrub(view: MessageConnection, rows: number, scrubs: number): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < scrubs; index++)
    times.push(await timed(() => view.sendRequest(readStepDetail, { row: (index * 7919) % rows })));
  return times;
}

function heap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
