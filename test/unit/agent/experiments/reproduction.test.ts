import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { reproduce } from '../../../../src/agent/experiments/reproduction.ts';
import type { ComparedMetric } from '../../../../src/agent/contract/reproduction.ts';
import type { SessionRuns } from '../../../../src/agent/runs/sessionRuns.ts';
import { SessionLog } from '../../../../src/agent/journal/sessionLog.ts';
import type { Decisive, ExperimentRow, LedgerRow } from '../../../../src/experiments/ledger.ts';
import type { Machines } from '../../../../src/machines/machine.ts';
import type { MetricSummary } from '../../../../src/metrics/metric.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';
import { rowOf, runState, started, summaryOf } from '../../vscode/states.ts';

describe('an experiment that was run again', () => {
  const folder = scratchFolder();
  const clock = new ManualClock();
  let log: SessionLog;
  beforeEach(async () => {
    const { v: _v, id: _id, at: _at, ...first } = started();
    log = await SessionLog.open(join(folder(), 'journal.jsonl'), clock, first);
  });
  afterEach(() => log.close());

  /** `before`: the losses of its runs; the new run measures `now`. */
  const compared = async (
    before: readonly MetricSummary[],
    now: MetricSummary,
    { tolerance, decisive }: { tolerance?: number | undefined; decisive?: Decisive } = {},
  ): Promise<ComparedMetric | undefined> => {
    const rows: LedgerRow[] = before.map((summary, index) =>
      rowOf(index + 1, { command: 'train', metrics: [summary] }),
    );
    for (const row of rows)
      await log.record({ type: 'run.planned', callId: 'c', spec: runState(row.number).spec });
    const plan = { id: 'e1', code: { kind: 'none', why: 'no repository' } };
    const experiment = {
      id: 'e1',
      plan,
      runs: rows,
      result: { runs: rows },
    } as unknown as ExperimentRow;
    const { spec } = runState(9);
    const sessionRuns = {
      ledger: () => ({ experiments: [experiment], decisive }),
      find: () => runState(1),
      async launch() {
        await log.record({ type: 'run.planned', callId: 'd', spec });
        await log.record({
          type: 'run.ended',
          runId: spec.id,
          verdict: { kind: 'ok' },
          endedMs: 1,
          metrics: [now],
        });
        return { spec };
      },
    } as unknown as SessionRuns;
    const machines = { list: () => [{ id: 'gpu1' }] } as unknown as Machines;
    const { metrics, differences } = await reproduce(
      { log, sessionRuns, machines, clock, folder: folder() },
      { experimentId: 'e1', ...(tolerance !== undefined && { tolerance }) },
    );
    assert.match(
      differences.join('\n'),
      /The code of e1 was not stored \(no repository\).*\n.*was not recorded/,
    );
    return metrics[0];
  };
  const losses = (...values: readonly number[]): MetricSummary[] =>
    values.map((value) => summaryOf('loss', value));

  it('is judged by two standard deviations of its repeats', async () => {
    const within = await compared(losses(1, 2, 3), summaryOf('loss', 4));
    assert.deepEqual(within, {
      metric: 'loss',
      before: 2,
      spread: 1,
      n: 3,
      now: 4,
      delta: 2,
      judgement: 'within_spread',
    });
  });

  const cases: readonly (readonly [
    name: string,
    before: readonly number[],
    now: number,
    tolerance: number | undefined,
    judgement: string,
  ])[] = [
    ['more than two deviations away', [1, 2, 3], 4.01, undefined, 'outside_spread'],
    ['one run to compare with', [2], 2, undefined, 'not_judged'],
    ['a difference of the very tolerance', [2], 2.5, 0.25, 'within_tolerance'],
    ['a difference above the tolerance', [2], 2.51, 0.25, 'outside_tolerance'],
    ['a tolerance of what is below zero', [-2], -2.5, 0.25, 'within_tolerance'],
    ['a tolerance, whatever its repeats say', [1, 2, 3], 4, 0.1, 'outside_tolerance'],
  ];
  for (const [name, before, now, tolerance, judgement] of cases)
    it(`is ${judgement} with ${name}`, async () =>
      assert.equal(
        (await compared(losses(...before), summaryOf('loss', now), { tolerance }))?.judgement,
        judgement,
      ));

  it('is compared by last values, by best ones only where the target says so', async () => {
    const summary = summaryOf('loss', 1, 'lower', 7);
    assert.equal((await compared([summary], summary))?.now, 7);
    const decisive = { metric: 'loss', direction: 'lower', rule: 'best' } as const;
    assert.equal((await compared([summary], summary, { decisive }))?.now, 1);
  });
});
