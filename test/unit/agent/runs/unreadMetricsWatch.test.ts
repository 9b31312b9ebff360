import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { SessionState } from '../../../../src/agent/journal/state.ts';
import { UnreadMetricsWatch } from '../../../../src/agent/runs/unreadMetricsWatch.ts';
import { silentLogger } from '../../../../src/base/logger.ts';
import type { MetricSpec } from '../../../../src/metrics/metric.ts';
import type { Run } from '../../../../src/runs/liveRun.ts';

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
