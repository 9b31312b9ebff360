/**
 * Journals of sessions that never took place, with everything that a real one has: for measuring at
 * size.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SessionEvent } from '../../src/agent/journal/events.ts';
import {
  newEventId,
  newRunId,
  newSessionId,
  type RunId,
  type SessionId,
} from '../../src/base/ids.ts';
import type { MetricSummary } from '../../src/metrics/metric.ts';
import type { RunSpec } from '../../src/runs/run.ts';
import type { Home } from '../../src/storage/home.ts';

const command = 'python train.py --lr 3e-4 --steps 2000 --batch-size 64 --seed 1';
const usage = {
  inputTokens: 900,
  cacheReadTokens: 24_000,
  cacheWriteTokens: 600,
  outputTokens: 220,
};

/** As much as a step of training scripts prints, and a tool shows. */
const resultText = Array.from(
  { length: 12 },
  (_, line) =>
    `step ${line * 100} | loss: ${(3 / (line + 1)).toFixed(4)} | lr: 3.00e-04 | 41 ms/step`,
).join('\n');

const trainingScript = 'for step in range(2000): train(step)\n'.repeat(40);

export class SyntheticJournal {
  readonly sessionId: SessionId;
  /** Of the newest event; each is some time after the one before. */
  atMs: number;
  readonly #lines: string[] = [];
  #turns = 0;
  #calls = 0;
  #runs = 0;
  #lastId = '';

  constructor(goal: string, startedMs = Date.UTC(2026, 0, 1), workFolder = '/') {
    this.atMs = startedMs;
    this.sessionId = newSessionId(startedMs);
    const model = { provider: 'demo', model: 'scripted-1' };
    const { sessionId } = this;
    this.add({
      type: 'session.started',
      sessionId,
      goal,
      budget: {},
      ...model,
      workFolder,
      helios: '0.1.0',
    });
    this.add({ type: 'message.added', origin: 'goal', text: `The goal:\n${goal}` });
  }

  /** Events so far. */
  get length(): number {
    return this.#lines.length;
  }

  get lastId(): string {
    return this.#lastId;
  }

  add(event: SessionEvent): void {
    this.atMs += 500;
    this.#lastId = newEventId(this.atMs);
    this.#lines.push(JSON.stringify({ v: 1, id: this.#lastId, at: this.atMs, ...event }));
  }

  /** A turn that writes a file, which counts as progress: four events. */
  edit(): void {
    this.turn('write_file', { machine_id: 'local', path: '/train.py', content: trainingScript }, [
      '/train.py',
    ]);
  }

  /** A turn with one call: four events. */
  turn(
    name = 'task_output',
    input: unknown = { task_id: 'local:4711', lines: 12 },
    changedFiles?: readonly string[],
  ): string {
    const callId = `call_${(this.#calls += 1)}`;
    this.#reply([
      {
        type: 'text',
        text: 'The loss goes down more slowly now; the next step is to look at the learning rate.',
      },
      { type: 'tool_call', id: callId, name, input },
    ]);
    this.add({
      type: 'tool.started',
      callId,
      name,
      effect: 'read',
      title: `${name} run ${this.#runs}`,
    });
    const result = {
      text: resultText,
      isError: false,
      durationMs: 12,
      ...(changedFiles && { changedFiles }),
    };
    this.add({ type: 'tool.finished', callId, name, ...result });
    return callId;
  }

  /** A turn without a call, and what the engine says to it: three events. */
  talk(): void {
    this.#reply([{ type: 'text', text: 'Both runs are still above the goal. '.repeat(6) }]);
    this.add({
      type: 'message.added',
      origin: 'reminder',
      text: 'Go on: launch, sleep, or finish.',
    });
  }

  /** Launched in a turn of its own, and started: six events. */
  run(spec: Partial<RunSpec> = {}): RunId {
    return this.launch(
      this.turn('remote_exec_background', { command, metric_names: ['loss'] }),
      spec,
    );
  }

  /** Launched by a call, as each point of a sweep, and started: two events. */
  launch(callId: string, spec: Partial<RunSpec> = {}): RunId {
    const id = spec.id ?? newRunId(this.atMs);
    const number = (this.#runs += 1);
    const metrics = { names: ['loss'] };
    const planned: RunSpec = {
      ...{
        id,
        sessionId: this.sessionId,
        number,
        machineId: 'local',
        command,
        cwd: '/',
        env: {},
        metrics,
      },
      ...{ label: `lr=${number}e-4`, plannedMs: this.atMs },
      ...spec,
    };
    this.add({ type: 'run.planned', callId, spec: planned });
    const process = {
      pid: 1000 + number,
      startTime: String(number),
      bootId: 'boot',
      startedMs: this.atMs,
    };
    this.add({ type: 'run.started', runId: id, process });
    return id;
  }

  runEnded(runId: RunId, metrics: readonly MetricSummary[]): void {
    this.add({ type: 'run.ended', runId, verdict: { kind: 'ok' }, endedMs: this.atMs, metrics });
  }

  /** Everything so far is replaced, for the model, by a text. */
  checkpoint(): void {
    const briefing = 'The conversation so far was shortened. This is what is recorded. '.repeat(60);
    this.add({ type: 'context.checkpointed', upTo: this.#lastId, briefing, tokensBefore: 140_000 });
  }

  get text(): string {
    return `${this.#lines.join('\n')}\n`;
  }

  async write(home: Home): Promise<void> {
    const file = home.journalFile(this.sessionId);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, this.text);
  }

  #reply(content: Extract<SessionEvent, { type: 'model.replied' }>['content']): void {
    const turn = (this.#turns += 1);
    const model = { provider: 'demo', model: 'scripted-1' };
    this.add({ type: 'model.requested', turn, ...model });
    const stop = content.some((block) => block.type === 'tool_call') ? 'tools' : 'stop';
    this.add({ type: 'model.replied', turn, ...model, content, stop, usage, cost: { usd: 0.004 } });
  }
}
