import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { UserFacing } from '../../../../src/base/errors.ts';
import { readTarget } from '../../../../src/experiments/target/readTarget.ts';
import { statedTarget } from '../../../../src/experiments/target/statedTarget.ts';
import {
  targetText,
  type Condition,
  type Target,
} from '../../../../src/experiments/target/target.ts';
import { random, seedOf } from '../../../fakes/random.ts';

const names = [
  ['val_loss', 'lower'],
  ['loss', 'lower'],
  ['validation loss', 'lower'],
  ['test/ppl', 'lower'],
  ['val_bpc', 'lower'],
  ['accuracy', 'higher'],
  ['test accuracy', 'higher'],
  ['val.acc', 'higher'],
  ['top1_acc', 'higher'],
  ['reward', 'higher'],
] as const;
const limits = ['params', 'parameters', 'trainable params', 'epoch', 'step'] as const;

/** Makes random targets as the agent, the user or the goal can state them. */
class Targets {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = random(seed);
  }

  #one<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#next() * items.length)] as Item;
  }

  #runs(): Pick<Condition, 'seeds' | 'seedCount'> {
    return this.#one([{}, { seedCount: 3 }, { seeds: [4] }, { seeds: [0, 1, 2] }]);
  }

  #condition(): Condition {
    const [metric, direction] = this.#one(names);
    const digits = this.#one([1, 2, 4, 7]);
    const isRelative = this.#next() < 0.3;
    const isPercent = !isRelative && this.#next() < 0.2;
    const value = this.#one([
      Number((this.#next() * 10 ** this.#one([-7, -2, 0, 2])).toPrecision(digits)),
      1 / 3,
      0.5,
    ]);
    const over = this.#one([undefined, undefined, 'mean', 'worst'] as const);
    return {
      metric,
      comparator: this.#one(direction === 'lower' ? ['<', '<='] : ['>', '>=']),
      value: value === 0 ? 1 : value,
      ...(isPercent && { isPercent }),
      ...(isRelative && { isRelative }),
      ...(over !== undefined && { over, ...this.#runs() }),
    };
  }

  #limit(): Condition {
    const runs = this.#next() < 0.2 ? { over: 'worst' as const, ...this.#runs() } : {};
    const value = this.#one([12, 20000, 5e6]);
    return { metric: this.#one(limits), comparator: '<=', value, ...runs };
  }

  next(): Target {
    const rule = this.#one(['last', 'best'] as const);
    const ends = this.#next() < 0.4 ? [this.#limit()] : [];
    if (this.#next() < 0.3) {
      const [metric, direction] = this.#one(names);
      const repeats = this.#one([undefined, this.#runs()]);
      const objective = { metric, direction };
      return { conditions: ends, objective, rule, ...(repeats && { repeats }) };
    }
    const count = this.#one([1, 1, 2, 3]);
    const conditions = Array.from({ length: count }, () => this.#condition());
    const { metric, comparator } = this.#one(conditions);
    return {
      conditions: this.#next() < 0.5 ? [...ends, ...conditions] : [...conditions, ...ends],
      objective: { metric, direction: comparator.startsWith('<') ? 'lower' : 'higher' },
      rule,
    };
  }
}

describe('targets as Helios prints them', () => {
  it('are read as the same target', () => {
    const targets = new Targets(seedOf('TARGET_SEED', 20_261));
    for (let index = 0; index < 1500; index += 1) {
      const target = targets.next();
      const text = targetText(target);
      assert.deepEqual(statedTarget(text), target, text);
      assert.deepEqual(readTarget(`${text}.`), target, text);
    }
  });

  it('are read with the values of their baselines', () => {
    const targets = new Targets(seedOf('TARGET_SEED', 7));
    for (let index = 0; index < 500; index += 1) {
      const target = targets.next();
      const baselines = new Map(
        target.conditions
          .filter(({ isRelative }) => isRelative)
          .map((one) => [one, { value: 0.62, runs: [2, 3, 5] }] as const),
      );
      const text = targetText(target, baselines);
      assert.deepEqual(statedTarget(text), target, text);
    }
  });

  const read: readonly [stated: string, target: string][] = [
    ['val_loss <= 0.5 × the baseline', 'val_loss <= 0.5 × the baseline'],
    ['bring val_loss to at most 0.5 × the baseline', 'val_loss <= 0.5 × the baseline'],
    ['val_loss at most half of the baseline', 'val_loss <= 0.5 × the baseline'],
    ['val_loss <= 50% of the baseline', 'val_loss <= 0.5 × the baseline'],
    ['val_loss <= 50 percent of baseline', 'val_loss <= 0.5 × the baseline'],
    ['val_loss <= 0.5 * baseline', 'val_loss <= 0.5 × the baseline'],
    ['val_loss <= 0.5 x baseline', 'val_loss <= 0.5 × the baseline'],
    ['val_loss < 0.5x the baseline', 'val_loss < 0.5 × the baseline'],
    ['acc >= 1.2 times the baseline', 'acc >= 1.2 × the baseline'],
    ['val_loss unter der Hälfte der Baseline', 'val_loss < 0.5 × the baseline'],
    ['Bringe val_loss unter die Hälfte der Baseline', 'val_loss < 0.5 × the baseline'],
    ['val_loss höchstens 0,5 × die Baseline', 'val_loss <= 0.5 × the baseline'],
    ['val_loss < baseline', 'val_loss < 1 × the baseline'],
    ['epoch <= 12 and val_loss <= 1.7', 'epoch <= 12 and val_loss <= 1.7'],
    [
      'val_loss < 0.3, mean over seeds 0-2 (best value of each run)',
      'val_loss < 0.3, mean over seeds 0, 1, 2 (best value of each run)',
    ],
    [
      'val_loss < 0.3, mean over 3 seeds, best of each run',
      'val_loss < 0.3, mean over 3 seeds (best value of each run)',
    ],
    [
      'val_loss < 0.3, best, mean over seeds 0 and 1',
      'val_loss < 0.3, mean over seeds 0, 1 (best value of each run)',
    ],
    [
      'Get val_loss below 0.3 as mean over 3 seeds, best value of each run',
      'val_loss < 0.3, mean over 3 seeds (best value of each run)',
    ],
    [
      'val_loss at least 12 % below the baseline, mean over seeds 0, 1, 2, val_acc at least 0.9, epoch <= 6',
      'val_loss <= 0.88 × the baseline, mean over seeds 0, 1, 2 and val_acc >= 0.9, mean over seeds 0, 1, 2 and epoch <= 6',
    ],
    [
      'val_loss < 0.3, val_acc not below 0.9, epoch <= 6',
      'val_loss < 0.3 and val_acc >= 0.9 and epoch <= 6',
    ],
    [
      'val_loss <= 0.88 x the baseline; epoch <= 6',
      'val_loss <= 0.88 × the baseline and epoch <= 6',
    ],
    ['val_loss <= 0,959; params at most 20k', 'val_loss <= 0.959 and params <= 20000'],
    ['lower val_loss by at least 12 %', 'val_loss <= 0.88 × the baseline'],
    [
      'lower val_loss by 12 %, val_acc not below 0.9',
      'val_loss <= 0.88 × the baseline and val_acc >= 0.9',
    ],
    ['reduce val_loss by at least 12 % against the baseline', 'val_loss <= 0.88 × the baseline'],
    ['bring val_loss 12 % below the baseline on gpu1', 'val_loss <= 0.88 × the baseline'],
    ['lowest val_loss, best', 'lowest val_loss (best value of each run)'],
    ['lowest val_loss with epoch <= 12', 'lowest val_loss with epoch <= 12'],
    [
      'val_loss < 0.3 and acc > 0.9, mean over 3 seeds',
      'val_loss < 0.3, mean over 3 seeds and acc > 0.9, mean over 3 seeds',
    ],
  ];
  for (const [stated, target] of read)
    it(`reads ${JSON.stringify(stated)}`, () => {
      assert.equal(targetText(statedTarget(stated)), target);
    });

  for (const text of [
    'val_loss <= the loss of baseline',
    'lowest val_loss in at most 5 epochs',
    'val_loss < 0.3 within 5 minutes',
  ])
    it(`refuses ${JSON.stringify(text)}, of which a part would be left out`, () => {
      assert.throws(() => statedTarget(text), /A part of the target was not understood/);
    });

  it('gives examples with a share of the baseline', () => {
    const advice = (error: unknown): boolean =>
      error instanceof UserFacing && /0\.88 x the baseline, epoch <= 6/.test(error.action ?? '');
    assert.throws(() => statedTarget('as good as you can'), advice);
  });

  const below = 'val_loss <= 0.9 × the baseline';
  const distances: readonly (readonly [stated: string, target: string | undefined])[] = [
    ['val_loss 10 % below the baseline', below],
    ['val_loss 10% below baseline', below],
    ['val_loss 10 percent below the baseline', below],
    ['val_loss is 10 % under the baseline', below],
    ['val_loss at least 10 % below the baseline', below],
    ['val_loss by at least 10 % below the baseline', below],
    ['val_loss 10 % lower than the baseline', below],
    ['val_loss should be 10 % smaller than the baseline', below],
    ['get val_loss 10 % below the baseline', below],
    ['bring val_loss to 10 % below the baseline', below],
    ['val_loss 10 % better than the baseline', below],
    ['val_loss at least 10 % better than our baseline', below],
    ['val_loss 10 % unter der Baseline', below],
    ['val_loss mindestens 10 % unter der Baseline', below],
    ['val_loss soll 10 % unter der Baseline liegen', below],
    ['Bringe val_loss 10 % unter die Baseline', below],
    ['val_loss 10 % niedriger als die Baseline', below],
    ['val_loss um 10 % besser als die Baseline', below],
    ['val_loss 10 Prozent besser als die Baseline', below],
    ['val_loss more than 10 % below the baseline', 'val_loss < 0.9 × the baseline'],
    ['val_loss mehr als 10 % unter der Baseline', 'val_loss < 0.9 × the baseline'],
    ['val_loss 2,5 % unter der Baseline', 'val_loss <= 0.975 × the baseline'],
    ['throughput 20 % above the baseline', 'throughput >= 1.2 × the baseline'],
    ['reward at least 20 % higher than the baseline', 'reward >= 1.2 × the baseline'],
    ['reward 20 % better than the baseline', 'reward >= 1.2 × the baseline'],
    ['reward 20 % über der Baseline', 'reward >= 1.2 × the baseline'],
    ['val_loss at most 10 % above the baseline', 'val_loss <= 1.1 × the baseline'],
    ['val_loss less than 10 % worse than the baseline', 'val_loss < 1.1 × the baseline'],
    ['reward höchstens 10 % unter der Baseline', 'reward >= 0.9 × the baseline'],
    [
      'val_loss 10 % below the baseline, mean over seeds 0-2',
      'val_loss <= 0.9 × the baseline, mean over seeds 0, 1, 2',
    ],
    [
      'val_loss 10 % below the baseline and latency_ms < 5',
      'val_loss <= 0.9 × the baseline and latency_ms < 5',
    ],
    // A percentage of a share may mean points; the others ask for something worse, or for two things.
    ['accuracy 10 % above the baseline', undefined],
    ['error rate 10 % below the baseline', undefined],
    ['val_loss 10 % above the baseline', undefined],
    ['val_loss 10 % worse than the baseline', undefined],
    ['val_loss at most 10 % below the baseline', undefined],
    ['reward 10 % below the baseline', undefined],
    ['val_loss 100 % below the baseline', undefined],
    ['val_loss 10 below the baseline', undefined],
    ['val_loss 10 % below the baseline of run 7', undefined],
    ['val_loss 10 % below the baseline accuracy', undefined],
    ['val_loss must not be 10 % below the baseline', undefined],
    ['val_loss at least 1.1 × the baseline', undefined],
    ['val_loss between 5 % and 10 % below the baseline', undefined],
    ['val_loss 10 % below the baseline, keep latency within 10 % of the baseline', undefined],
    ['foo 10 % below the baseline', undefined],
  ];
  for (const [stated, target] of distances)
    it(`reads ${JSON.stringify(stated)} as ${target ?? 'no target'}`, () => {
      if (target === undefined) return void assert.throws(() => statedTarget(stated), stated);
      const read = statedTarget(stated);
      assert.equal(targetText(read), target);
      assert.deepEqual(statedTarget(target), read);
    });

  it('ranks by the metric that can rank', () => {
    const { objective } = statedTarget('epoch <= 12 and val_loss <= 1.7');
    assert.deepEqual(objective, { metric: 'val_loss', direction: 'lower' });
  });
});
