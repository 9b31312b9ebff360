/**
 * Healthy and diverging learning curves of many shapes against the defaults; `npm run bench --
 * watchdogs` prints the same.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'mocha';
import type { MetricPoint } from '../../../src/metrics/metric.ts';
import type { Finding } from '../../../src/watchdogs/finding.ts';
import { RunWatch } from '../../../src/watchdogs/runWatch.ts';
import { defaultPolicy, policyOf } from '../../../src/watchdogs/settings.ts';
import { divergingCurves, healthyCurves, lostAccuracies, type Curve } from '../../fakes/curves.ts';

const pointsOf = ({ metric, values }: Curve): MetricPoint[] =>
  values.map((value, step) => ({ metric, step, timeMs: 1000 * step, value }));

const watch = (curve: Curve, policy = defaultPolicy): readonly Finding[] =>
  new RunWatch({ policy, isDecisive: (metric) => metric === curve.metric }).take(pointsOf(curve));

const killing = policyOf({ divergence: { action: 'kill' }, throughput: { action: 'kill' } });

/** The detectors were never tuned on these. */
const freshSeeds = [
  7919, 104_729, 1_299_709, 15_485_863, 32_452_843, 49_979_687, 67_867_967, 86_028_121,
];
/** `HELIOS_CURVES_SEED` draws others. */
const drawnSeed = Number(process.env.HELIOS_CURVES_SEED ?? 20_261_128);

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
    const killed = healthyCurves(1500, 20_000).filter((curve) => watch(curve, killing).length > 0);
    assert.ok(killed.length <= 1, killed.map(({ shape }) => shape).join(', '));
  });

  it('see a score that is lost for good, after a quarter of the time before', () => {
    for (const curve of lostAccuracies(10, 1)) {
      const at = watchUntilFound(curve) ?? Infinity;
      assert.ok(at >= 600 && at <= 760, `at ${at}`);
    }
  });

  /**
   * How many points late each one is that is seen at all, the soonest first; none before it
   * diverges, and most are.
   */
  function delaysOf(curves: readonly Curve[]): number[] {
    const delays = curves.flatMap((curve) => {
      const at = watchUntilFound(curve);
      return at === undefined ? [] : [at - (curve.divergesAt ?? 0)];
    });
    delays.sort((a, b) => a - b);
    assert.ok(delays.length >= 0.9 * curves.length, `${delays.length} of ${curves.length}`);
    assert.ok((delays[0] ?? 0) >= 0, 'one was called diverging while it was healthy');
    return delays;
  }
  const medianOf = (sorted: readonly number[]): number =>
    sorted[Math.floor(sorted.length / 2)] ?? Infinity;

  it('see nine of ten that diverge, and none before it does', () => {
    const median = medianOf(delaysOf(divergingCurves(100, 1)));
    assert.ok(median <= 60, `the median is ${median} points late`);
  });

  describe('that they were not tuned on', () => {
    let healthy: readonly Curve[] = [];
    before(() => {
      healthy = freshSeeds.flatMap((seed) => healthyCurves(300, seed));
    });

    it('kill no healthy one, and are wrong about one in a hundred at most', () => {
      const findings = healthy.flatMap((curve) => watch(curve));
      assert.equal(findings.filter(({ action }) => action === 'kill').length, 0);
      assert.ok(findings.length <= healthy.length / 100, `${findings.length} alarms`);
    });

    it('kill at most one in a thousand where all that they see kills', () => {
      const killed = healthy.filter((curve) => watch(curve, killing).length > 0);
      assert.ok(
        killed.length <= healthy.length / 1000,
        killed.map(({ shape }) => shape).join(', '),
      );
    });

    it('see nine of ten that diverge, and none before it does', () => {
      const all = freshSeeds.flatMap((seed) => delaysOf(divergingCurves(100, seed)));
      const median = medianOf(all.sort((a, b) => a - b));
      assert.ok(median <= 60, `the median is ${median} points late`);
    });

    it('are judged alike where the seed is drawn', () => {
      console.log(`      HELIOS_CURVES_SEED=${drawnSeed}`);
      const findings = healthyCurves(300, drawnSeed).flatMap((curve) => watch(curve));
      assert.equal(findings.filter(({ action }) => action === 'kill').length, 0);
      assert.ok(findings.length <= 3, `${findings.length} alarms`);
      // The median of so few is at 50 to 70 points.
      const median = medianOf(delaysOf(divergingCurves(200, drawnSeed)));
      assert.ok(median <= 90, `the median is ${median} points late`);
    });
  });
});

/** The index of the first point at which something is found. */
function watchUntilFound(curve: Curve): number | undefined {
  const run = new RunWatch({ policy: defaultPolicy, isDecisive: () => true });
  const index = pointsOf(curve).findIndex((point) => run.take([point]).length > 0);
  return index < 0 ? undefined : index;
}
