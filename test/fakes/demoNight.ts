/**
 * A night as a journal would have it: experiments with verdicts, an alarm, questions, sleeps, a
 * checkpoint, a restart.
 */
import type { RunId } from '../../src/base/ids.ts';
import type { CodeState, Decision } from '../../src/experiments/experiment.ts';
import type { AssistantBlock } from '../../src/models/model.ts';
import type { Verdict } from '../../src/runs/run.ts';
import { MemorySessionSource } from './memorySessionSource.ts';

const usage = {
  inputTokens: 900,
  cacheReadTokens: 24_000,
  cacheWriteTokens: 600,
  outputTokens: 220,
};
const model = { provider: 'claude', model: 'claude-opus-5-5' };
const minuteMs = 60_000;

export class DemoNight {
  readonly source: MemorySessionSource;
  #turns = 0;
  #calls = 0;
  #runs = 0;
  /** Runs whose curve is there. */
  readonly #drawn = new Set<RunId>();

  constructor(startedMs?: number) {
    this.source = new MemorySessionSource(
      'train a 10M GPT on TinyStories to val_loss < 1.2',
      startedMs,
    );
  }

  /** A reply, its calls, and what they gave. */
  turn(
    text: string,
    calls: readonly { name: string; input: unknown; title: string; result: string }[] = [],
    usd = 0.034,
  ): void {
    const { source } = this;
    const turn = (this.#turns += 1);
    const made = calls.map((call) => ({ ...call, id: `call_${(this.#calls += 1)}` }));
    const blocks: AssistantBlock[] = [
      {
        type: 'thinking',
        text: 'The last run was still falling when it ended; the schedule is too short.',
        provider: 'claude',
      },
      { type: 'text', text },
      ...made.map(({ id, name, input }) => ({ type: 'tool_call' as const, id, name, input })),
    ];
    source.add({ type: 'model.requested', turn, ...model });
    const stop = made.length > 0 ? 'tools' : 'stop';
    source.add(
      { type: 'model.replied', turn, ...model, content: blocks, stop, usage, cost: { usd } },
      9_000,
    );
    for (const { id, name, title, result } of made) {
      source.add({ type: 'tool.started', callId: id, name, effect: 'execute', title });
      const shown = {
        text: result,
        summary: result.split('\n', 1)[0] ?? '',
        isError: false,
        durationMs: 900,
      };
      source.add({ type: 'tool.finished', callId: id, name, ...shown });
    }
  }

  plan(id: string, hypothesis: string): void {
    const number = Number(id.slice(1));
    const code: CodeState = {
      ...{ kind: 'git', repo: '/work', head: '9fceb02d0ae598e95dc970b74767f19372d61af8' },
      ...{
        tree: `4b825dc642cb6eb9a060e54bf8d69288fbee49${number}0`,
        isDirty: number > 1,
        leftOut: [],
      },
    };
    const plan = {
      id,
      number,
      hypothesis,
      machineId: 'gpu1',
      command: 'python train.py',
      cwd: '/work',
      code,
      fingerprint: id,
    };
    this.source.add({ type: 'experiment.planned', plan, callId: `call_${this.#calls}` });
  }

  launch(label: string, experimentId?: string, machineId = 'gpu1'): RunId {
    const { source } = this;
    const number = (this.#runs += 1);
    const id = `r-${String(number).padStart(12, '0')}` as RunId;
    const base = {
      id,
      sessionId: source.id,
      number,
      machineId,
      cwd: '/work',
      env: {},
      label,
      plannedMs: source.atMs,
    };
    const spec = {
      ...base,
      command: `python train.py --${label.replace(' ', ' --')}`,
      metrics: { names: ['val_loss'] },
    };
    const planned = { ...spec, ...(experimentId !== undefined && { experimentId }) };
    source.add({ type: 'run.planned', spec: planned, callId: `call_${this.#calls}` });
    const process = { pid: 4000 + number, startTime: '1', bootId: 'b', startedMs: source.atMs };
    source.add({ type: 'run.started', runId: id, process });
    return id;
  }

  /** Its curve, where it has none yet, falls towards `best` from the start of the run to now. */
  end(runId: RunId, best: number, verdict: Verdict = { kind: 'ok' }): void {
    const { source } = this;
    const started = source
      .events()
      .find((event) => event.type === 'run.started' && event.runId === runId);
    const startMs = started?.at ?? source.atMs;
    if (!this.#drawn.has(runId)) this.curve(runId, best, { startMs, endMs: source.atMs });
    const summary = {
      metric: 'val_loss',
      count: 200,
      lastStep: 2000,
      min: best,
      max: 4,
      mean: best * 1.3,
      best,
    };
    const metrics = [{ ...summary, last: best, direction: 'lower' as const }];
    source.add({ type: 'run.ended', runId, verdict, endedMs: source.atMs, metrics });
  }

  curve(
    runId: RunId,
    floor: number,
    { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
  ): void {
    this.#drawn.add(runId);
    const count = 200;
    const share = (index: number): number => index / (count - 1);
    const of = (value: (index: number) => number): Float64Array =>
      Float64Array.from({ length: count }, (_, index) => value(index));
    this.source.setSeries(runId, 'val_loss', {
      steps: of((index) => index * 10),
      timesMs: of((index) => startMs + share(index) * (endMs - startMs)),
      values: of((index) => floor + 3 * Math.exp(-5 * share(index)) + Math.sin(index * 1.7) * 0.04),
    });
  }

  sleep(reason: string, forMs: number, why: string): void {
    const sleepId = `sleep${this.source.events().length}`;
    const request = {
      reason,
      logic: 'any' as const,
      triggers: [],
      deadlineMs: this.source.atMs + forMs * 2,
    };
    this.source.add({ type: 'sleep.started', sleepId, request, callId: 'c' });
    this.source.add({ type: 'sleep.ended', sleepId, why: 'run_ended', detail: why }, forMs);
    this.source.add({ type: 'message.added', origin: 'wake', text: why });
  }

  decide(experimentId: string, decision: Decision, why: string): void {
    this.source.add({ type: 'experiment.decided', experimentId, decision, why, by: 'agent' });
  }
}

const launchCall = (label: string) => ({
  name: 'remote_exec_background',
  input: { command: `python train.py --${label}`, metric_names: ['val_loss'], label },
  title: `Launch ${label}`,
  result: `Launched ${label} on gpu1`,
});

/** In the middle of its night: a champion, a crash, a run that goes on, an open question. */
export function demoNight(startedMs?: number): DemoNight {
  const night = new DemoNight(startedMs);
  const { source } = night;
  night.turn('I will first read `train.py`, then run it unchanged as a **baseline**.', [
    {
      name: 'read_file',
      input: { path: 'train.py' },
      title: 'Read train.py',
      result: 'import torch\n'.repeat(40),
    },
    launchCall('lr=1e-3'),
  ]);
  night.plan('e1', 'The script as it is, as a baseline');
  const first = night.launch('lr=1e-3', 'e1');
  night.sleep('the baseline trains', 42 * minuteMs, 'Run 1 (lr=1e-3) ended: ok');
  night.end(first, 1.48);
  night.decide('e1', 'keep', 'It is the baseline');
  night.turn(
    'The baseline reaches **1.48**. Loss is still falling: a longer schedule and a higher rate.\n\n| run | val_loss |\n| :-- | --: |\n| 1 | 1.48 |\n\n- try `lr=3e-3`\n- try warm-up\n\nSee [the notes](https://example.com).',
    [launchCall('lr=3e-3'), launchCall('warmup=500')],
  );
  night.plan('e2', 'A higher learning rate gets further in the same time');
  const second = night.launch('lr=3e-3', 'e2');
  night.plan('e3', 'Warm-up lets the higher rate hold');
  const third = night.launch('lr=3e-3 warmup=500', 'e3', 'gpu2');
  source.add(
    {
      type: 'run.alarmed',
      runId: second,
      kind: 'non_finite',
      detail: 'val_loss became NaN at step 120',
      action: 'kill',
    },
    4 * minuteMs,
  );
  night.end(second, 2.4, { kind: 'killed' });
  night.decide('e2', 'crash', 'It diverged at step 120');
  night.sleep('run 3 trains', 55 * minuteMs, 'Run 3 ended: ok');
  night.end(third, 1.27);
  night.decide('e3', 'keep', 'Better by 0.21 with the same budget');
  source.add({
    type: 'note.pinned',
    number: 1,
    text: 'Never use more than two GPUs of this machine',
  });
  source.add({
    type: 'context.checkpointed',
    upTo: 'e20',
    briefing: '# Briefing\n\nRun 3 is the champion.',
    tokensBefore: 141_000,
  });
  source.add({ type: 'session.resumed', by: 'process 4711' }, 8 * minuteMs);
  source.add({
    ...{
      type: 'question.asked',
      questionId: 'q1',
      text: 'May I download the larger tokenizer (2.1 GB)?',
    },
    ...{ options: ['Yes', 'No'], fallback: 'No', deadlineMs: source.atMs + 60 * minuteMs },
  });
  source.add(
    { type: 'question.answered', questionId: 'q1', answer: 'No', by: 'default' },
    61 * minuteMs,
  );
  night.turn('Weight decay next, with the schedule of run 3.', [launchCall('wd=0.1')]);
  night.plan('e4', 'Weight decay closes the gap between train and validation');
  const fourth = night.launch('lr=3e-3 warmup=500 wd=0.1', 'e4');
  night.sleep('run 4 trains', 50 * minuteMs, 'Run 4 ended: ok');
  night.end(fourth, 1.31);
  night.decide('e4', 'discard', 'Worse than run 3 by 0.04');
  night.turn('Now dropout, and a longer run of the champion beside it.', [
    launchCall('dropout=0.1'),
    launchCall('steps=4000'),
  ]);
  night.plan('e5', 'A longer schedule of the champion');
  const fifth = night.launch('lr=3e-3 warmup=500 steps=4000', 'e5');
  night.curve(fifth, 1.15, { startMs: source.atMs, endMs: source.atMs + 90 * minuteMs });
  source.add({
    ...{
      type: 'question.asked',
      questionId: 'q2',
      text: 'Run 5 will need 90 minutes more than planned. Go on?',
    },
    ...{
      options: ['Go on', 'Stop at 4,000 steps'],
      fallback: 'Stop at 4,000 steps',
      deadlineMs: source.atMs + 25 * minuteMs,
    },
  });
  const request = {
    reason: 'run 5 trains',
    logic: 'any' as const,
    triggers: [],
    deadlineMs: source.atMs + 90 * minuteMs,
  };
  source.add({ type: 'sleep.started', sleepId: 'last', request, callId: 'c' }, 30 * minuteMs);
  return night;
}
