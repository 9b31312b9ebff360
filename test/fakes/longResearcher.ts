/**
 * A researcher for a session of thousands of turns: it knows how far it is only from what it is
 * shown.
 */
import {
  noUsage,
  type Message,
  type ModelEvent,
  type ModelProvider,
  type ModelRequest,
} from '../../src/models/model.ts';

export interface LongWork {
  readonly goal: string;
  readonly steps: number;
  /** One run is made in so many steps. */
  readonly stepsPerRun: number;
  /** Lines of about a hundred characters, in the work folder. */
  readonly bigFile: string;
  readonly bigLines: number;
  readonly windowTokens: number;
}

/** What a request showed, for the test to judge. */
export interface Shown {
  readonly step: number;
  readonly tokens: number;
  readonly isTooLong: boolean;
  /** What a real provider would refuse, or a user be angry about. */
  readonly problem?: string;
}

/** Of its own tokenizer, which is far from the usual: the engine has to learn it. */
const charsPerToken = 2.4;
const maxOutputTokens = 8_000;

export class LongResearcher implements ModelProvider {
  readonly id = 'long';
  readonly label = 'Long researcher';
  readonly defaultModel = 'long-1';
  readonly #work: LongWork;
  readonly #refresh: (shown: Shown) => void;

  constructor(work: LongWork, refresh: (shown: Shown) => void) {
    this.#work = work;
    this.#refresh = refresh;
  }

  models() {
    const { windowTokens: contextTokens } = this.#work;
    return [{ id: this.defaultModel, label: this.label, contextTokens, maxOutputTokens }];
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const text = JSON.stringify([request.system, request.tools, request.messages]);
    const tokens = Math.ceil(text.length / charsPerToken);
    const isTooLong = tokens > this.#work.windowTokens - maxOutputTokens;
    const step =
      Math.max(0, ...[...text.matchAll(/step-(\d+)/g)].map((match) => Number(match[1]))) + 1;
    const problem = problemOf(request.messages, this.#work.goal);
    this.#refresh({ step, tokens, isTooLong, ...(problem !== undefined && { problem }) });
    const base = {
      model: this.defaultModel,
      usage: { ...noUsage, inputTokens: tokens, outputTokens: 40 },
    };
    if (isTooLong) {
      const failure = { reason: 'overflow', message: `${tokens} tokens are too many` } as const;
      yield {
        type: 'finished',
        reply: { ...base, usage: noUsage, content: [], stop: 'error', failure },
      };
      return;
    }
    const said = { type: 'text', text: `Now step-${step}.` } as const;
    const call = { type: 'tool_call', id: `call_${step}`, ...this.#call(step) } as const;
    yield { type: 'finished', reply: { ...base, content: [said, call], stop: 'tools' } };
  }

  #call(step: number): { readonly name: string; readonly input: unknown } {
    const { steps, stepsPerRun, bigFile, bigLines } = this.#work;
    const run = Math.ceil(step / stepsPerRun);
    if (step >= steps)
      return { name: 'finish', input: { outcome: 'blocked', summary: 'All steps are done.' } };
    if (step % stepsPerRun === 1) return launch(run);
    if (step % stepsPerRun === 2)
      return {
        name: 'sleep',
        input: { reason: 'it trains', wake_conditions: [{ type: 'process_exit', run }] },
      };
    if (step % 10 === 0)
      return { name: 'memory_write', input: { path: '/progress', gist: `done: step-${step}` } };
    if (step % 20 === 5)
      return { name: 'remote_exec', input: { command: `echo step-${step}; cat ${bigFile}` } };
    const offset = 1 + ((step * 37) % (bigLines - 300));
    return {
      name: 'read_file',
      input: { path: bigFile, offset, limit: step % 6 === 0 ? 300 : 20 },
    };
  }
}

const launch = (run: number) => ({
  name: 'remote_exec_background',
  input: {
    command: `echo x >> started-${run}; for i in 1 2 3; do echo "step=$i loss=0.${100 - run}$i"; done`,
    metric_names: ['loss'],
    label: `run ${run}`,
  },
});

/**
 * Every call has its result in the message after it, and nothing else has one; the goal is there.
 */
function problemOf(messages: readonly Message[], goal: string): string | undefined {
  if (messages[0]?.role !== 'user') return 'the first message is not of the user';
  if (!JSON.stringify(messages).includes(goal)) return 'the goal is missing';
  for (const [index, { role, content }] of messages.entries()) {
    if (role === messages[index - 1]?.role) return `two messages of one role at ${index}`;
    const called = content.flatMap((block) => (block.type === 'tool_call' ? [block.id] : []));
    const answered = (messages[index + 1]?.content ?? []).flatMap((block) =>
      block.type === 'tool_result' ? [block.callId] : [],
    );
    if (role === 'assistant' && called.join() !== answered.join())
      return `calls ${called} are answered by ${answered}`;
    if (index === 0 && content.some((block) => block.type === 'tool_result'))
      return 'a result without its call';
  }
  return undefined;
}
