import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { nearestLine, unreadMetrics } from '../../../src/metrics/unreadMetrics.ts';

describe('metrics that were never read', () => {
  const read = [{ metric: 'test_ppl' }, { metric: 'loss' }];

  it('are those that the launch named, in any spelling', () => {
    assert.deepEqual(unreadMetrics({ names: ['loss', 'test ppl', 'val_acc'] }, read), ['val_acc']);
    assert.deepEqual(unreadMetrics({ patterns: { f1: 'f1 (.*)' }, names: ['x'] }, read), [
      'x',
      'f1',
    ]);
  });

  it('are none where metrics are detected', () => {
    assert.deepEqual(unreadMetrics({}, []), []);
  });

  it('come with the line that shares most words with the metric or its pattern', () => {
    const output =
      'epoch 1: loss 0.5\n>>> eval at step 150: test ppl = 5.200\nno number: test ppl\n';
    assert.equal(nearestLine(output, ['test_ppl'], {}), '>>> eval at step 150: test ppl = 5.200');
    const patterns = { quality: 'eval at \\w+ (\\d+)' };
    assert.match(nearestLine(output, ['none', 'quality'], { patterns }) ?? '', /^>>> eval at/);
    assert.equal(nearestLine(output, ['accuracy'], {}), undefined);
    assert.equal(nearestLine(`loss 1 ${'x'.repeat(900)}`, ['loss'], {})?.length, 160);
  });
});
