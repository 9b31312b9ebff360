/** Runs with real metrics in a temporary folder, for tests of the metric tools. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newRunId, type SessionId } from '../../../src/base/ids.ts';
import type { Objective } from '../../../src/experiments/target/target.ts';
import type { MetricSpec } from '../../../src/metrics/metric.ts';
import { RunMetrics } from '../../../src/metrics/runMetrics.ts';
import type { MeasuredRun, MeasuredRuns, OwnRun } from '../../../src/tools/runs/measuredRuns.ts';
import type { Tool, ToolContext, ToolResult } from '../../../src/tools/tool.ts';

export interface MeasuredTestRun extends OwnRun {
  readonly metrics: RunMetrics;
}

export class MeasuredSession implements MeasuredRuns {
  readonly #folder = mkdtempSync(join(tmpdir(), 'metric-tools-'));
  readonly #runs: MeasuredTestRun[] = [];
  target: Objective | undefined;
  /** Run number → its seed. */
  readonly seeds = new Map<number, string>();
  /** Run number → its setting; 0 for others. */
  readonly settings = new Map<number, number>();
  /** Found by id, but of another session. */
  readonly others: MeasuredTestRun[] = [];

  /** Run 1, 2, 3 … with the metrics of `output`. */
  async add(
    output: string,
    status = 'ok',
    directions: MetricSpec['directions'] = {},
  ): Promise<MeasuredTestRun> {
    const number = this.#runs.length + 1;
    const names = { name: `run ${number}`, handle: `local:${1000 + number}` };
    const run = await this.#measured({ ...names, status, directions });
    run.metrics.ingest(Buffer.from(output), 0, number);
    this.#runs.push(run);
    return run;
  }

  async addOther(output: string): Promise<MeasuredTestRun> {
    const run = await this.#measured({ name: 'run 1', handle: 'gpu1:7', status: 'ok' });
    run.metrics.ingest(Buffer.from(output), 0, 0);
    this.others.push(run);
    return run;
  }

  find(reference: string): MeasuredTestRun | undefined {
    return [...this.#runs, ...this.others].find(
      ({ id, handle }) => id === reference || handle === reference,
    );
  }

  all(): readonly MeasuredTestRun[] {
    return this.#runs;
  }

  objectives(): readonly Objective[] {
    return this.target === undefined ? [] : [this.target];
  }

  repeats(): ReturnType<MeasuredRuns['repeats']> {
    return new Map(
      [...this.seeds].flatMap(([number, seed]) => {
        const run = this.#runs[number - 1];
        return run === undefined
          ? []
          : [[run.id, { setting: this.settings.get(number) ?? 0, seed }]];
      }),
    );
  }

  /** Experiment e1 has all runs. */
  group(reference: string): readonly MeasuredTestRun[] {
    return reference === 'e1' ? this.#runs : [];
  }

  elsewhere(reference: string): Promise<readonly MeasuredRun[]> {
    return Promise.resolve(reference === 's-2#7' ? this.others : []);
  }

  reread(): Promise<void> {
    throw new Error('nothing is read again here');
  }

  nearestLine(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  dispose(): void {
    for (const { metrics } of [...this.#runs, ...this.others]) metrics.dispose();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #measured(
    about: Pick<MeasuredTestRun, 'name' | 'handle' | 'status' | 'directions'>,
  ): Promise<MeasuredTestRun> {
    const id = newRunId(0);
    const { directions = {} } = about;
    const metrics = await RunMetrics.open(join(this.#folder, id), { directions });
    return { ...about, id, metrics, unread: [] };
  }
}

const context: ToolContext = {
  sessionId: 's-000000000' as SessionId,
  callId: 'call',
  signal: new AbortController().signal,
  accesses: [],
  progress: () => undefined,
};

/** Goes through the door that a model's call goes through. */
export async function call(tool: Tool, input: unknown): Promise<ToolResult> {
  const parsed = tool.parse(input);
  if (!parsed.ok) throw new Error(parsed.problem);
  return tool.execute(parsed.args, context);
}

/** The content as the model is shown it. */
export const shown = async (tool: Tool, input: unknown): Promise<unknown> =>
  JSON.parse(JSON.stringify((await call(tool, input)).content)) as unknown;
