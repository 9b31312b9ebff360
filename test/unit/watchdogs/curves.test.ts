/** Healthy and diverging learning curves of many shapes against the defaults; `npm run bench -- watchdogs` prints the same. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { MetricPoint } from '../../../src/metrics/metric.ts';
import type { Finding } from '../../../src/watchdogs/finding.ts';
import { RunWatch } from '../../../src/watchdogs/runWatch.ts';
import { defaultPolicy, policyOf } from '../../../src/watchdogs/settings.ts';
import { divergingCurves, healthyCurves, lostAccuracies, type Curve } from '../../fakes/curves.ts';

const pointsOf = ({ metric, values }: Curve): MetricPoint[] =>
  values.map((value, step) => ({ metric, step, timeMs: 1000 * step, value }));

const watch = (curve: Curve, policy = defaultPolicy): readonly Finding[] =>
  new RunWatch({ policy, isDecisive: (metric) => metric === curve.metric }).take(pointsOf(curve));

describe('watchdogs on learning curves', () => {
  it('neither kill nor alarm of 100 healthy noisy ones', () => {
    const alarmed = healthyCurves(100, 1).filter((curve) => watch(curve).length > 0);
    assert.deepEqual(
      alarmed.map(({ shape }) => shape),
      [],
    );
  });

  for (const seed of [1000, 5000])
    it(`kill none of 300 healthy ones, and are wrong about one in a hundred at most (seed ${seed})`, () => {
      const findings = healthyCurves(300, seed).flatMap((curve) => watch(curve));
      assert.equal(findings.filter(({ action }) => action === 'kill').length, 0);
      assert.ok(findings.length <= 3, `${findings.length} alarms`);
    });

  it('kill at most one in a thousand where all that they see kills', () => {
    const policy = policyOf({ divergence: { action: 'kill' }, throughput: { action: 'kill' } });
    const killed = healthyCurves(1500, 20_000).filter((curve) => watch(curve, policy).length > 0);
    assert.ok(killed.length <= 1, killed.map(({ shape }) => shape).join(', '));
  });

  it('see a score that is lost for good, after a quarter of the time before', () => {
    for (const curve of lostAccuracies(10, 1)) {
      const at = watchUntilFound(curve) ?? Infinity;
      assert.ok(at >= 600 && at <= 760, `at ${at}`);
    }
  });

  it('see nine of ten that diverge, and none before it does', () => {
    const curves = divergingCurves(100, 1);
    const seen = curves.map((curve) => {
      const at = watchUntilFound(curve);
      return at === undefined ? undefined : at - (curve.divergesAt ?? 0);
    });
    const delays = seen.filter((delay) => delay !== undefined).sort((a, b) => a - b);
    assert.ok(delays.length >= 90, `${delays.length} of 100`);
    assert.ok((delays[0] ?? 0) >= 0, 'one was called diverging while it was healthy');
    assert.ok((delays[50] ?? Infinity) <= 60, `the median is ${delays[50]} points late`);
  });
});

/** The index of the first point at which something is found. */
function watchUntilFound(curve: Curve): number | undefined {
  const run = new RunWatch({ policy: defaultPolicy, isDecisive: () => true });
  const index = pointsOf(curve).findIndex((point) => run.take([point]).length > 0);
  return index < 0 ? undefined : index;
}
