/**
 * A night of eight hours with a hundred experiments, and what a session costs the computer while it
 * only waits.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from '../../src/agent/contract/engine.ts';
import type { Session } from '../../src/agent/contract/sessions.ts';
import { homeAt } from '../../src/storage/home.ts';
import { ScriptedModel, type ScriptedReply } from '../fakes/scriptedModel.ts';
import { eventually } from '../fakes/testEngine.ts';
import { WarpClock } from '../fakes/warpClock.ts';
import { homeOf, openEngine, workOf } from './bed.ts';
import { none, type Figure, type Size } from './figure.ts';
import { processorMsOf } from './processorTime.ts';

/**
 * `settledAfter`: the first ones load code and warm up. `readShare`: of the lines that runs print,
 * at least.
 */
const sizes = {
  full: {
    experiments: 100,
    settledAfter: 20,
    waitMs: 30_000,
    settleMs: 3_000,
    lineSeconds: 1,
    readShare: 0.8,
  },
  tiny: {
    experiments: 3,
    settledAfter: 1,
    waitMs: 1_500,
    settleMs: 200,
    lineSeconds: 0.1,
    readShare: 0.01,
  },
};
const sleepMs = 288_000;
const waitedRuns = 4;

type Terms = (typeof sizes)['full'];

export async function benchNight(folder: string, size: Size): Promise<Figure[]> {
  const terms = sizes[size];
  return [
    ...(await wholeNight(join(folder, 'night'), terms)),
    ...(await waiting(join(folder, 'waiting'), terms)),
  ];
}

/** Hours pass on a clock that is moved; the runs, the disk and the engine are real. */
async function wholeNight(folder: string, terms: Terms): Promise<Figure[]> {
  const { experiments } = terms;
  const clock = new WarpClock();
  const model = new ScriptedModel(researcher(experiments));
  const engine = await openEngine({ folder, model, clock });
  try {
    const session = await engine.sessions.start({
      goal: 'bring loss < 0',
      budget: {},
      workFolder: workOf(folder),
    });
    const heapMb: number[] = [];
    let whileAsleep = 0;
    for (let experiment = 0; experiment < experiments; experiment += 1) {
      await asleep(session, experiment);
      const before = model.requests.length;
      heapMb.push(heapInMb());
      // Less than what it sleeps for: whatever is asked of the model meanwhile is asked too early.
      await clock.warp(sleepMs - 20_000, 10_000);
      whileAsleep += model.requests.length - before;
      model.requests.splice(0);
      await clock.warp(20_000, 10_000);
    }
    await session.ended;
    return [
      ...nightFigures(session, { ...terms, heapMb, whileAsleep }),
      ...(await fileSizes(engine, folder, session)),
    ];
  } finally {
    await engine.close();
    clock.dispose();
  }
}

interface Watched {
  readonly heapMb: readonly number[];
  readonly whileAsleep: number;
}

function nightFigures({ state }: Session, watched: Watched & Terms): Figure[] {
  const { heapMb, whileAsleep, experiments, settledAfter } = watched;
  const hours = (experiments * sleepMs) / 3_600_000;
  const settled = heapMb.slice(settledAfter);
  return [
    {
      name: `night of ${hours} h: experiments that ended well`,
      value: endedWell(state),
      unit: 'count',
      aim: { exactly: experiments },
    },
    {
      name: 'night: requests to the model while it slept',
      value: whileAsleep,
      unit: 'count',
      aim: none,
    },
    {
      name: 'night: heap after the last experiment',
      value: settled.at(-1) ?? Number.NaN,
      unit: 'MB',
    },
    {
      name: `night: growth of the heap per experiment, from ${settledAfter} on`,
      value: slope(settled),
      unit: 'MB',
      aim: { atMost: 0.1 },
    },
  ];
}

const endedWell = ({ runs }: Session['state']): number =>
  [...runs.values()].filter(({ verdict }) => verdict?.kind === 'ok').length;

async function fileSizes(engine: Engine, folder: string, { id }: Session): Promise<Figure[]> {
  await engine.sessions.list();
  await engine.close();
  const home = homeAt(homeOf(folder));
  const megabytes = async (file: string): Promise<number> => (await stat(file)).size / 1e6;
  return [
    { name: 'night: journal', value: await megabytes(home.journalFile(id)), unit: 'MB' },
    { name: 'night: index', value: await megabytes(home.indexFile), unit: 'MB' },
  ];
}

/** Asleep for the `number`th time. */
async function asleep(session: Session, number: number): Promise<void> {
  const slept = (): number =>
    session.events().filter(({ type }) => type === 'sleep.started').length;
  while (slept() <= number || session.state.phase !== 'sleeping') {
    if (session.state.phase === 'ended')
      throw new Error(`It ended after ${number}: ${session.state.end?.summary}`);
    await delay(2);
  }
}

/** Launches, sleeps until the run has ended and its time is over, and launches the next. */
function researcher(experiments: number) {
  let step = 0;
  return (): ScriptedReply => {
    const experiment = Math.floor(step / 2) + 1;
    const isLaunch = step % 2 === 0;
    step += 1;
    if (experiment > experiments)
      return [{ name: 'finish', input: { outcome: 'blocked', summary: 'The night is over.' } }];
    return isLaunch
      ? [
          {
            name: 'remote_exec_background',
            input: { command: trainer(experiment), label: `lr=${experiment}e-4` },
          },
        ]
      : [
          {
            name: 'sleep',
            input: { reason: 'it trains', logic: 'all', wake_conditions: conditions(experiment) },
          },
        ];
  };
}

const trainer = (experiment: number): string =>
  `lr=${experiment}e-4; for i in $(seq 20); do echo "step=$i loss=$((1000 - i)).${experiment}"; done`;

const conditions = (run: number): object[] => [
  { type: 'process_exit', run },
  { type: 'timer', seconds: sleepMs / 1000 - 10 },
];

function heapInMb(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1e6;
}

/** Of the straight line through the values, per step. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const covariance = values.reduce(
    (sum, value, index) => sum + (index - middle) * (value - mean),
    0,
  );
  return covariance / values.reduce((sum, _value, index) => sum + (index - middle) ** 2, 0);
}

/** On the clock of the system: four runs, and a session that sleeps. */
async function waiting(folder: string, terms: Terms): Promise<Figure[]> {
  const quiet = await idleShare(join(folder, 'quiet'), { ...terms, lineSeconds: 600 });
  const busy = await idleShare(join(folder, 'busy'), terms);
  const asleep = `asleep beside ${waitedRuns} runs that print`;
  return [
    {
      name: `${asleep} nothing for now: share of a core`,
      value: quiet.percent,
      unit: '%',
      aim: { atMost: 0.5 },
    },
    {
      name: `${asleep} nothing: with these runs and all that watches them`,
      value: quiet.allPercent,
      unit: '%',
    },
    { name: `${asleep} each second: share of a core`, value: busy.percent, unit: '%' },
    {
      name: 'asleep: requests to the model',
      value: quiet.requests + busy.requests,
      unit: 'count',
      aim: none,
    },
  ];
}

interface Idle {
  readonly percent: number;
  /** With all processes that it started. */
  readonly allPercent: number;
  /** Made while it slept. */
  readonly requests: number;
}

async function idleShare(
  folder: string,
  { lineSeconds, settleMs, waitMs, readShare }: Terms,
): Promise<Idle> {
  const launches = Array.from({ length: waitedRuns }, (_, index) => ({
    name: 'remote_exec_background',
    input: {
      command: `lr=${index + 1}e-3; for i in $(seq 1000); do echo "step=$i loss=0.$((9999 - i))"; sleep ${lineSeconds}; done`,
      label: `run ${index + 1}`,
      retest: 'it only takes time',
    },
  }));
  const sleep = [
    {
      name: 'sleep',
      input: { reason: 'they train', wake_conditions: [{ type: 'timer', seconds: 900 }] },
    },
  ];
  const model = new ScriptedModel([launches, sleep]);
  const engine = await openEngine({ folder, model });
  try {
    const session = await engine.sessions.start({
      goal: 'bring loss < 0',
      budget: {},
      workFolder: workOf(folder),
    });
    await eventually(session, 'sleep.started');
    await delay(settleMs);
    const [requests, points] = [model.requests.length, pointsOf(session)];
    const allBeforeMs = await processorMsOf(process.pid);
    const [before, startedMs] = [process.cpuUsage(), performance.now()];
    await delay(waitMs);
    const { user, system } = process.cpuUsage(before);
    const tookMs = performance.now() - startedMs;
    const allMs = (await processorMsOf(process.pid)) - allBeforeMs;
    const read = pointsOf(session) - points;
    const expected = Math.floor((waitedRuns * waitMs) / 1000 / lineSeconds);
    if (read < expected * readShare)
      throw new Error(`Of about ${expected} points only ${read} were read.`);
    const percent = (user + system) / 10 / tookMs;
    await session.stop({ killRuns: true });
    return {
      percent,
      allPercent: (allMs / tookMs) * 100,
      requests: model.requests.length - requests,
    };
  } finally {
    await engine.close();
  }
}

const pointsOf = ({ ledger }: Session): number =>
  ledger.rows.flatMap(({ metrics }) => metrics).reduce((sum, { count }) => sum + count, 0);
