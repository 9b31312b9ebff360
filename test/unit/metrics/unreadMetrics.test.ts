import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { unreadMetrics } from '../../../src/metrics/unreadMetrics.ts';

describe('metrics that were never read', () => {
  const read = [{ metric: 'test_ppl' }, { metric: 'loss' }];

  it('are those that the launch named, in any spelling', () => {
    assert.deepEqual(unreadMetrics({ names: ['loss', 'test ppl', 'val_acc'] }, read), ['val_acc']);
    assert.deepEqual(unreadMetrics({ patterns: { f1: 'f1 (.*)' }, names: ['x'] }, read), ['f1']);
  });

  it('are none where metrics are detected', () => {
    assert.deepEqual(unreadMetrics({}, []), []);
  });
});
