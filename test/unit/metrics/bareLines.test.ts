import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { withBareLines } from '../../../src/metrics/lines/bareLines.ts';
import { createLineParser } from '../../../src/metrics/lines/lineParser.ts';

const read = (line: string, names: readonly string[] = ['loss']): string[] => {
  const points: string[] = [];
  const parser = withBareLines(createLineParser({ names }), ['parameters', 'test rmse']);
  parser?.parse(line, (metric, _, value) => points.push(`${metric} ${value}`));
  return points;
};

describe('a line with nothing but a metric of the target', () => {
  const lines: readonly (readonly [line: string, points: readonly string[]])[] = [
    ['parameters 49', ['parameters 49']],
    ['  Parameters: 21,121', ['parameters 21121']],
    ['test_rmse = 0.0562', ['test rmse 0.0562']],
    ['loss 0.5', ['loss 0.5']],
    ['params: 4810', ['parameters 4810']],
    ['Total trainable params: 4,810', ['parameters 4810']],
    ['n_params=4810', ['parameters 4810']],
    ['params per layer: 4810', []],
    ['49 parameters', ['parameters 49']],
    ['38,410 trainable params', ['parameters 38410']],
    ['49 parameters of layer 3', []],
    ['layer 3: 49 parameters', []],
    ['49 hyperparameters', []],
    ['parameters 49 of layer 3', []],
    ['read parameters 49', []],
    ['hyperparameters 49', []],
    ['parameters', []],
    ['loss 0.5 parameters 49', ['loss 0.5']],
  ];
  for (const [line, points] of lines)
    it(`“${line}” gives ${points.join(', ') || 'nothing'}`, () =>
      assert.deepEqual(read(line), points));

  it('is not read twice', () =>
    assert.deepEqual(read('parameters 49', ['parameters']), ['parameters 49']));
});

describe('a counter of the target', () => {
  const lines: readonly (readonly [line: string, points: string, names?: readonly string[]])[] = [
    ['epoch 6/6 train_loss 0.2 val_loss 0.3', 'epoch@6=6 train_loss@6=0.2 val_loss@6=0.3', []],
    ['epoch 6/6 val_loss 0.3', 'epoch@6=6 val_loss@6=0.3', ['val_loss']],
    ['Epoch: 3 loss=0.5', 'epoch@3=3 loss@3=0.5'],
    ['[epoch 3] loss=0.5', 'epoch@3=3 loss@3=0.5'],
    ['epoch 6/6', 'epoch@6=6'],
    ['{"epoch": 2, "loss": 0.5}', 'epoch@2=2 loss@2=0.5'],
    ['step 12 loss=0.5', 'loss@12=0.5'],
    ['loss=0.5 at epoch 3', 'loss@3=0.5'],
    ['best epoch 3 loss=0.5', 'loss=0.5'],
  ];
  for (const [line, points, asked = ['loss']] of lines)
    it(`is read from “${line}” as ${points}`, () => {
      const found: string[] = [];
      const spec = { names: asked, also: ['epoch'] };
      createLineParser(spec).parse(line, (metric, step, value) =>
        found.push(`${metric}${Number.isNaN(step) ? '' : `@${step}`}=${value}`),
      );
      assert.equal(found.join(' '), points);
    });

  it('that a launch names is no share of its total', () => {
    const found: number[] = [];
    createLineParser({ names: ['epoch'] }).parse('epoch 1/6 loss=2', (_m, _s, value) =>
      found.push(value),
    );
    assert.deepEqual(found, [1]);
  });
});
