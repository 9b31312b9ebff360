import type { DemoReply } from '../../src/models/demo/notes.ts';
import { demoReply } from '../../src/models/demo/researcher.ts';
import type {
  AssistantBlock,
  Message,
  ModelRequest,
  ToolSpec,
  UserBlock,
} from '../../src/models/model.ts';

/** What a run of the script measures: a value, or a verdict without one. */
export type Landscape = (
  point: Readonly<Record<string, number>>,
) => number | { readonly verdict: string };

export interface WorldOptions {
  readonly goal?: string;
  readonly script?: string;
  /** In the prompt, beside `local`. */
  readonly machines?: readonly string[];
  readonly landscape?: Landscape;
  /** Called before a call is answered; a text refuses it. */
  readonly refuse?: (name: string, input: Readonly<Record<string, unknown>>) => string | undefined;
}

export const demoScript = [
  'parser.add_argument("--lr", type=float, default=0.01, help="learning rate")',
  'parser.add_argument("--momentum", type=float, default=0.0)',
  'parser.add_argument("--hidden", type=int, default=16)',
  'parser.add_argument("--steps", type=int, default=1500)',
].join('\n');

const toolNames = [
  'remote_exec_background',
  'read_file',
  'write_file',
  'show_metrics',
  'compare_runs',
  'task_output',
  'kill_task',
  'memory_ls',
  'memory_read',
  'memory_write',
  'exp_decide',
  'sleep',
  'finish',
];
const tools = toolNames.map((name): ToolSpec => ({ name, description: name, inputSchema: {} }));

interface FakeRun {
  readonly number: number;
  readonly handle: string;
  readonly label: string;
  readonly command: string;
  readonly verdict: string;
  readonly value: string;
  isEnded: boolean;
}

/**
 * Answers the demo model's calls with the texts of the engine, from a landscape in place of a
 * training script.
 */
export class DemoWorld {
  readonly messages: Message[] = [];
  readonly runs: FakeRun[] = [];
  readonly replies: DemoReply[] = [];
  readonly notes = new Map<string, string>();
  /** Experiment → the decision on it. */
  readonly decisions = new Map<string, string>();
  finished:
    { outcome: string; summary: string; evidence: { run: string; metric: string }[] } | undefined;
  readonly #options: WorldOptions;
  #callNumber = 0;

  constructor(options: WorldOptions = {}) {
    this.#options = options;
    this.say(`The goal:\n${options.goal ?? 'Bring val_loss below 1.94 on the demo task'}`);
  }

  get request(): ModelRequest {
    const machines = ['local', ...(this.#options.machines ?? [])].map((id) => `- ${id}: 8 CPUs`);
    const text = `Where you are\nRelative paths start in /w.\nMachines:\n${machines.join('\n')}`;
    return {
      model: 'scripted',
      system: [{ text, isStable: false }],
      messages: this.messages,
      tools,
    };
  }

  say(text: string): void {
    this.#user({ type: 'text', text });
  }

  steer(text: string): void {
    this.say(`Message from the user:\n${text}`);
  }

  /** One reply of the model and the results of its calls. */
  turn(): DemoReply {
    const reply = demoReply(this.request);
    this.replies.push(reply);
    const calls = reply.calls.map((call) => ({
      type: 'tool_call' as const,
      id: `c${++this.#callNumber}`,
      ...call,
    }));
    const content: AssistantBlock[] = [{ type: 'text', text: reply.text }, ...calls];
    this.messages.push({ role: 'assistant', content });
    const ended: string[] = [];
    for (const { id, name, input } of calls) {
      const refusal = this.#options.refuse?.(name, input);
      const result = refusal ?? this.#answer(name, input);
      this.#user({ type: 'tool_result', callId: id, text: result, isError: refusal !== undefined });
      if (name === 'sleep' && refusal === undefined) ended.push(...this.#endRuns());
    }
    for (const text of ended) this.say(text);
    return reply;
  }

  /** Turns until it finishes; fails a test that would go on for ever. */
  play(maxTurns = 80): this {
    for (let turn = 0; this.finished === undefined; turn += 1) {
      if (turn >= maxTurns) throw new Error(`Not finished after ${maxTurns} turns`);
      this.turn();
    }
    return this;
  }

  /** The conversation is replaced by the engine's briefing. */
  shorten(goal = 'Bring val_loss below 1.94 on the demo task'): void {
    const rows = this.runs.map(
      (run) =>
        `- run ${run.number} · r-00000000${run.number} · ${run.handle} · ${run.label} · ${run.isEnded ? `${run.verdict} · loss last 1.5 best 1.4 · val_loss last ${run.value} best ${run.value}` : 'running'} · ${run.command}`,
    );
    this.messages.length = 0;
    this.say(
      `The conversation so far was shortened. This is what is recorded; every number was measured.\n\nThe goal:\n${goal}\n\nTurns made: 9. Runs: ${this.runs.length}.\n\nRuns:\n${rows.join('\n')}`,
    );
  }

  #answer(name: string, input: Readonly<Record<string, unknown>>): string {
    switch (name) {
      case 'read_file':
        return JSON.stringify({
          content: this.#options.script ?? demoScript,
          lines: { from: 1, to: 4, total: 4 },
        });
      case 'remote_exec_background':
        return this.#launch(
          String(input['machine_id']),
          String(input['command']),
          String(input['label']),
        );
      case 'show_metrics':
        return this.#metrics(String(input['task_id']));
      case 'memory_write':
        this.notes.set(
          String(input['path']),
          `${String(input['gist'])}\n${String(input['content'])}`,
        );
        return '{"ok":true}';
      case 'exp_decide':
        this.decisions.set(
          String(input['experiment']),
          `${String(input['decision'])}: ${String(input['why'])}`,
        );
        return '{"ok":true}';
      case 'finish':
        this.finished = input as unknown as NonNullable<DemoWorld['finished']>;
        return 'The session has ended.';
      default:
        return '{"ok":true}';
    }
  }

  #launch(machine: string, command: string, label: string): string {
    const point: Record<string, number> = Object.fromEntries(
      [...command.matchAll(/--(\w+) (\S+)/g)].map(
        ([, key, value]) => [key ?? '', Number(value)] as const,
      ),
    );
    const outcome = (this.#options.landscape ?? bowl)(point);
    const number = this.runs.length + 1;
    const value = typeof outcome === 'number' ? String(Number(outcome.toPrecision(4))) : 'NaN';
    const verdict = typeof outcome === 'number' ? 'ok' : outcome.verdict;
    this.runs.push({
      number,
      handle: `${machine}:${1000 + number}`,
      label,
      command,
      verdict,
      value,
      isEnded: false,
    });
    const pid = 1000 + number;
    return JSON.stringify({
      run: number,
      experiment: `e${number}`,
      run_id: `r-00000000${number}`,
      task: `${machine}:${pid}`,
      pid,
      machine_id: machine,
    });
  }

  #metrics(task: string): string {
    const run = this.runs.find(
      ({ handle, number }) => handle === task || task === `r-00000000${number}`,
    );
    return JSON.stringify({
      metrics: [{ name: 'val_loss', latest: run?.value === 'NaN' ? 'NaN' : Number(run?.value) }],
    });
  }

  #endRuns(): string[] {
    return this.runs
      .filter((run) => !run.isEnded)
      .map((run) => {
        run.isEnded = true;
        return `[Run ${run.number} (${run.label}) ended: ${run.verdict} · loss last 1.5 best 1.4 (30 points) · val_loss last ${run.value} best ${run.value} (30 points)]`;
      });
  }

  #user(block: UserBlock): void {
    const last = this.messages.at(-1);
    if (last?.role === 'user')
      this.messages[this.messages.length - 1] = { role: 'user', content: [...last.content, block] };
    else this.messages.push({ role: 'user', content: [block] });
  }
}

/** Best near lr 1 (less with momentum), better when wider, NaN from lr 8 on. */
export const bowl: Landscape = ({ lr = 0, momentum = 0, hidden = 16 }) => {
  const step = lr / (1 - momentum);
  if (step >= 8) return { verdict: 'failed (exit code 1)' };
  return 1.97 + 0.2 * Math.log10(step) ** 2 - 0.08 * Math.log2(hidden / 16);
};
