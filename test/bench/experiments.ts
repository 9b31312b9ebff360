/**
 * What the harness adds to an experiment, and how soon the end of a process becomes the next
 * request to the model.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { WireAnswer } from '../fakes/wire.ts';
import { startWireAnthropic } from '../fakes/wireAnthropic.ts';
import { openEngine, workOf } from './bed.ts';
import { spread, type Figure, type Size } from './figure.ts';
import { stampsOf, type Stamps } from './stamps.ts';

const sizes = {
  full: { warmUps: 2, measured: 30, bareRuns: 20 },
  tiny: { warmUps: 1, measured: 2, bareRuns: 2 },
};

/**
 * Says itself when its first instruction ran and when its last one did. Each tries another rate:
 * the same is tried once.
 */
const commandOf = (experiment: number): string =>
  `lr=${experiment}e-4; echo start_ns=$(date +%s%N); sleep 0.3; echo loss=0.5; echo end_ns=$(date +%s%N)`;

interface Cycle {
  readonly processMs: number;
  /** From request to request, less the process's own time. */
  readonly harnessMs: number;
  /** From the request that launches to the first instruction of the process. */
  readonly launchMs: number;
  /** From the last instruction of the process to the arrival of the next request. */
  readonly wakeMs: number;
}

/**
 * A model that answers at once launches a process of 0.3 s, sleeps until it ends, and launches the
 * next: the whole engine, the real SDK over loopback, real processes.
 */
export async function benchExperiments(folder: string, size: Size): Promise<Figure[]> {
  const { warmUps, measured, bareRuns } = sizes[size];
  const bareMs = await bareOverheads(bareRuns);
  const cycles = (await runSession(folder, warmUps + measured)).slice(warmUps);
  const of = (pick: (cycle: Cycle) => number): number[] => cycles.map(pick);
  return [
    ...spread(
      'harness time per experiment',
      of(({ harnessMs }) => harnessMs),
      1000,
    ),
    ...spread(
      'end of process → next model request',
      of(({ wakeMs }) => wakeMs),
      500,
    ),
    ...spread(
      'model request → first instruction of process',
      of(({ launchMs }) => launchMs),
    ),
    ...spread(
      "the process's own time, for comparison",
      of(({ processMs }) => processMs),
    ),
    ...spread('bare spawn and exit of the same command, for comparison', bareMs),
  ];
}

async function runSession(folder: string, experiments: number): Promise<Cycle[]> {
  const arrivalsMs: number[] = [];
  const server = await startWireAnthropic(({ index }) => {
    arrivalsMs.push(Date.now());
    return answerTo(index, experiments);
  });
  const engine = await openEngine({ folder, anthropicBaseUrl: server.url });
  try {
    const session = await engine.sessions.start({
      goal: 'measure',
      budget: {},
      workFolder: workOf(folder),
    });
    const reason = await session.ended;
    if (reason !== 'blocked')
      throw new Error(`The session ended with ${reason}: ${session.state.end?.summary}`);
    const stamps = await Promise.all(
      engine.runs.all().map(async (run) => stampsOf(await readFile(run.outputPath, 'utf8'))),
    );
    if (stamps.length !== experiments)
      throw new Error(`${stamps.length} of ${experiments} experiments were launched.`);
    return stamps.map((stamp, index) => cycleOf(stamp, arrivalsMs.slice(2 * index)));
  } finally {
    await engine.close();
    await server.close();
  }
}

/**
 * Two requests for each experiment: launch, sleep until it ends. The one after the last experiment
 * ends the session.
 */
function answerTo(index: number, experiments: number): WireAnswer {
  const run = Math.floor(index / 2) + 1;
  if (run > experiments)
    return { toolCalls: [{ name: 'finish', input: { outcome: 'blocked', summary: 'measured' } }] };
  const input = { command: commandOf(run), metric_names: ['loss'] };
  if (index % 2 === 0) return { toolCalls: [{ name: 'remote_exec_background', input }] };
  const condition = { type: 'process_exit', run };
  return {
    toolCalls: [{ name: 'sleep', input: { reason: 'training', wake_conditions: [condition] } }],
  };
}

function cycleOf({ startMs, endMs }: Stamps, arrivalsMs: readonly number[]): Cycle {
  const [launched, , next] = arrivalsMs;
  if (launched === undefined || next === undefined)
    throw new Error('A request to the model is missing.');
  const processMs = endMs - startMs;
  return {
    processMs,
    harnessMs: next - launched - processMs,
    launchMs: startMs - launched,
    wakeMs: next - endMs,
  };
}

/**
 * What the system itself takes to start and end the command, from a parent that does nothing else.
 */
async function bareOverheads(rounds: number): Promise<number[]> {
  const overheads: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedMs = Date.now();
    const child = spawn('/bin/bash', ['-c', commandOf(round)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const output: Buffer[] = [];
    child.stdout.on('data', (bytes: Buffer) => output.push(bytes));
    await once(child, 'close');
    const { startMs, endMs } = stampsOf(Buffer.concat(output).toString());
    overheads.push(Date.now() - startedMs - (endMs - startMs));
  }
  return overheads;
}
