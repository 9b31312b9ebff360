/** What the engine adds to a call: from the model's last word to its next request, when it answers at once and one quick tool is called. */
import { noUsage, type ModelEvent, type ModelProvider } from '../../src/models/model.ts';
import type { WireAnswer } from '../fakes/wire.ts';
import { startWireAnthropic } from '../fakes/wireAnthropic.ts';
import { openEngine, workOf } from './bed.ts';
import { median, spread, type Figure } from './figure.ts';

const warmUps = 20;
const calls = 600;
/** Of the session: what a call costs at its beginning and at its end. */
const part = 100;

/** Without a network; then through the real SDK to a server on loopback. The session is shortened on the way. */
export async function benchOverhead(folder: string): Promise<Figure[]> {
  const before = process.cpuUsage();
  const alone = await inProcess(`${folder}/alone`);
  const { user, system } = process.cpuUsage(before);
  const wired = await overLoopback(`${folder}/wired`);
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
    { name: `the last ${part} to the first, p50`, value: late / early, unit: '×', aim: { atMost: 1.5 } },
    ...spread(`request → next request, ${calls} calls, SDK and loopback`, wired, 60),
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

  constructor(atMs: number[]) {
    this.#atMs = atMs;
  }

  models() {
    return [{ id: this.defaultModel, label: this.label, contextTokens: 200_000, maxOutputTokens: 8_000 }];
  }

  async *stream(): AsyncGenerator<ModelEvent> {
    const index = this.#atMs.push(performance.now()) - 1;
    const call = {
      type: 'tool_call',
      id: `call_${index}`,
      ...(index < calls + warmUps ? noteOf(index) : quit),
    } as const;
    const usage = { ...noUsage, outputTokens: 160 };
    yield await Promise.resolve({
      type: 'finished',
      reply: { content: [call], stop: 'tools', usage, model: this.defaultModel },
    });
  }
}

async function inProcess(folder: string): Promise<number[]> {
  const atMs: number[] = [];
  return runToEnd(folder, atMs, { model: new InstantModel(atMs) });
}

async function overLoopback(folder: string): Promise<number[]> {
  const atMs: number[] = [];
  const server = await startWireAnthropic(({ index }): WireAnswer => {
    atMs.push(performance.now());
    return { toolCalls: [index < calls + warmUps ? noteOf(index) : quit] };
  });
  try {
    return await runToEnd(folder, atMs, { anthropicBaseUrl: server.url });
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
    const session = await engine.sessions.start({ goal: 'measure', budget: {}, workFolder: workOf(folder) });
    const reason = await session.ended;
    if (reason !== 'blocked') throw new Error(`The session ended with ${reason}: ${session.state.end?.summary}`);
    return atMs
      .slice(1)
      .map((ms, index) => ms - (atMs[index] ?? ms))
      .slice(warmUps);
  } finally {
    await engine.close();
  }
}
