import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { buildHistory } from '../../../../src/agent/context/history.ts';
import type { SessionState } from '../../../../src/agent/journal/state.ts';
import { UnreadMetricsWatch } from '../../../../src/agent/runs/unreadMetricsWatch.ts';
import { silentLogger } from '../../../../src/base/logger.ts';
import type { MetricSpec } from '../../../../src/metrics/metric.ts';
import type { Run } from '../../../../src/runs/liveRun.ts';
import { Night } from '../../../fakes/nights.ts';

interface Facts {
  readonly lines?: number;
  readonly read?: readonly string[];
  readonly earlier?: readonly string[];
  readonly isKnown?: boolean;
}

/** Returns the details of the alarms after each of two beats. */
async function beats(spec: MetricSpec, facts: Facts = {}): Promise<(string | undefined)[]> {
  const { lines = 20, read = [], earlier = [], isKnown = false } = facts;
  const run = {
    spec: { id: 'r-1', metrics: spec },
    metrics: { lines, summaries: () => read.map((metric) => ({ metric })) },
  } as unknown as Run;
  const other = {
    metrics: earlier.map((metric) => ({ metric })),
    alarms: isKnown ? [{ kind: 'unread_metric' }] : [],
  };
  const watch = new UnreadMetricsWatch({
    log: { state: { runs: new Map([['r-0', other]]) } as unknown as SessionState },
    runs: {
      output: () =>
        Promise.resolve({ text: 'test ppl = 5.2', sizeBytes: 1, path: '', isCut: false }),
    },
    logger: silentLogger,
  });
  const details: (string | undefined)[] = [];
  for (let beat = 0; beat < 3; beat += 1) details.push((await watch.beat(run))[0]?.detail);
  return details;
}

describe('the watch for unread metrics', () => {
  const spec = { patterns: { test_ppl: 'perplexity: (.*)' } };

  it('warns once, at the second look at 20 lines, with the nearest line', async () => {
    const [first, second, third] = await beats(spec);
    assert.equal(first, undefined, 'patterns are searched for after the lines are read');
    assert.match(
      second ?? '',
      /^test_ppl not read from 20 lines of output; nearest line: "test ppl = 5\.2"/,
    );
    assert.equal(third, undefined);
  });

  it('is silent with few lines, without names, and where one of the names was read', async () => {
    const nothing = [undefined, undefined, undefined];
    assert.deepEqual(await beats(spec, { lines: 19 }), nothing);
    assert.deepEqual(await beats({}), nothing);
    assert.deepEqual(await beats({ names: ['loss', 'acc'] }, { read: ['loss'] }), nothing);
    assert.deepEqual(await beats(spec, { earlier: ['test_ppl'] }), nothing, 'printed at the end');
    assert.deepEqual(await beats(spec, { isKnown: true }), nothing, 'once per session');
  });
});

describe('metrics that are not read', () => {
  const told = (isAlarmed: boolean): string => {
    const night = new Night();
    night.think(0);
    const runId = night.run({ isOpen: true });
    if (isAlarmed)
      night.add({
        ...{ type: 'run.alarmed', runId, kind: 'unread_metric', action: 'warn' },
        detail: 'test_ppl not read from 20 lines of output',
      });
    const end = { runId, verdict: { kind: 'ok' }, endedMs: 1, metrics: [] } as const;
    night.add({ type: 'run.ended', ...end, unread: ['test_ppl'] });
    return JSON.stringify(buildHistory(night.events));
  };

  it('are told to the model once: while the run prints, or at its end', () => {
    assert.equal(told(true).match(/test_ppl/g)?.length, 1);
    assert.match(told(true), /alarm unread_metric: test_ppl not read from 20 lines/);
    assert.match(told(true), /run 1 .*ended: ok/i);
    assert.equal(told(false).match(/test_ppl/g)?.length, 1);
    assert.match(told(false), /Never read from its output: test_ppl\./);
  });
});
