import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { directionOf, isKnownMetric } from '../../../src/metrics/direction.ts';

const names = {
  lower:
    'loss val/loss loss_train train_loss eval-loss evalLoss Loss ppl perplexity val_bpb mse rmse val.mae wer cer fid nll error_rate latency_ms inference_latency loss1 reward_loss err',
  higher:
    'acc test_acc accuracy Acc@1 top5_acc f1 f1_macro auc auroc bleu bleu4 rouge1 rougeL map map50 mAP precision recall iou mIoU psnr ssim reward ep_rew_mean return score r2 throughput win_rate success_rate validation_accuracy evalAccuracy',
  none: 'lr learning_rate step_time grad_norm epoch gpu gpu_mem loss_scale time something acc_std entropy',
};

describe('Direction of a metric', () => {
  for (const [direction, list] of Object.entries(names))
    it(`is ${direction} for the names that say so, whatever stands before or after`, () => {
      for (const name of list.split(' ')) assert.equal(directionOf(name), direction, name);
    });

  it('can be set, whatever the case of the name', () => {
    assert.equal(directionOf('Acc', { acc: 'lower' }), 'lower');
    assert.equal(directionOf('val_acc', { acc: 'lower' }), 'higher');
    assert.equal(directionOf('constructor', {}), 'none');
  });

  it('tells metrics from words', () => {
    for (const name of ['loss', 'val_acc', 'lr', 'grad_norm']) assert.ok(isKnownMetric(name), name);
    for (const name of ['error', 'precision', 'batch_size', 'seed', 'map', 'time'])
      assert.ok(!isKnownMetric(name), name);
  });
});
