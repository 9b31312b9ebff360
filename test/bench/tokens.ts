/**
 * What a session of 200 experiments sends to the model and costs, beside the same session told with
 * its whole history each time.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JournalEvent } from '../../src/agent/journal/events.ts';
import { withAttachments } from '../../src/agent/context/attachments.ts';
import { buildHistory } from '../../src/agent/context/history.ts';
import { anthropicRequest } from '../../src/models/anthropic/anthropicRequest.ts';
import {
  contextTokens,
  type SystemPart,
  type ToolSpec,
  type Usage,
} from '../../src/models/model.ts';
import { costOf } from '../../src/models/prices.ts';
import { PromptCache } from '../fakes/promptCache.ts';
import { list, type JsonObject, type WireAnswer } from '../fakes/wire.ts';
import { startWireAnthropic } from '../fakes/wireAnthropic.ts';
import { openEngine, workOf } from './bed.ts';
import type { Figure, Size } from './figure.ts';

/** From `flatFrom` on an experiment may not cost more than the one before. */
const sizes = { full: { experiments: 200, flatFrom: 10 }, tiny: { experiments: 3, flatFrom: 1 } };
const model = 'claude-opus-4-6';
/**
 * A tenth more than the 262,000 that it was when this was written: six calls with a context that is
 * shortened.
 */
const maxTokens = 288_000;

type Terms = (typeof sizes)['full'];

interface Spent {
  readonly tokens: number;
  readonly usd: number;
}

/**
 * The whole engine, the real SDK, real processes; the model reads, launches, waits, looks and notes
 * as a real one would.
 */
export async function benchTokens(folder: string, size: Size): Promise<Figure[]> {
  const terms = sizes[size];
  const cache = new PromptCache();
  const requests: JsonObject[] = [];
  const server = await startWireAnthropic(({ index, body }) => {
    if (index === 0) requests.push(body);
    return { ...answerTo(index, terms), usage: cache.usageOf(body) };
  });
  const engine = await openEngine({ folder, anthropicBaseUrl: server.url });
  try {
    await writeFile(join(workOf(folder), 'train.py'), script('3e-4'));
    const goal = 'bring loss < 0.001';
    const session = await engine.sessions.start({
      goal,
      budget: {},
      workFolder: workOf(folder),
      model,
    });
    const reason = await session.ended;
    if (reason !== 'blocked')
      throw new Error(`The session ended with ${reason}: ${session.state.end?.summary}`);
    const events = session.events();
    return figures(spentOn(usagesOf(events), terms), plain(events, requests[0] ?? {}, terms), {
      ...terms,
      hitShare: cache.hitShare,
      checkpoints: events.filter(({ type }) => type === 'context.checkpointed').length,
    });
  } finally {
    await engine.close();
    await server.close();
  }
}

const script = (rate: string): string =>
  [
    'experiment = 0',
    ...Array.from({ length: 60 }, (_, line) => `layer_${line} = Linear(512, 512)  # lr ${rate}`),
  ].join('\n');

const command = `for i in $(seq 40); do echo "step=$i loss=0.$((100 - i)) lr=3.0e-4 tokens_per_s=48213 grad_norm=0.91"; done`;

/** The calls of an experiment, one a turn. */
function callsOf(experiment: number): WireAnswer['toolCalls'][] {
  const rate = `${experiment}e-5`;
  const texts = {
    old_string: `experiment = ${experiment - 1}`,
    new_string: `experiment = ${experiment}`,
  };
  const change = { name: 'patch_file', input: { machine_id: 'local', path: 'train.py', ...texts } };
  const file = { machine_id: 'local', path: `train_${experiment}.py`, content: script(rate) };
  return [
    [{ name: 'read_file', input: { path: 'train.py' } }],
    [change, ...(experiment % 4 === 0 ? [{ name: 'write_file', input: file }] : [])],
    [
      {
        name: 'remote_exec_background',
        input: { command, metric_names: ['loss'], label: `lr=${rate}` },
      },
    ],
    [
      {
        name: 'sleep',
        input: {
          reason: 'it trains',
          wake_conditions: [{ type: 'process_exit', run: experiment }],
        },
      },
    ],
    [{ name: 'task_output', input: { task_id: `run ${experiment}`, lines: 40 } }],
    [
      { name: 'show_metrics', input: { task_id: `run ${experiment}` } },
      {
        name: 'memory_write',
        input: {
          path: `/observations/${experiment}`,
          gist: `lr=${rate} reached 0.60, like the others`,
          content: 'As measured.',
        },
      },
    ],
  ];
}

const turnsEach = callsOf(1).length;

function answerTo(index: number, { experiments }: Terms): WireAnswer {
  const experiment = Math.floor(index / turnsEach) + 1;
  if (experiment > experiments)
    return { toolCalls: [{ name: 'finish', input: { outcome: 'blocked', summary: 'measured' } }] };
  const text = `Experiment ${experiment}: the curve is still steep at the end, so the rate goes up by a little, and nothing else changes.`;
  return { text, toolCalls: callsOf(experiment)[index % turnsEach] ?? [] };
}

const spentOn = (usages: readonly Usage[], { experiments }: Terms): Spent[] =>
  Array.from({ length: experiments }, (_, index) => {
    const own = usages.slice(index * turnsEach, (index + 1) * turnsEach);
    return {
      tokens: own.reduce((sum, usage) => sum + contextTokens(usage) + usage.outputTokens, 0),
      usd: own.reduce((sum, usage) => sum + usdOf(usage), 0),
    };
  });

function usdOf(usage: Usage): number {
  const cost = costOf('claude', model, usage);
  if ('unknown' in cost) throw new Error(cost.unknown);
  return cost.usd;
}

const usagesOf = (events: readonly JournalEvent[]): Usage[] =>
  events.flatMap((event) => (event.type === 'model.replied' ? [event.usage] : []));

/**
 * Each request with all that came before it, its prompt as it was at first, with a cache that is as
 * good.
 */
function plain(events: readonly JournalEvent[], first: JsonObject, terms: Terms): Spent[] {
  const cache = new PromptCache();
  const whole = events.filter(({ type }) => type !== 'context.checkpointed');
  const system = list(first.system).map(({ text, cache_control: mark }): SystemPart => {
    return { text: String(text), isStable: mark !== undefined };
  });
  const tools = list(first.tools).map(({ name, description, input_schema: schema }): ToolSpec => {
    return {
      name: String(name),
      description: String(description),
      inputSchema: schema as JsonObject,
    };
  });
  const told = usagesOf(events);
  const starts = whole.flatMap(({ type }, index) => (type === 'model.requested' ? [index] : []));
  const usages = starts.slice(0, terms.experiments * turnsEach).map((start, index) => {
    const messages = withAttachments(buildHistory(whole.slice(0, start)));
    const body = anthropicRequest(
      { model, system, tools, messages },
      'claude',
    ) as unknown as JsonObject;
    return { ...cache.usageOf(body), outputTokens: told[index]?.outputTokens ?? 0 };
  });
  return spentOn(usages, terms);
}

function figures(
  own: readonly Spent[],
  whole: readonly Spent[],
  {
    experiments,
    flatFrom,
    hitShare,
    checkpoints,
  }: Terms & { hitShare: number; checkpoints: number },
): Figure[] {
  const mean = (spent: readonly Spent[], of: keyof Spent): number =>
    spent.reduce((sum, one) => sum + one[of], 0) / spent.length;
  const share = (of: keyof Spent): number => mean(own, of) / mean(whole, of);
  const flat = own.slice(flatFrom).map(({ tokens }) => tokens);
  return [
    {
      name: `tokens per experiment, mean of ${experiments}`,
      value: mean(own, 'tokens'),
      unit: 'tokens',
      aim: { atMost: maxTokens },
    },
    {
      name: 'tokens per experiment with the whole history',
      value: mean(whole, 'tokens'),
      unit: 'tokens',
    },
    {
      name: 'tokens, ours to whole history',
      value: share('tokens'),
      unit: '×',
      aim: { atMost: 0.25 },
    },
    { name: 'cost per experiment', value: mean(own, 'usd'), unit: 'USD' },
    { name: 'cost per experiment with the whole history', value: mean(whole, 'usd'), unit: 'USD' },
    { name: 'cost, ours to whole history', value: share('usd'), unit: '×', aim: { atMost: 0.25 } },
    {
      name: `growth of tokens from experiment ${flatFrom} to ${experiments}, of their mean`,
      value: growth(flat),
      unit: '×',
      aim: { atMost: 0.1 },
    },
    {
      name: 'share of input read from the cache',
      value: hitShare,
      unit: '×',
      aim: { atLeast: 0.8 },
    },
    { name: 'checkpoints', value: checkpoints, unit: 'count' },
  ];
}

/** Of a straight line through the values, from its first to its last, as a share of their mean. */
function growth(values: readonly number[]): number {
  const meanX = (values.length - 1) / 2;
  const meanY = values.reduce((sum, value) => sum + value, 0) / values.length;
  const covariance = values.reduce((sum, value, x) => sum + (x - meanX) * (value - meanY), 0);
  const variance = values.reduce((sum, _value, x) => sum + (x - meanX) ** 2, 0);
  return ((covariance / variance) * (values.length - 1)) / meanY;
}
