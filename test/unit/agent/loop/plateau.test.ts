import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { JournalEvent } from '../../../../src/agent/journal/events.ts';
import { plateauOf, stageOf } from '../../../../src/agent/loop/plateau.ts';
import type { ExperimentPlan } from '../../../../src/experiments/experiment.ts';
import type { ExperimentResult, ExperimentRow } from '../../../../src/experiments/ledger.ts';
import type { Verdict } from '../../../../src/runs/run.ts';
import { ScriptedModel, type ScriptedReply } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';
import { recorded, rowOf, runId } from '../../vscode/states.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];
const ideas = ['wider', 'deeper', 'warmup', 'dropout', 'cosine', 'clipping', 'mixup'];
/** Launches an experiment that ends with `loss`, and sleeps until it is over. */
const experiment = (loss: number | 'crash', index: number): ScriptedReply[] => [
  [
    {
      name: 'remote_exec_background',
      input: {
        command: `echo try=${ideas[index]} ${loss === 'crash' ? '; exit 3' : `loss=${loss}`}`,
        hypothesis: `${ideas[index]} helps`,
        metric_names: ['loss'],
      },
    },
  ],
  [
    {
      name: 'sleep',
      input: { reason: 'r', wake_conditions: [{ type: 'process_exit', run: index + 1 }] },
    },
  ],
];
const experiments = (losses: readonly (number | 'crash')[]): ScriptedReply[] =>
  losses.flatMap(experiment);

describe('a plateau', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });
  const begin = async (replies: readonly ScriptedReply[], plateau: object) => {
    const model = new ScriptedModel([...replies, quit]);
    bed = await testEngine(model, { settings: { plateau } });
    return { model, session: await bed.start({ goal: 'train a model' }) };
  };
  const stages = (session: Awaited<ReturnType<typeof begin>>['session']) =>
    eventsOf(session, 'message.added').flatMap(({ plateauStage }) => plateauStage ?? []);

  it('changes the advice once per stage, and ends nothing by default', async () => {
    const { model, session } = await begin(experiments([1, 1, 1.2, 'crash', 0.9999, 1.1, 1]), {
      experiments: 3,
    });
    assert.equal(await session.ended, 'blocked');
    assert.deepEqual(stages(session), [1, 2]);
    const texts = JSON.stringify(model.requests.at(-1)?.messages);
    assert.match(
      texts,
      /None of the last 3 experiments improved on the best \(loss 0?1(\.0+)?, run 1\) by more than the noise/,
    );
    assert.match(texts, /ablate the best one/);
    assert.match(texts, /None of the last 5 experiments/);
  });

  it('is over with an improvement that is more than noise, and may come again', async () => {
    const { session } = await begin(experiments([1, 1, 1, 0.5, 0.6, 0.6, 0.6]), { experiments: 2 });
    assert.equal(await session.ended, 'blocked');
    assert.deepEqual(stages(session), [1, 1, 2]);
  });

  it('ends the session where the policy says so, after it was announced', async () => {
    const { model, session } = await begin(experiments([1, 1, 1, 1, 1, 1]), {
      experiments: 2,
      onPlateau: 'end',
    });
    assert.equal(await session.ended, 'plateau');
    assert.match(
      session.state.end?.summary ?? '',
      /^Stopped: None of the last 4 experiments improved on the best \(loss/,
    );
    assert.match(
      JSON.stringify(model.requests.at(-1)?.messages),
      /After 4 in a row the session ends/,
    );
    assert.equal(session.state.runs.size, 5);
  });

  it('is counted anew when a user says something', async () => {
    const { session } = await begin(experiments([1, 1, 1, 1, 1]), {
      experiments: 2,
      onPlateau: 'end',
    });
    assert.equal(await session.ended, 'plateau');
    await session.say('try something else');
    assert.equal(await session.ended, 'blocked');
  });

  it('is none where it is turned off', async () => {
    const { session } = await begin(experiments([1, 1, 1, 1]), { experiments: 0 });
    assert.equal(await session.ended, 'blocked');
    assert.deepEqual(stages(session), []);
  });

  const policy = { experiments: 12, noisePercent: 0.1 } as const;
  const cases: readonly (readonly [count: number, advise: 0 | 1 | 2, end: 0 | 1 | 2 | 'end'])[] = [
    [11, 0, 0],
    [12, 1, 1],
    [17, 1, 1],
    [18, 2, 2],
    [23, 2, 2],
    [24, 2, 'end'],
    [90, 2, 'end'],
  ];
  for (const [count, advise, end] of cases)
    it(`of ${count} experiments is at stage ${advise}, or ${end} where it ends`, () => {
      assert.equal(stageOf(count, { ...policy, onPlateau: 'advise' }), advise);
      assert.equal(stageOf(count, { ...policy, onPlateau: 'end' }), end);
    });
});

describe('the count of a plateau', () => {
  const metric = 'loss';
  const rowsOf = (
    ...results: readonly (Partial<ExperimentResult> &
      Partial<Pick<ExperimentRow, 'status' | 'decision' | 'plan'>> & {
        readonly verdict?: Verdict;
      })[]
  ): ExperimentRow[] =>
    results.map(
      ({ status = 'over', decision, plan, verdict = { kind: 'ok' }, ...result }, index) => ({
        ...{
          id: `e${index + 1}`,
          hypothesis: 'h',
          command: 'c',
          machineIds: [],
          status,
          verdicts: '',
          runMs: 1,
        },
        ...{ decisions: [], isChampion: false, runs: [rowOf(index + 1, { verdict })] },
        ...(decision && { decision }),
        ...(plan && { plan }),
        ...(result.mean !== undefined && {
          result: { metric, mean: result.mean, n: 1, best: 1, rule: 'last', runs: [], ...result },
        }),
      }),
    );
  /** Run 1 ended at 1 s, run 2 at 2 s, …, unless `atMs` says otherwise. */
  const endOf = (number: number, atMs = 1_000 * number): JournalEvent =>
    recorded(
      { type: 'run.ended', runId: runId(number), verdict: { kind: 'ok' }, endedMs: 7, metrics: [] },
      atMs,
    );
  const countOf = (
    experiments: readonly ExperimentRow[],
    {
      direction = 'lower',
      events = [],
    }: { direction?: 'lower' | 'higher'; events?: readonly JournalEvent[] } = {},
  ): number => {
    const ends = experiments.map((_row, index) => endOf(index + 1));
    const ledger = { experiments, decisive: { metric, direction, rule: 'last' as const } };
    return plateauOf(ledger, events.length === 0 ? ends : events, { noisePercent: 1 }).count;
  };

  it('goes on with what is no better by more than the noise, and begins anew with what is', () => {
    assert.equal(countOf(rowsOf({ mean: 1 }, { mean: 1 }, { mean: 0.991 }, { mean: 2 })), 3);
    assert.equal(countOf(rowsOf({ mean: 1 }, { mean: 1 }, { mean: 0.989 }, { mean: 2 })), 1);
    assert.equal(countOf(rowsOf({ mean: -1 }, { mean: -1.02 }, { mean: -1.04 })), 0);
  });

  it('takes for noise what repeats of either showed', () => {
    const repeated = (mean: number, spread: number) => ({ mean, spread, n: 3 });
    assert.equal(countOf(rowsOf(repeated(1, 0.05), { mean: 0.85 })), 1);
    assert.equal(countOf(rowsOf({ mean: 1 }, repeated(0.85, 0.05))), 1);
    assert.equal(countOf(rowsOf(repeated(1, 0.02), { mean: 0.85 })), 0);
    assert.equal(countOf(rowsOf(repeated(1, 0.1), repeated(0.85, 0.1))), 1);
    assert.equal(countOf(rowsOf(repeated(1, 0.05), repeated(0.85, 0.05))), 0);
  });

  it('knows where more is better', () => {
    const rising = rowsOf({ mean: 0.5 }, { mean: 0.6 }, { mean: 0.7 });
    assert.deepEqual([countOf(rising), countOf(rising, { direction: 'higher' })], [2, 0]);
  });

  it('counts what crashed or was discarded, and passes over retests, losses and what goes on', () => {
    const decision = { decision: 'discard', why: 'w', by: 'agent', atMs: 1 } as const;
    const retest = { retest: { of: 'e1', why: 'w' } } as ExperimentPlan;
    assert.equal(countOf(rowsOf({ mean: 1 }, {}, { mean: 0.1, decision })), 2);
    assert.equal(countOf(rowsOf({ mean: 1 }, { mean: 1, plan: retest })), 0);
    assert.equal(countOf(rowsOf({ mean: 1 }, { mean: 1, status: 'running' })), 0);
    for (const verdict of [{ kind: 'lost', why: 'w' }, { kind: 'preempted' }] as const)
      assert.equal(countOf(rowsOf({ mean: 1 }, { verdict: verdict as Verdict })), 0, verdict.kind);
  });

  it('has the order in which they were over, and nothing from before a user spoke', () => {
    const rows = rowsOf({ mean: 1 }, { mean: 0.5 }, { mean: 0.8 });
    assert.equal(countOf(rows), 1);
    assert.equal(countOf(rows, { events: [endOf(1, 300), endOf(2, 100), endOf(3, 200)] }), 2);
    const said = recorded({ type: 'message.added', origin: 'person', text: 'x' }, 250);
    assert.equal(countOf(rows, { events: [endOf(2, 100), endOf(3, 200), said, endOf(1, 300)] }), 1);
  });

  it('is told once a row: what was told before the best one, or before a user spoke, is told anew', () => {
    const told = (at: number, plateauStage: 1 | 2): JournalEvent =>
      recorded({ type: 'message.added', origin: 'reminder', text: 'x', plateauStage }, at);
    const toldOf = (
      experiments: readonly ExperimentRow[],
      ...events: readonly JournalEvent[]
    ): number =>
      plateauOf(
        { experiments, decisive: { metric, direction: 'lower', rule: 'last' } },
        [...experiments.map((_row, index) => endOf(index + 1)), ...events],
        { noisePercent: 1 },
      ).told;
    const [row, better] = [rowsOf({ mean: 1 }, { mean: 1 }), rowsOf({ mean: 1 }, { mean: 0.5 })];
    assert.deepEqual(
      [toldOf(row), toldOf(row, told(1_500, 1)), toldOf(better, told(1_500, 1))],
      [0, 1, 0],
    );
    assert.equal(toldOf(row, told(1_500, 2), told(1_600, 1)), 2);
    const said = recorded({ type: 'message.added', origin: 'person', text: 'x' }, 1_550);
    assert.equal(toldOf(row, told(1_500, 2), said, told(1_600, 1)), 1);
  });
});
