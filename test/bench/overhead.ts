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
  const { warmUps, calls, part } = terms;
  const before = process.cpuUsage();
  const alone = await inProcess(`${folder}/alone`, terms);
  const { user, system } = process.cpuUsage(before);
  const wired = await overLoopback(`${folder}/wired`, terms);
  const early = median(alone.slice(0, part));
  const late = median(alone.slice(-part));
  return [
    ...spread(`request → next request, ${calls} calls, no network`, alone, 30),
    {
      name: 'processor time of a call, no network',
      value: (user + system) / 1000 / (calls + warmUps),
      unit: 'ms',
      aim: { atMost: 10 },
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

/** Answers without looking at what it is asked. */
class InstantModel implements ModelProvider {
  readonly id = 'demo';
  readonly label = 'Instant';
  readonly defaultModel = 'instant-1';
  readonly #atMs: number[];
  readonly #calls: number;

  constructor(atMs: number[], calls: number) {
    this.#atMs = atMs;
    this.#calls = calls;
  }

  models() {
    return [
      { id: this.defaultModel, label: this.label, contextTokens: 200_000, maxOutputTokens: 8_000 },
    ];
  }

  async *stream(): AsyncGenerator<ModelEvent> {
    const index = this.#atMs.push(performance.now()) - 1;
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

async function inProcess(folder: string, terms: Terms): Promise<number[]> {
  const atMs: number[] = [];
  const model = new InstantModel(atMs, terms.calls + terms.warmUps);
  return (await runToEnd(folder, atMs, { model })).slice(terms.warmUps);
}

async function overLoopback(folder: string, { warmUps, calls }: Terms): Promise<number[]> {
  const atMs: number[] = [];
  const server = await startWireAnthropic(({ index }): WireAnswer => {
    atMs.push(performance.now());
    return { toolCalls: [index < calls + warmUps ? noteOf(index) : quit] };
  });
  try {
    return (await runToEnd(folder, atMs, { anthropicBaseUrl: server.url })).slice(warmUps);
  } finally {
    await server.close();
  }
}

async function runToEnd(
  folder: string,
  atMs: readonly number[],
  model: { readonly model?: ModelProvider; readonly anthropicBaseUrl?: string },
): Promise<number[]> {
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
    return atMs.slice(1).map((ms, index) => ms - (atMs[index] ?? ms));
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
