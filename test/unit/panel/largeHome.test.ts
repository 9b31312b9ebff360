import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { readSession } from '../../../src/agent/session/readSession.ts';
import { readSavedMetrics } from '../../../src/metrics/savedMetrics.ts';
import { metricNames, writeLargeHome, type LargeHome } from '../../fakes/largeHome.ts';

describe('a large home that is made up', () => {
  let folder: string;
  let made: LargeHome;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'helios-large-'));
    const [wide, long] = [
      { runs: 6, metrics: 40, points: 20 },
      { runs: 40, metrics: 4, points: 5 },
    ];
    made = await writeLargeHome(folder, { sessions: 4, wide, long }, 7);
  });
  after(() => rmSync(folder, { recursive: true }));

  it('is read by the product: sessions, runs, settings with their seeds, metrics', async () => {
    const { home, wide, long, others } = made;
    assert.equal(others.length, 2);
    for (const [id, runs] of [
      [wide, 6],
      [long, 40],
      [others[0] ?? wide, 3],
    ] as const) {
      const { ledger, state } = await readSession(home, id, undefined);
      assert.equal(state.phase, 'ended');
      assert.equal(ledger.rows.length, runs);
      assert.ok(ledger.rows.every(({ verdict }) => verdict?.kind === 'ok'));
      assert.equal(ledger.best?.n, 3);
    }
  });

  it('has the same values in the files of points as in the journals', async () => {
    const { state } = await readSession(made.home, made.wide, undefined);
    for (const { spec, metrics } of state.runs.values()) {
      const saved = await readSavedMetrics(made.home.runFolder(spec.id), spec.metrics);
      assert.deepEqual(saved?.problems, []);
      assert.deepEqual(saved?.names(), metricNames(40));
      assert.deepEqual(saved?.summaries(), metrics);
      assert.equal(saved?.series('loss').values.length, 20);
      assert.equal(saved?.series('eval/loss').values.length, 4);
    }
  });
});
