/**
 * Taking up a long session, from a new engine to the first request to the model; and listing many
 * sessions.
 */
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { newRunId, type RunId } from '../../src/base/ids.ts';
import { LocalMachine } from '../../src/machines/local/localMachine.ts';
import { createMachines } from '../../src/machines/list/machineList.ts';
import type { MetricSummary } from '../../src/metrics/metric.ts';
import type { RunSpec } from '../../src/runs/run.ts';
import { Runs } from '../../src/runs/runs.ts';
import { homeAt, type Home } from '../../src/storage/home.ts';
import { ScriptedModel } from '../fakes/scriptedModel.ts';
import { homeOf, openEngine, workOf } from './bed.ts';
import { median, timed, type Figure, type Size } from './figure.ts';
import { plainParseMs } from './plain.ts';
import { SyntheticJournal } from './syntheticJournal.ts';

const sizes = {
  full: { runs: 40, events: 10_000, rounds: 5, sessions: 200 },
  tiny: { runs: 4, events: 400, rounds: 1, sessions: 5 },
};
const runsPerCheckpoint = 5;
const launchedTogether = 4;

type Terms = (typeof sizes)['full'];

interface DoneRun {
  readonly spec: RunSpec;
  readonly metrics: readonly MetricSummary[];
}

export async function benchResume(folder: string, size: Size): Promise<Figure[]> {
  const terms = sizes[size];
  const longFigures = await benchLongSession(join(folder, 'long'), terms);
  return [...longFigures, ...(await benchList(join(folder, 'list'), terms))];
}

async function benchLongSession(
  folder: string,
  { runs, events, rounds }: Terms,
): Promise<Figure[]> {
  const home = homeAt(homeOf(folder));
  const journal = longJournal(await realRuns(folder, runs), events);
  await journal.write(home);
  const file = home.journalFile(journal.sessionId);
  const megabytes = (await stat(file)).size / 1e6;
  const plainMs = await plainParseMs(file);
  const times: Resumption[] = [];
  for (let round = 0; round < rounds; round++) times.push(await resumeOnce(folder, home, journal));
  const resumeMs = times.map((time) => time.resumeMs);
  return [
    { name: `journal of ${journal.length} events, ${runs} runs`, value: megabytes, unit: 'MB' },
    {
      name: 'resume → first model request, first time',
      value: resumeMs[0] ?? Number.NaN,
      unit: 'ms',
    },
    { name: `resume → first model request, p50 of ${rounds}`, value: median(resumeMs), unit: 'ms' },
    { name: 'lines of that journal read and parsed, for comparison', value: plainMs, unit: 'ms' },
    {
      name: `a further turn with one quick tool, p50 of ${rounds}`,
      value: median(times.map((time) => time.turnMs)),
      unit: 'ms',
    },
  ];
}

/** What a process that was ended at some moment of the night leaves. */
function longJournal(runs: readonly DoneRun[], events: number): SyntheticJournal {
  const journal = new SyntheticJournal('bring loss < 0.001');
  for (const [index, { spec, metrics }] of runs.entries()) {
    const id = journal.run(spec);
    const lastEvent = Math.round((events * (index + 1)) / runs.length) - 1;
    for (let turn = 1; journal.length < lastEvent; turn++) addTurn(journal, turn);
    if (index % runsPerCheckpoint === 0) journal.checkpoint();
    journal.runEnded(id, metrics);
  }
  return journal;
}

/** Now and then a file is changed, for without progress the session would be ended. */
function addTurn(journal: SyntheticJournal, turn: number): void {
  if (turn % 4 === 0) journal.edit();
  else if (turn % 4 === 2) journal.turn();
  else journal.talk();
}

interface Resumption {
  /** From a new engine to the first request. */
  readonly resumeMs: number;
  /** From the first request to the second: reply, one quick tool, request. */
  readonly turnMs: number;
}

/** The journal is put back each time, for being taken up is written into it. */
async function resumeOnce(
  folder: string,
  home: Home,
  journal: SyntheticJournal,
): Promise<Resumption> {
  await journal.write(home);
  const first = Promise.withResolvers<number>();
  const second = Promise.withResolvers<number>();
  const model = new ScriptedModel((_request, index) => {
    (index === 0 ? first : second).resolve(performance.now());
    return index === 0 ? [{ name: 'list_machines', input: {} }] : 'hang';
  });
  const startedMs = performance.now();
  const engine = await openEngine({ folder, model });
  try {
    const session = await engine.sessions.resume(journal.sessionId);
    const ended = session.ended.then((reason) =>
      Promise.reject(new Error(`The session ended with ${reason}.`)),
    );
    const [firstMs, secondMs] = await Promise.race([
      Promise.all([first.promise, second.promise]),
      ended,
    ]);
    return { resumeMs: firstMs - startedMs, turnMs: secondMs - firstMs };
  } finally {
    await engine.close();
  }
}

/** Really launched, so that folder, output and points of each are what a resumed session finds. */
async function realRuns(folder: string, count: number): Promise<DoneRun[]> {
  await mkdir(workOf(folder), { recursive: true });
  const { runsFolder } = homeAt(homeOf(folder));
  const machines = createMachines([
    new LocalMachine({ runsFolder, workFolder: workOf(folder), clock: systemClock }),
  ]);
  const runs = new Runs({ machines, folder: runsFolder, clock: systemClock });
  const sessionId = new SyntheticJournal('none').sessionId;
  const done: DoneRun[] = [];
  const command = 'for i in $(seq 500); do echo "step=$i loss=0.$((1000 - i))"; done';
  const launch = async (number: number): Promise<void> => {
    const id = newRunId(Date.now());
    const base = {
      machineId: 'local',
      command,
      cwd: workOf(folder),
      env: {},
      metrics: { names: ['loss'] },
    };
    const spec: RunSpec = {
      ...base,
      id,
      sessionId,
      number,
      label: `lr=${number}e-4`,
      plannedMs: Date.now(),
    };
    const ended = endOf(runs, id);
    const run = await runs.launch(spec);
    await ended;
    done.push({ spec, metrics: run.metrics.summaries() });
  };
  for (let first = 1; first <= count; first += launchedTogether)
    await Promise.all(
      Array.from({ length: launchedTogether }, (_, index) => launch(first + index)),
    );
  runs.dispose();
  return done.sort((a, b) => a.spec.number - b.spec.number);
}

const endOf = (runs: Runs, id: RunId): Promise<void> =>
  new Promise((resolve) => {
    const listening = runs.onDidChange((change) => {
      if (change.kind !== 'ended' || change.run.spec.id !== id) return;
      listening.dispose();
      resolve();
    });
  });

/**
 * Evenings of a hundred events each. The index is made from the journals, loaded, and asked again.
 */
async function benchList(folder: string, { sessions }: Terms): Promise<Figure[]> {
  const home = homeAt(homeOf(folder));
  for (let index = 0; index < sessions; index++) await shortJournal(index).write(home);
  const [fromJournals] = await listTwice(folder, sessions);
  const [fromFile, again] = await listTwice(folder, sessions);
  return [
    {
      name: `list of ${sessions} sessions, index made from the journals`,
      value: fromJournals,
      unit: 'ms',
    },
    { name: `list of ${sessions} sessions, index loaded`, value: fromFile, unit: 'ms' },
    { name: `list of ${sessions} sessions, asked again`, value: again, unit: 'ms' },
  ];
}

async function listTwice(folder: string, sessions: number): Promise<[number, number]> {
  const engine = await openEngine({ folder, model: new ScriptedModel([]) });
  const list = async (): Promise<void> => {
    const { length } = await engine.sessions.list();
    if (length !== sessions) throw new Error(`${length} sessions instead of ${sessions}`);
  };
  const timesMs: [number, number] = [await timed(list), await timed(list)];
  await engine.close();
  return timesMs;
}

function shortJournal(index: number): SyntheticJournal {
  const journal = new SyntheticJournal(`bring loss < 0.${index + 1}`, Date.UTC(2026, 0, 1 + index));
  const metric = { count: 500, last: 0.5, lastStep: 500, min: 0.4, max: 3, mean: 1, best: 0.4 };
  for (let run = 0; run < 4; run++) {
    const id = journal.run();
    for (let turn = 0; turn < 4; turn++) journal.turn();
    journal.runEnded(id, [{ metric: 'loss', direction: 'lower', ...metric }]);
  }
  journal.add({
    type: 'session.ended',
    reason: 'budget',
    summary: 'Stopped: the money is spent.',
    evidence: [],
  });
  return journal;
}
