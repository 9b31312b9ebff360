import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { RunId } from '../../../src/base/ids.ts';
import { buildLedger } from '../../../src/experiments/buildLedger.ts';
import { rowStatus, type LedgerEntry } from '../../../src/experiments/ledger.ts';
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
      [rowStatus(going), rowStatus({ ...going, startedMs: 5 }), rowStatus({ ...going, verdict: verdict! })],
      ['queued', 'running', 'ok'],
    );
  });

  it('crowns the best measured run, by the goal’s metric where there is one', () => {
    const rows = [
      entry(1, [summary('loss', 2), summary('val/loss', 3)]),
      entry(2, [summary('loss', 3), summary('val/loss', 1)]),
    ];
    assert.equal(buildLedger(rows).champion?.number, 1);
    assert.equal(buildLedger(rows, { target: { metric: 'val/loss', comparator: '<' } }).champion?.number, 2);
    assert.equal(buildLedger(rows, { target: { metric: 'acc', comparator: '>' } }).champion, undefined);
  });

  it('never crowns a run that failed or went non-finite; an earlier run wins a tie', () => {
    const burst = { ...summary('loss', 0.1), firstNonFinite: { index: 5, step: 5, value: Number.NaN } };
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
});
