import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { clearMetrics } from '../../../src/tools/runs/clearMetrics.ts';
import { call, MeasuredSession, shown } from './measuredSession.ts';

describe('clear_metrics', () => {
  let session: MeasuredSession;
  beforeEach(() => (session = new MeasuredSession()));
  afterEach(() => session.dispose());

  it('clears one run, which is measured on', async () => {
    const run = await session.add('loss=1\nloss=2\n', 'running');
    const untouched = await session.add('loss=3\n');
    assert.deepEqual(await shown(clearMetrics(session), { task_id: 'run 1' }), {
      cleared: 2,
      runs: [{ run: 'run 1', points: 2 }],
    });
    assert.deepEqual(run.metrics.names(), []);
    run.metrics.ingest(Buffer.from('loss=5\n'), run.metrics.resumeOffset, 1);
    assert.equal(run.metrics.summary('loss')?.count, 1);
    assert.equal(untouched.metrics.summary('loss')?.count, 1);
  });

  it('clears all runs of this session and of no other', async () => {
    await session.add('loss=1 acc=1\n');
    await session.add('loss=1\n');
    const other = await session.addOther('loss=1\n');
    const { summary } = await call(clearMetrics(session), {});
    assert.equal(summary, 'Cleared 3 points of all runs');
    assert.ok(session.all().every(({ metrics }) => metrics.names().length === 0));
    assert.deepEqual(other.metrics.names(), ['loss']);
  });

  it('writes', () => assert.equal(clearMetrics(session).effect, 'write'));
});
