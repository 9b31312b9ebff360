/**
 * What the engine adds to a call: from the model's last word to its next request, when it answers
 * at once and one quick tool is called.
 */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { noUsage, type ModelEvent, type ModelProvider } from '../../src/models/model.ts';
import type { WireAnswer } from '../fakes/wire.ts';
import { startWireAnthropic } from '../fakes/wireAnthropic.ts';
import { openEngine, workOf } from './bed.ts';
import { median, spread, timed, type Figure, type Size } from './figure.ts';

/** `part` of the session: what a call costs at its beginning and at its end. */
const sizes = {
  full: { warmUps: 20, calls: 600, part: 100 },
  tiny: { warmUps: 3, calls: 20, part: 5 },
};
const plainFlushes = 100;

type Terms = (typeof sizes)['full'];

/**
 * Without a network; then through the real SDK to a server on loopback. The session is shortened on
 * the way.
 */
export async function benchOverhead(folder: string, size: Size): Promise<Figure[]> {
  const terms = sizes[size];
  const { calls, part } = terms;
  const { gapsMs: alone, processorMs } = await inProcess(`${folder}/alone`, terms);
  const wired = await overLoopback(`${folder}/wired`, terms);
  const early = median(alone.slice(0, part));
  const late = median(alone.slice(-part));
  return [
    ...spread(`request → next request, ${calls} calls, no network`, alone, 30),
    {
      name: 'processor time of a call, no network',
      value: processorMs / calls,
      unit: 'ms',
      aim: { atMost: 5 },
    },
    {
      name: `the last ${part} to the first, p50`,
      value: late / early,
      unit: '×',
      aim: { atMost: 1.5 },
    },
    ...spread(`request → next request, ${calls} calls, SDK and loopback`, wired, 60),
    {
      name: 'four plain flushes, for comparison, p50',
      value: 4 * (await plainFlushMs(folder)),
      unit: 'ms',
    },
  ];
}

const quit = { name: 'finish', input: { outcome: 'blocked', summary: 'measured' } };

/** A note counts as work, so that the session goes on. */
const noteOf = (index: number) => ({
  name: 'memory_write',
  input: { path: `/observations/${index % 50}`, gist: `${index}: ${'what was found '.repeat(40)}` },
});

interface Requested {
  readonly atMs: number;
  /** Of this process until then, all threads. */
  readonly processorMs: number;
}

/** Answers without looking at what it is asked. */
class InstantModel implements ModelProvider {
  readonly id = 'demo';
  readonly label = 'Instant';
  readonly defaultModel = 'instant-1';
  readonly #requested: Requested[];
  readonly #calls: number;

  constructor(requested: Requested[], calls: number) {
    this.#requested = requested;
    this.#calls = calls;
  }

  models() {
    return [
      { id: this.defaultModel, label: this.label, contextTokens: 200_000, maxOutputTokens: 8_000 },
    ];
  }

  async *stream(): AsyncGenerator<ModelEvent> {
    const { user, system } = process.cpuUsage();
    const now = { atMs: performance.now(), processorMs: (user + system) / 1000 };
    const index = this.#requested.push(now) - 1;
    const call = {
      type: 'tool_call',
      id: `call_${index}`,
      ...(index < this.#calls ? noteOf(index) : quit),
    } as const;
    const usage = { ...noUsage, outputTokens: 160 };
    yield await Promise.resolve({
      type: 'finished',
      reply: { content: [call], stop: 'tools', usage, model: this.defaultModel },
    });
  }
}

interface Calls {
  readonly gapsMs: number[];
  /** Between the first request that counts and the last: no code is loaded, no session started. */
  readonly processorMs: number;
}

async function inProcess(folder: string, { warmUps, calls }: Terms): Promise<Calls> {
  const requested: Requested[] = [];
  const model = new InstantModel(requested, calls + warmUps);
  await runToEnd(folder, { model });
  const [first, last] = [requested[warmUps], requested.at(-1)];
  return {
    gapsMs: gaps(requested.map(({ atMs }) => atMs)).slice(warmUps),
    processorMs: (last?.processorMs ?? Number.NaN) - (first?.processorMs ?? 0),
  };
}

async function overLoopback(folder: string, { warmUps, calls }: Terms): Promise<number[]> {
  const atMs: number[] = [];
  const server = await startWireAnthropic(({ index }): WireAnswer => {
    atMs.push(performance.now());
    return { toolCalls: [index < calls + warmUps ? noteOf(index) : quit] };
  });
  try {
    await runToEnd(folder, { anthropicBaseUrl: server.url });
    return gaps(atMs).slice(warmUps);
  } finally {
    await server.close();
  }
}

const gaps = (atMs: readonly number[]): number[] =>
  atMs.slice(1).map((ms, index) => ms - (atMs[index] ?? ms));

async function runToEnd(
  folder: string,
  model: { readonly model?: ModelProvider; readonly anthropicBaseUrl?: string },
): Promise<void> {
  const engine = await openEngine({ folder, ...model });
  try {
    const session = await engine.sessions.start({
      goal: 'measure',
      budget: {},
      workFolder: workOf(folder),
    });
    const reason = await session.ended;
    if (reason !== 'blocked')
      throw new Error(`The session ended with ${reason}: ${session.state.end?.summary}`);
  } finally {
    await engine.close();
  }
}

async function plainFlushMs(folder: string): Promise<number> {
  await using file = await open(join(folder, 'plain'), 'a');
  const line = Buffer.alloc(500, 'x');
  const timesMs: number[] = [];
  for (let flush = 0; flush < plainFlushes; flush += 1)
    timesMs.push(
      await timed(async () => {
        await file.write(line);
        await file.datasync();
      }),
    );
  return median(timesMs);
}
