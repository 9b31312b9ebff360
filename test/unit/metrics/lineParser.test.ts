import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createLineParser } from '../../../src/metrics/lines/lineParser.ts';
import type { MetricSpec } from '../../../src/metrics/metric.ts';
import { assertInProportion } from '../../fakes/proportion.ts';

/** `name@step=value`, without `@step` where the line has none. */
function read(spec: MetricSpec, line: string): string {
  const points: string[] = [];
  createLineParser(spec).parse(line, (name, step, value) =>
    points.push(`${name}${Number.isNaN(step) ? '' : `@${step}`}=${value}`),
  );
  return points.join(' ');
}

const names = ['loss', 'val_loss', 'acc', 'lr', 'train/loss', 'F1'];

const named: readonly (readonly [string, string])[] = [
  ['loss=0.5', 'loss=0.5'],
  ['Loss: 0.2', 'loss=0.2'],
  ['loss = 1', 'loss=1'],
  ['   loss   :   3', 'loss=3'],
  ['lr=5e-05', 'lr=0.00005'],
  ['loss=1.5E3', 'loss=1500'],
  ['loss=-1', 'loss=-1'],
  ['loss=+2', 'loss=2'],
  ['acc=95%', 'acc=95'],
  ['acc = 95 %', 'acc=95'],
  ["{'loss': 0.25, 'learning_rate': 5e-05, 'epoch': 1.0}", 'loss@1=0.25'],
  ["{'loss': '0.25', 'epoch': '0.5'}", 'loss@0.5=0.25'],
  ['{"loss": 0.25, "step": 12}', 'loss@12=0.25'],
  ['{"loss":NaN,"acc":-Infinity,"global_step":7}', 'loss@7=NaN acc@7=-Infinity'],
  ['{"train": {"loss": 0.5}, "eval": {"f1": 0.3}}', 'train/loss=0.5 F1=0.3'],
  ['2026-01-01 12:00:00 INFO {"loss": 0.25}', 'loss=0.25'],
  ['{\\"loss\\": 0.25}', 'loss=0.25'],
  ['loss=.5', 'loss=0.5'],
  ['loss=5.', 'loss=5'],
  ['loss=nan', 'loss=NaN'],
  ['loss: NaN acc: inf', 'loss=NaN acc=Infinity'],
  ['loss=-inf', 'loss=-Infinity'],
  ['loss=Infinity', 'loss=Infinity'],
  ['(loss=0.3)', 'loss=0.3'],
  ['[loss: 0.3]', 'loss=0.3'],
  [';acc:0.2', 'acc=0.2'],
  ['loss 0.5', 'loss=0.5'],
  ['loss 5', 'loss=5'],
  ['\u001b[31mloss\u001b[0m: \u001b[1m0.5\u001b[0m', 'loss=0.5'],
  ["loss=tensor(0.5, device='cuda:0', grad_fn=<NllLossBackward0>)", 'loss=0.5'],
  ['loss: tensor([0.5])', 'loss=0.5'],
  ['loss=np.float64(0.5)', 'loss=0.5'],
  ['loss: 1,234', 'loss=1234'],
  ['loss: 1,234,567.5', 'loss=1234567.5'],
  ['loss=1_000', 'loss=1000'],
  ['val_loss=1, loss=2', 'val_loss=1 loss=2'],
  ['loss=0.5,acc=0.6', 'loss=0.5 acc=0.6'],
  ['train/loss=4', 'train/loss=4'],
  ['Val Loss: 3', 'val_loss=3'],
  ['Test Acc: 0.9', 'acc=0.9'],
  ['my_loss=3 losses=4 lossy 3 loss_fn=5', ''],
  ['loss=1 loss=2', 'loss=2'],
  ['loss: n/a', ''],
  ['loss=1.2.3', ''],
  ['loss=12:30', ''],
  ['loss=3f9a', ''],
  ['loss=1.2M', ''],
  ['loss=0,25', ''],
  ['loss: [0.1, 0.2]', ''],
  ['loss -> 0.5', 'loss=0.5'],
  ['no numbers at all: loss', ''],
];

const steps: readonly (readonly [string, string])[] = [
  ['step=12 loss=1', 'loss@12=1'],
  ['Step 12: loss=1', 'loss@12=1'],
  ['step 12/1000 loss=1', 'loss@12=1'],
  ['loss=1 iter 5', 'loss@5=1'],
  ['[12/1000] loss=1', 'loss@12=1'],
  ['Epoch 3 loss=1', 'loss@3=1'],
  ['Epoch 3 [12/1000] loss=1', 'loss@12=1'],
  ['Epoch [3/10] loss=1', 'loss@3=1'],
  ['Epoch [1/5], Step [100/600], Loss: 0.2000', 'loss@100=0.2'],
  ['epoch: 2.5 | loss: 1', 'loss@2.5=1'],
  ['global_step=7 loss=1', 'loss@7=1'],
  ['it=9 loss=1', 'loss@9=1'],
  ['{"step": 4, "epoch": 1, "loss": 1}', 'loss@4=1'],
  ['{"trainer/global_step": 4, "loss": 1}', 'loss@4=1'],
  ['step 1,200 loss=1', 'loss@1200=1'],
  ['total steps: 5000 loss=1', 'loss=1'],
  ['Train Epoch: 1 [640/60000 (1%)]\tLoss: 0.5', 'loss@640=0.5'],
  ['Epoch: [0][ 10/5005]\tTime 0.2 (1.2)\tLoss 6.95e+00 (6.99e+00)', 'loss@10=6.95'],
  ['Epoch 3:  10%|█  | 12/1000 [00:01<00:09, 9.9it/s, loss=0.5]', 'loss@3=0.5'],
  [' 10%|█ | 10/100 [00:01<00:09,  9.9it/s, loss=0.5]', 'loss@10=0.5'],
  ['steps_per_second=3 loss=1', 'loss=1'],
  ['batch 12/1000 loss=1', 'loss@12=1'],
  ['Epoch 3 batch 12/1000 loss=1', 'loss@12=1'],
  ['Epoch 3 batch 12 loss=1', 'loss@3=1'],
  ['step 4 batch 12/1000 loss=1', 'loss@4=1'],
  ['batch=64 loss=1', 'loss=1'],
  ['it 5 loss=1', 'loss=1'],
];

const detected: readonly (readonly [string, string])[] = [
  ['step 0: train loss 10.8, val loss 10.9', 'train_loss@0=10.8 val_loss@0=10.9'],
  ['iter 250: loss 3.4, time 123.45ms, mfu 5.10%', 'loss@250=3.4 mfu@250=5.1'],
  ['step 00010/21400 (0.05%) | loss: 8.9 | grad norm: 0.5', 'loss@10=8.9 grad_norm@10=0.5'],
  ['step:125/1770 val_loss:4.5 train_time:12345ms', 'val_loss@125=4.5'],
  [
    "{'loss': 0.25, 'grad_norm': 1.2, 'learning_rate': 5e-05, 'epoch': 1.0}",
    'loss@1=0.25 grad_norm@1=1.2 learning_rate@1=0.00005',
  ],
  [
    'Test set: Average loss: 0.0494, Accuracy: 9840/10000 (98%)',
    'average_loss=0.0494 Accuracy=0.984',
  ],
  ['12/1875 [====>...] - ETA: 3s - loss: 0.5 - accuracy: 0.8', 'loss@12=0.5 accuracy@12=0.8'],
  ['loss=nan', 'loss=NaN'],
  ['Validation Accuracy: 0.93', 'validation_accuracy=0.93'],
  ['reward=1.5 custom_thing=3', 'reward=1.5 custom_thing=3'],
  ['| 2026-01-02 12:30:45,123 | INFO | train.py:123 | pid=77 seed: 4', ''],
  ['torch==2.1.0, version: 2.1.0, Python 3.11', ''],
  ['serving on localhost:8080, see http://10.0.0.1:80/x?y=5 and /data/run7/x=3', ''],
  ['loss 5 times; took 12 tries', ''],
  ['device=cuda:0 date=2026-01-02 time: 12:30:45 sha=3f9a2b', ''],
  ['progress: 12% eta: 3s', ''],
  ['median over 5 rounds: 401.2 ms', 'median_ms=401.2'],
  ['Mean accuracy over 3 folds = 0.91', 'mean_accuracy=0.91'],
  ['median of 5 values', ''],
  ['python train.py --lr=0.1 --epochs 5', ''],
];

function check(rows: readonly (readonly [string, string])[], spec: MetricSpec): void {
  for (const [line, expected] of rows)
    it(line.trim().slice(0, 80), () => assert.equal(read(spec, line), expected));
}

describe('Reading lines for asked names', () => check(named, { names }));
describe('Reading steps and epochs', () => check(steps, { names }));
describe('Detecting metrics', () => check(detected, {}));

/** Points of all lines, read by one parser. */
function readAll(spec: MetricSpec, lines: readonly string[], header?: string): string[] {
  const parser = createLineParser(spec);
  if (header !== undefined) parser.resume(header);
  return lines.map((line) => {
    const points: string[] = [];
    parser.parse(line, (name, step, value) => points.push(`${name}@${step}=${value}`));
    return points.join(' ');
  });
}

describe('Reading tables', () => {
  const cases: readonly (readonly [string, MetricSpec, readonly string[], readonly string[]])[] = [
    [
      'with columns apart, and a time that is no number',
      {},
      [
        'epoch     train_loss  valid_loss  accuracy  time',
        '0         0.51        0.42        0.91      00:12',
        'saved checkpoint 3 of 10',
        '1         0.31        nan         93%       00:11',
      ],
      [
        '',
        'train_loss@0=0.51 valid_loss@0=0.42 accuracy@0=0.91',
        '',
        'train_loss@1=0.31 valid_loss@1=NaN accuracy@1=93',
      ],
    ],
    [
      'with names of several words',
      {},
      [
        '      Iter       Train Loss   Remaining Time ',
        '         1           1.2903            0.05s',
      ],
      ['', 'train_loss@1=1.2903'],
    ],
    ['separated by commas', {}, ['step,loss,lr', '10,0.5,1e-3'], ['', 'loss@10=0.5 lr@10=0.001']],
    [
      'with frames',
      {},
      ['| Epoch | Val Loss |', '|-------|----------|', '| 1/20 | 0.25 |', '+---+---+'],
      ['', '', 'val_loss@1=0.25', ''],
    ],
    [
      'with a progress bar behind the row',
      {},
      [
        '      Epoch    GPU_mem   box_loss   cls_loss  Instances       Size',
        '      1/100      2.41G      1.203      3.401         12        640: 100%|████| 8/8 [00:01]',
      ],
      ['', 'box_loss@1=1.203 cls_loss@1=3.401'],
    ],
    [
      'of asked names alone',
      { names: ['score'] },
      ['epoch score loss', '3 7 0.5'],
      ['', 'score@3=7'],
    ],
    [
      'but not of anything else',
      {},
      [
        'model accuracy loss',
        'mlp 0.9 0.1',
        'epoch took time',
        '1 2 3',
        'step loss acc',
        '1 0.5',
        '1 two 0.5',
        'a 0.5 0.6',
      ],
      ['', '', '', '', '', '', '', ''],
    ],
  ];
  for (const [name, spec, lines, expected] of cases)
    it(name, () => assert.deepEqual(readAll(spec, lines), expected));

  it('continue after their header was read by another process', () => {
    assert.deepEqual(readAll({}, ['4 0.5'], 'epoch loss'), ['loss@4=0.5']);
    assert.deepEqual(readAll({}, ['4 0.5'], 'no header'), ['']);
  });

  it('take linear time for headers and rows made to be slow', () => {
    for (const line of [
      (share: number) => `epoch ${'loss '.repeat(40_000 * share)}`,
      (share: number) => `|${' '.repeat(200_000 * share)}epoch`,
      (share: number) => '1 '.repeat(100_000 * share),
      (share: number) => `1 0.5${' 1%'.repeat(60_000 * share)}`,
    ])
      assertInProportion((share) => readAll({}, ['epoch loss', line(share)]), line(0.0002));
  });
});

describe('Reading lines', () => {
  it('gives a value over rounds under its name, with or without the unit', () => {
    const line = 'median over 5 rounds: 401.2 ms';
    assert.equal(read({ names: ['median'] }, line), 'median=401.2');
    assert.equal(read({ names: ['median_ms'] }, line), 'median_ms=401.2');
    assert.equal(read({ names: ['loss'] }, line), '');
  });

  it('gives an asked counter as a metric too', () => {
    assert.equal(read({ names: ['epoch', 'loss'] }, 'epoch=2 loss=1'), 'epoch@2=2 loss@2=1');
  });

  it('treats special characters of a name as themselves', () => {
    assert.equal(
      read({ names: ['acc@1', 'f1 (macro)', 'a.b'] }, 'acc@1=3 f1 (macro)=4 axb=5'),
      'acc@1=3 f1 (macro)=4',
    );
  });

  it('takes an empty list of names for none', () => {
    assert.equal(read({ names: [] }, 'loss=1'), 'loss=1');
  });

  it('takes linear time for lines made to be slow', () => {
    const hostile: readonly ((share: number) => string)[] = [
      (share) => 'a'.repeat(200_000 * share),
      (share) => `loss${' '.repeat(200_000 * share)}x`,
      (share) => `loss=${'1,111'.repeat(40_000 * share)}x`,
      (share) => 'x=1'.repeat(60_000 * share),
      (share) => `loss=${'1'.repeat(200_000 * share)}x`,
      (share) => 'train '.repeat(40_000 * share),
      (share) => '['.repeat(200_000 * share) + 'loss=1',
    ];
    for (const line of hostile)
      for (const spec of [{ names }, {}])
        assertInProportion((share) => read(spec, line(share)), line(0.0002));
  });
});
