/**
 * Nights as their journals tell of them: runs and experiments, told event by event and folded as
 * the product folds them.
 */
import { briefFacts } from '../../src/agent/reports/reportFacts.ts';
import type { BriefFacts } from '../../src/reports/facts.ts';
import type { JournalEvent, SessionEvent } from '../../src/agent/journal/events.ts';
import { foldSession } from '../../src/agent/journal/fold.ts';
import { ledgerOf } from '../../src/agent/runs/sessionLedger.ts';
import type { RunId, SessionId } from '../../src/base/ids.ts';
import type { Decision } from '../../src/experiments/experiment.ts';
import type { MetricSummary } from '../../src/metrics/metric.ts';
import { noUsage } from '../../src/models/model.ts';
import type { Verdict } from '../../src/runs/run.ts';

const minuteMs = 60_000;

export interface NightRun {
  readonly loss?: number;
  readonly metrics?: readonly MetricSummary[];
  readonly verdict?: Verdict;
  readonly machineId?: string;
  readonly label?: string;
  readonly command?: string;
  readonly minutes?: number;
  readonly outputTail?: string;
  /** Absent: it belongs to no experiment. */
  readonly experimentId?: string;
  readonly isReproduction?: true;
  /** The id of its sweep. */
  readonly sweep?: string;
  /** It goes on. */
  readonly isOpen?: boolean;
}

export interface NightExperiment {
  readonly hypothesis: string;
  readonly fingerprint?: string;
  readonly retestOf?: string;
  readonly basedOn?: string;
  readonly decision?: {
    readonly is: Decision;
    readonly why: string;
    readonly by?: 'agent' | 'engine' | 'person';
  };
}

export function lossOf(best: number, more: Partial<MetricSummary> = {}): MetricSummary {
  const base = { metric: 'loss', count: 40, lastStep: 400, direction: 'lower' } as const;
  return { ...base, last: best, min: best, max: 4, mean: 2, best, ...more };
}

/** 22:00 of a day in November, where the test runs. */
const nightStartMs = new Date(2026, 10, 20, 22, 0, 0).getTime();

export class Night {
  readonly events: JournalEvent[] = [];
  readonly #runIds: RunId[] = [];
  #experiments = 0;
  #atMs = nightStartMs;

  constructor(goal = 'bring loss < 1.0', provider = 'claude') {
    const model = provider === 'demo' ? 'demo' : 'claude-opus-5-5';
    const workFolder = '/project';
    const sessionId = 's-0mi7abcde123456' as SessionId;
    this.add({
      type: 'session.started',
      sessionId,
      goal,
      budget: {},
      provider,
      model,
      workFolder,
      helios: '0',
    });
  }

  add(event: SessionEvent, afterMinutes = 0): this {
    this.#atMs += afterMinutes * minuteMs;
    this.events.push({ v: 1, id: `e${this.events.length}`, at: this.#atMs, ...event });
    return this;
  }

  think(usd: number, isPlan = false): this {
    const turn = this.events.filter(({ type }) => type === 'model.requested').length + 1;
    const of = { provider: 'claude', model: 'claude-opus-5-5' };
    this.add({ type: 'model.requested', turn, ...of });
    const usage = { ...noUsage, inputTokens: 1_000, outputTokens: 100 };
    const cost = { usd, ...(isPlan && { isPlan: true as const }) };
    return this.add({
      type: 'model.replied',
      turn,
      ...of,
      content: [],
      stop: 'tools',
      usage,
      cost,
    });
  }

  /** The id of its experiment: `e1`, `e2` … */
  experiment(
    { hypothesis, fingerprint, retestOf, basedOn, decision }: NightExperiment,
    ...runs: readonly NightRun[]
  ): string {
    const number = (this.#experiments += 1);
    const id = `e${number}`;
    const code = { kind: 'none', why: 'no repository' } as const;
    const retest = retestOf === undefined ? {} : { retest: { of: retestOf, why: 'to be sure' } };
    const command = runs[0]?.command ?? `python3 train.py --try ${number}`;
    const plan = {
      id,
      number,
      hypothesis,
      machineId: 'local',
      command,
      cwd: '/project',
      code,
      ...retest,
      ...(basedOn !== undefined && { basedOn }),
    };
    const callId = `c${number}`;
    this.add({
      type: 'experiment.planned',
      plan: { ...plan, fingerprint: fingerprint ?? id },
      callId,
    });
    for (const run of runs) this.run({ command, ...run, experimentId: id });
    if (decision !== undefined) {
      const { is, why, by = 'agent' } = decision;
      this.add({ type: 'experiment.decided', experimentId: id, decision: is, why, by });
    }
    return id;
  }

  /** Its id. */
  run({ machineId = 'local', minutes = 10, isOpen = false, ...asked }: NightRun = {}): RunId {
    const number = this.#runIds.length + 1;
    const runId = `r-run${String(number).padStart(9, '0')}` as RunId;
    this.#runIds.push(runId);
    const {
      label = `try ${number}`,
      command = `python3 train.py --try ${number}`,
      experimentId,
    } = asked;
    const of = {
      sessionId: 's-0mi7abcde123456' as SessionId,
      cwd: '/project',
      env: {},
      metrics: {},
    };
    const spec = { id: runId, number, machineId, command, label, plannedMs: this.#atMs, ...of };
    const again = asked.isReproduction ? { isReproduction: true as const } : {};
    const belongs = experimentId === undefined ? {} : { experimentId, ...again };
    const part = asked.sweep === undefined ? {} : { sweep: { id: asked.sweep, index: 0 } };
    this.add({ type: 'run.planned', spec: { ...spec, ...belongs, ...part }, callId: `r${number}` });
    const startedMs = this.#atMs;
    const process = { pid: 1_000 + number, startTime: '1', bootId: 'b', startedMs };
    this.add({ type: 'run.started', runId, process });
    if (!isOpen) this.#end(runId, startedMs + minutes * minuteMs, asked);
    return runId;
  }

  end(
    reason: Extract<SessionEvent, { type: 'session.ended' }>['reason'],
    summary: string,
    evidence: readonly number[] = [],
  ) {
    return this.add({
      type: 'session.ended',
      reason,
      summary,
      evidence: evidence.map((number) => {
        const runId = this.#runIds[number - 1] ?? ('r-none' as RunId);
        return {
          runId,
          run: `run ${number}`,
          metric: 'loss',
          last: 0.9,
          best: 0.9,
          lastStep: 400,
          count: 40,
        };
      }),
    });
  }

  /** Lets time pass. */
  pass(ms: number): void {
    this.#atMs += ms;
  }

  facts(): BriefFacts {
    const state = foldSession(this.events);
    if (state === undefined) throw new Error('A night begins with session.started.');
    const ledger = ledgerOf(state, ({ metrics }) => metrics);
    const outputPath = ({ spec }: { readonly spec: { readonly id: string } }): string =>
      `/runs/${spec.id}/output.log`;
    return briefFacts({ state, events: this.events, ledger }, { outputPath, gpu: () => undefined });
  }

  #end(
    runId: RunId,
    endedMs: number,
    { loss, metrics, verdict = { kind: 'ok' }, outputTail }: NightRun,
  ): void {
    this.#atMs = endedMs;
    const measured = metrics ?? (loss === undefined ? [] : [lossOf(loss)]);
    const tail = outputTail === undefined ? {} : { outputTail };
    this.add({ type: 'run.ended', runId, verdict, endedMs, metrics: measured, ...tail });
  }
}

/** A night with something of everything. */
export function fullNight(): Night {
  const night = new Night('bring loss < 0.8 on TinyStories');
  night.think(0.4);
  const first = night.experiment(
    {
      hypothesis: 'The recipe as it is gives a baseline',
      decision: { is: 'keep', why: 'the first one, loss 1.4' },
    },
    { loss: 1.4, label: 'baseline', minutes: 30 },
  );
  night.think(0.2, true);
  night.experiment(
    {
      hypothesis: 'A higher rate learns faster',
      decision: { is: 'discard', why: 'loss 1.91 is worse, and it would be 0.77 with warmup' },
    },
    { loss: 1.91, label: 'lr=3e-2', machineId: 'gpu1' },
  );
  night.experiment(
    {
      hypothesis: 'Twice the batch',
      decision: { is: 'crash', why: 'every run of it failed', by: 'engine' },
    },
    {
      verdict: { kind: 'out_of_memory' },
      machineId: 'gpu1',
      minutes: 2,
      outputTail:
        'Traceback\ntorch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n',
    },
  );
  const best = night.experiment(
    {
      hypothesis: 'Cosine decay helps',
      fingerprint: 'f4',
      decision: { is: 'keep', why: 'loss fell to 0.912' },
    },
    {
      loss: 0.912,
      label: 'cosine',
      command: 'python3 train.py --cosine --seed 1',
      machineId: 'gpu1',
      minutes: 50,
    },
  );
  night.experiment(
    {
      hypothesis: 'Cosine decay again',
      fingerprint: 'f4',
      retestOf: best,
      decision: { is: 'retest', why: 'once more' },
    },
    {
      loss: 0.95,
      label: 'cosine',
      command: 'python3 train.py --cosine --seed 2',
      machineId: 'gpu1',
      minutes: 50,
    },
  );
  night.experiment({ hypothesis: 'Label smoothing' }, { loss: 1.1, label: 'smooth=0.1' });
  const broken = night.run({
    metrics: [lossOf(2, { firstNonFinite: { index: 12, step: 120, value: NaN }, last: NaN })],
    verdict: { kind: 'killed' },
    label: 'fp16',
  });
  night.add({
    type: 'run.alarmed',
    runId: broken,
    kind: 'non_finite',
    detail: 'loss became NaN at step 120',
    action: 'kill',
  });
  night.add({
    type: 'sleep.started',
    sleepId: 'z1',
    request: { reason: 'x', logic: 'any', triggers: [] },
    callId: 'c',
  });
  night.add({ type: 'sleep.ended', sleepId: 'z1', why: 'run_ended', detail: '' }, 95);
  night.add({ type: 'session.paused', by: 'error', detail: 'the provider did not answer' });
  night.add({ type: 'session.resumed', by: 'process 7' }, 20);
  const asked = {
    options: [],
    fallback: 'keep the small one',
    deadlineMs: nightStartMs + 300 * minuteMs,
  };
  night.add({
    type: 'question.asked',
    questionId: 'q1',
    text: 'May I use the large tokenizer?',
    ...asked,
  });
  night.add({
    type: 'question.asked',
    questionId: 'q2',
    text: 'Is a GPU on gpu2 free for us?',
    ...asked,
  });
  night.add({
    type: 'question.answered',
    questionId: 'q1',
    answer: 'keep the small one',
    by: 'default',
  });
  void first;
  return night.end(
    'best_found',
    'Cosine decay brought loss to 0.912, and 0.7 is within reach.\nNext: warmup.',
    [],
  );
}
