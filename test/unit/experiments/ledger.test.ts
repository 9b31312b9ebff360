import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { RunId } from '../../../src/base/ids.ts';
import { buildLedger } from '../../../src/experiments/buildLedger.ts';
import type { Decision } from '../../../src/experiments/experiment.ts';
import {
  experimentStatus,
  resultValueText,
  rowStatus,
  statusCounts,
  type ExperimentDecision,
  type LedgerEntry,
  type PlannedExperiment,
} from '../../../src/experiments/ledger.ts';
import { readTarget } from '../../../src/experiments/target/readTarget.ts';
import type { Target } from '../../../src/experiments/target/target.ts';
import type { Direction, MetricSummary } from '../../../src/metrics/metric.ts';
import type { Verdict } from '../../../src/runs/run.ts';

const summary = (metric: string, min: number, direction: Direction = 'lower'): MetricSummary => ({
  ...{ metric, direction, count: 3, last: min, lastStep: 3, min, max: min, mean: min, best: min },
});
const entry = (
  number: number,
  metrics: MetricSummary[],
  verdict: Verdict | undefined = { kind: 'ok' },
): LedgerEntry => ({
  ...{
    runId: `r-${number}` as RunId,
    number,
    machineId: 'local',
    handle: `local:${number}`,
    label: '',
    command: 'train',
    metrics,
  },
  ...(verdict && { verdict }),
});

describe('ledger', () => {
  it('tells a run that waits for its start from one that is running', () => {
    const { verdict, ...going } = entry(1, []);
    assert.deepEqual(
      [
        rowStatus(going),
        rowStatus({ ...going, startedMs: 5 }),
        rowStatus({ ...going, verdict: verdict! }),
      ],
      ['queued', 'running', 'ok'],
    );
  });

  it('counts runs by status, however they were killed', () => {
    const alarm = { detail: 'loss became NaN', action: 'kill' } as const;
    const killed = { verdict: { kind: 'killed' }, alarm } as const;
    assert.equal(rowStatus(killed), 'killed after the alarm: loss became NaN');
    assert.deepEqual(statusCounts([{ startedMs: 5 }, killed, { verdict: { kind: 'killed' } }]), [
      '1 running',
      '2 killed',
    ]);
  });

  it('shows an experiment by its decision, or else by its status', () => {
    const decision = { decision: 'keep', why: '', by: 'agent', atMs: 1 } as const;
    assert.equal(experimentStatus({ status: 'over', decision }), 'keep');
    const decided = (is: 'keep' | 'discard', ...numbers: readonly number[]) => {
      const own = { ...decision, decision: is, runs: numbers };
      return numbers.map((number) => ({ ...entry(number, []), isChampion: false, decision: own }));
    };
    const runs = [...decided('discard', 11, 12), ...decided('discard', 10, 13, 14)];
    const [discarded] = runs.slice(-1).map((row) => row.decision);
    assert.ok(discarded);
    assert.equal(
      experimentStatus({ status: 'over', decision: discarded, runs }),
      'discard (runs 10, 11, 12, 13, 14)',
    );
    const [kept] = decided('keep', 7, 8);
    assert.ok(kept);
    assert.equal(
      experimentStatus({ status: 'over', decision: kept.decision, runs: [kept, ...runs] }),
      'keep (runs 7, 8); discard (runs 10, 11, 12, 13, 14)',
    );
    assert.deepEqual(
      (['planned', 'running', 'over', 'not_started'] as const).map((status) =>
        experimentStatus({ status }),
      ),
      ['waiting', 'running', 'not decided', 'did not start'],
    );
  });

  it('crowns the best measured run, by the goal’s metric where there is one', () => {
    const rows = [
      entry(1, [summary('loss', 2), summary('val/loss', 3)]),
      entry(2, [summary('loss', 3), summary('val/loss', 1)]),
    ];
    // Validation data decide before a bare loss.
    assert.equal(buildLedger(rows).champion?.number, 2);
    assert.equal(
      buildLedger(rows, {
        target: {
          conditions: [],
          objective: { metric: 'val/loss', direction: 'lower' },
          rule: 'last',
        },
      }).champion?.number,
      2,
    );
    assert.equal(
      buildLedger(rows, {
        target: { conditions: [], objective: { metric: 'acc', direction: 'higher' }, rule: 'last' },
      }).champion,
      undefined,
    );
  });

  it('ranks by a metric before it ranks by times and speeds', () => {
    const rows = [
      entry(1, [summary('elapsed_s', 9), summary('it/s', 5, 'higher'), summary('loss', 2)]),
      entry(2, [summary('elapsed_s', 3)]),
    ];
    assert.equal(buildLedger(rows).decisive?.metric, 'loss');
    assert.equal(buildLedger(rows.slice(1)).decisive?.metric, 'elapsed_s');
  });

  it('never crowns a run that failed or went non-finite; an earlier run wins a tie', () => {
    const burst = {
      ...summary('loss', 0.1),
      firstNonFinite: { index: 5, step: 5, value: Number.NaN },
    };
    const rows = [
      entry(1, [summary('loss', 0.2)], { kind: 'failed', code: 1 }),
      entry(2, [burst]),
      entry(3, [summary('loss', 0.5)]),
      entry(4, [summary('loss', 0.5)]),
    ];
    const ledger = buildLedger(rows);
    assert.equal(ledger.champion?.number, 3);
    assert.deepEqual(
      ledger.rows.map((row) => row.isChampion),
      [false, false, true, false],
    );
  });

  describe('of experiments', () => {
    const recordOf = (
      id: string,
      ...decisions: [Decision, ExperimentDecision['by']][]
    ): [string, PlannedExperiment] => [
      id,
      {
        plan: {
          ...{
            id,
            number: Number(id.slice(1)),
            hypothesis: id,
            machineId: 'local',
            command: 'train',
            cwd: '/r',
          },
          ...{ fingerprint: id, code: { kind: 'none', why: 'no repository' } },
        },
        plannedMs: 0,
        decisions: decisions.map(([decision, by], index) => ({
          decision,
          by,
          why: 'w',
          atMs: index,
        })),
      },
    ];
    const of = (experimentId: string, one: LedgerEntry): LedgerEntry => ({
      ...one,
      experimentId,
      startedMs: 0,
    });
    const bestOf = (
      entries: readonly LedgerEntry[],
      ...records: [string, PlannedExperiment][]
    ): number | undefined =>
      buildLedger(entries, { experiments: new Map(records) }).champion?.number;

    it('has none as champion that was discarded, invalid or a crash, and prefers what was kept', () => {
      const entries = [
        of('e1', entry(1, [summary('loss', 0.5)])),
        of('e2', entry(2, [summary('loss', 0.1)])),
      ];
      assert.equal(bestOf(entries, recordOf('e1'), recordOf('e2')), 2);
      for (const decision of ['discard', 'invalid', 'crash'] as const)
        assert.equal(
          bestOf(entries, recordOf('e1'), recordOf('e2', [decision, 'agent'])),
          1,
          decision,
        );
      assert.equal(bestOf(entries, recordOf('e1', ['keep', 'agent']), recordOf('e2')), 1);
      assert.equal(
        bestOf(entries, recordOf('e1'), recordOf('e2', ['discard', 'agent'], ['keep', 'person'])),
        2,
      );
      assert.equal(bestOf(entries, recordOf('e1'), recordOf('e2', ['retest', 'agent'])), 2);
    });

    it('says that a result of unfinished runs is one so far', () => {
      const going = [0.5, 0.7].map((loss, index) => {
        const { verdict: _, ...row } = entry(index + 1, [summary('loss', loss)]);
        return of('e1', { ...row, command: `train --seed ${index}` });
      });
      const { best } = buildLedger(going);
      assert.equal(best && resultValueText(best), 'loss 0.6 ± 0.141 over 2 runs (so far)');
    });

    it('prefers the newer of two kept settings with the same mean', () => {
      const seeds = (id: string, first: number, losses: readonly number[]) =>
        losses.map((loss, index) =>
          of(id, {
            ...entry(first + index, [summary('loss', loss)]),
            command: `train --seed ${index}`,
          }),
        );
      // In another order, the sum differs in its last digit.
      const entries = [...seeds('e1', 1, [0.1, 0.2, 0.3]), ...seeds('e2', 4, [0.3, 0.2, 0.1])];
      const [first, second] = [recordOf('e1'), recordOf('e2')];
      const keptAt = ([id, record]: typeof first, atMs: number): typeof first => [
        id,
        { ...record, decisions: [{ decision: 'keep', by: 'agent', why: 'w', atMs }] },
      ];
      assert.equal(bestOf(entries, keptAt(first, 1), keptAt(second, 2)), 4);
      assert.equal(bestOf(entries, keptAt(first, 2), keptAt(second, 1)), 1);
      assert.equal(bestOf(entries, first, second), 1);
    });

    it('ranks repeats by their mean: a lucky seed is no champion', () => {
      const seeds = [0.1, 0.9].map((loss, index) =>
        of('e1', {
          ...entry(index + 1, [summary('loss', loss)]),
          command: `train --seed ${index}`,
        }),
      );
      const entries = [...seeds, of('e2', entry(3, [summary('loss', 0.4)]))];
      assert.equal(bestOf(entries, recordOf('e1'), recordOf('e2')), 3);
    });

    describe('with a target that some settings meet', () => {
      const target = readTarget(
        'Halve the test rmse against what it reaches now, as mean over seeds 0, 1 and 2',
      );
      assert.ok(target);
      const capped: Target = {
        ...target,
        conditions: [
          ...target.conditions,
          { metric: 'parameters', comparator: '<=', value: 20_000 },
        ],
      };
      const setting = (
        id: string,
        first: number,
        { rmse, parameters }: { readonly rmse: readonly number[]; readonly parameters: number },
      ): LedgerEntry[] =>
        rmse.map((value, seed) =>
          of(id, {
            ...entry(first + seed, [
              summary('test rmse', value),
              summary('parameters', parameters, 'none'),
            ]),
            command: `train --seed ${seed} --of ${id}`,
          }),
        );
      const baseline = setting('e1', 1, { rmse: [0.12, 0.13, 0.12], parameters: 49 });
      const steady = setting('e5', 14, { rmse: [0.0563, 0.056, 0.0562], parameters: 4225 });
      const wide = setting('e6', 20, { rmse: [0.056, 0.0559, 0.056], parameters: 21_121 });
      const single = setting('e7', 23, { rmse: [0.0559], parameters: 16_897 });
      const provisional = (id: string): [string, PlannedExperiment] => {
        const [, record] = recordOf(id, ['keep', 'agent']);
        const decisions = record.decisions.map((one) => ({ ...one, isProvisional: true as const }));
        return [id, { ...record, decisions }];
      };
      const records = [
        recordOf('e1', ['reference', 'agent']),
        recordOf('e5', ['keep', 'agent']),
        recordOf('e6', ['keep', 'agent']),
        provisional('e7'),
      ];
      const ledgerWith = (entries: readonly LedgerEntry[], goal?: Target) =>
        buildLedger(entries, { experiments: new Map(records), target: goal });

      it('crowns the setting that meets it, not a lower single run that is provisional', () => {
        const ledger = ledgerWith([...baseline, ...steady, ...single], target);
        assert.equal(ledger.champion?.experimentId, 'e5');
        assert.equal(ledger.best?.n, 3);
        assert.deepEqual(
          ledger.experiments.map(({ id, isChampion }) => [id, isChampion]),
          [
            ['e1', false],
            ['e5', true],
            ['e6', false],
            ['e7', false],
          ],
        );
        assert.deepEqual(
          ledger.rival?.runs.map(({ number }) => number),
          [23],
        );
        assert.equal(ledger.rows.find(({ isChampion }) => isChampion)?.number, 14);
      });

      it('crowns none that breaks a limit of the goal while another keeps it', () => {
        assert.equal(
          ledgerWith([...baseline, ...wide, ...steady], capped).champion?.experimentId,
          'e5',
        );
        assert.equal(ledgerWith([...baseline, ...wide], capped).champion?.experimentId, 'e6');
      });

      it('ranks a confirmed keep before a provisional one that is hardly better', () => {
        const open: Target = { ...target, conditions: [] };
        assert.equal(ledgerWith([...steady, ...single], open).champion?.experimentId, 'e5');
        const clear = setting('e7', 23, { rmse: [0.04], parameters: 49 });
        const { champion, rival } = ledgerWith([...steady, ...clear], open);
        assert.deepEqual([champion?.experimentId, rival], ['e7', undefined]);
      });
    });

    describe('with a goal that names its seeds', () => {
      const target = readTarget('the highest val_acc, mean over seeds 0, 1 and 2');
      const runs = (id: string, first: number, values: Readonly<Record<string, number>>) =>
        Object.entries(values).map(([seed, value], index) =>
          of(id, {
            ...entry(first + index, [summary('val_acc', value, 'higher')]),
            command: `train --of ${id} --seed ${seed}`,
          }),
        );
      const ledgerOf = (...entries: LedgerEntry[]) =>
        buildLedger(entries, {
          target,
          experiments: new Map(['e1', 'e2'].map((id) => recordOf(id, ['keep', 'agent']))),
        });
      const complete = runs('e1', 1, { 0: 0.9, 1: 0.92, 2: 0.94 });

      it('ranks a setting with all of them before a better one with some', () => {
        const { best, rival } = ledgerOf(...complete, ...runs('e2', 4, { 0: 0.99 }));
        assert.equal(best && resultValueText(best), 'val_acc 0.92 ± 0.02 over 3 runs');
        assert.equal(rival && resultValueText(rival), 'val_acc 0.99 (seeds 1, 2 missing)');
      });

      it('takes the mean over those seeds, and says which of them the best lacks', () => {
        const { best, experiments } = ledgerOf(
          ...runs('e1', 1, { 0: 0.9, 1: 0.92, 2: 0.94, 7: 0.1 }),
        );
        assert.equal(best?.mean.toFixed(3), '0.920');
        assert.equal(experiments[0]?.result?.n, 3);
        const only = ledgerOf(...runs('e2', 1, { 1: 0.9, 5: 0.5 })).best;
        assert.equal(only && resultValueText(only), 'val_acc 0.9 (seeds 0, 2 missing)');
        const others = ledgerOf(...runs('e2', 1, { 5: 0.5, 6: 0.7 })).best;
        assert.match(others ? resultValueText(others) : '', /0\.6 ± .* \(seeds 0, 1, 2 missing\)/);
      });

      it('counts different seeds where the goal only says how many', () => {
        const counted = readTarget('the highest val_acc, mean over 3 seeds');
        const ledger = buildLedger(runs('e1', 1, { 4: 0.9, 5: 0.8 }), { target: counted });
        assert.match(ledger.best ? resultValueText(ledger.best) : '', /\(1 more seed needed\)$/);
      });
    });

    it('forgets nothing: what was killed, what runs for days, what never started', () => {
      const dayMs = 86_400_000;
      const { verdict: _, ...going } = { ...entry(2, []), startedMs: -3 * dayMs };
      const entries = [
        of('e1', { ...entry(1, [summary('loss', 0.1)], { kind: 'killed' }), endedMs: 2 * dayMs }),
        { ...going, experimentId: 'e2', startedMs: -3 * dayMs },
      ];
      const { experiments } = buildLedger(entries, {
        experiments: new Map([recordOf('e1'), recordOf('e2'), recordOf('e3')]),
      });
      assert.deepEqual(
        experiments.map(({ id, status, verdicts, runMs }) => [id, status, verdicts, runMs]),
        [
          ['e1', 'over', '1 killed', 2 * dayMs],
          ['e2', 'running', '1 running', 0],
          ['e3', 'not_started', '', 0],
        ],
      );
      assert.equal(experiments[0]?.result, undefined, 'what was stopped has no result');
    });

    it('takes a crash that the engine saw back when a later run went well', () => {
      const entries = [
        of('e1', entry(1, [], { kind: 'failed', code: 1 })),
        of('e1', entry(2, [summary('loss', 1)])),
      ];
      const { experiments } = buildLedger(entries, {
        experiments: new Map([recordOf('e1', ['crash', 'engine'])]),
      });
      assert.equal(experiments[0]?.decision, undefined);
    });

    it('gives a row to each launch of a journal without experiments, and one to each sweep', () => {
      const entries = [
        entry(1, []),
        { ...entry(2, []), sweepId: 's1' },
        { ...entry(3, []), sweepId: 's1' },
      ];
      assert.deepEqual(
        buildLedger(entries).experiments.map(({ id, plan, runs }) => [id, plan, runs.length]),
        [
          ['run 1', undefined, 1],
          ['s1', undefined, 2],
        ],
      );
    });
  });
});
