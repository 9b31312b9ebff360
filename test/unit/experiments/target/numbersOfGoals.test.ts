import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { uncheckedDemands } from '../../../../src/experiments/target/readDemands.ts';
import { readTarget } from '../../../../src/experiments/target/readTarget.ts';
import { repeatsOfTarget, type Target } from '../../../../src/experiments/target/target.ts';
import { random, seedOf } from '../../../fakes/random.ts';

interface GoalNumber {
  readonly text: string;
  readonly value: number;
}

interface GoalPart {
  readonly text: string;
  readonly numbers: readonly GoalNumber[];
  /** True if the number has to be in the target. */
  readonly isTarget?: true;
}

/** Makes random goals in English and German, in which no number occurs twice. */
class Goals {
  readonly #next: () => number;
  #used = new Set<number>();

  constructor(seed: number) {
    this.#next = random(seed);
  }

  #one<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#next() * items.length)] as Item;
  }

  #number(from: number, to: number, decimals = 0): number {
    for (;;) {
      const value = Number((from + this.#next() * (to - from)).toFixed(decimals));
      if (this.#used.has(value)) continue;
      this.#used.add(value);
      return value;
    }
  }

  #written(value: number, isGerman: boolean): GoalNumber {
    const text = isGerman ? String(value).replace('.', ',') : String(value);
    return { text, value };
  }

  #bound(isGerman: boolean): GoalPart {
    const [metric, isLower] = this.#one([
      ['val_loss', true],
      ['test_ppl', true],
      ['rmse', true],
      ['val_acc', false],
      ['reward', false],
    ] as const);
    const number = this.#written(this.#number(0.11, 0.99, 3), isGerman);
    const word = this.#one(
      isGerman
        ? isLower
          ? ['höchstens', 'unter', '<=', 'nicht über']
          : ['mindestens', 'über', '>', 'nicht unter']
        : isLower
          ? ['at most', 'below', '<', 'no higher than']
          : ['at least', 'above', '>=', 'not below'],
    );
    const by = this.#one(['with ', 'keep ', '']);
    const text = `${isGerman ? '' : by}${metric} ${word} ${number.text}`;
    return { text, numbers: [number] };
  }

  #relative(isGerman: boolean): GoalPart {
    const percent = this.#written(this.#number(3, 60, 1), isGerman);
    const metric = this.#one(['val_loss', 'test_ppl', 'rmse']);
    const least = this.#one(isGerman ? ['mindestens ', ''] : ['at least ', '']);
    const end = this.#one(isGerman ? ['', ' auf gpu1'] : ['', ' on host gpu1', ' please']);
    const text = this.#one(
      isGerman
        ? [
            `Senke ${metric} um ${least}${percent.text} %`,
            `${metric} ${least}${percent.text} % unter der Baseline${end}`,
            `Bringe ${metric} ${least}${percent.text} % unter die Baseline${end}`,
          ]
        : [
            `lower ${metric} by ${least}${percent.text} %`,
            `lower ${metric} ${least}${percent.text} % below the baseline${end}`,
            `bring ${metric} to ${least}${percent.text} % below the baseline${end}`,
            `${metric} ${least}${percent.text}% lower than the baseline${end}`,
          ],
    );
    return { text, numbers: [percent], isTarget: true };
  }

  #demand(isGerman: boolean): GoalPart {
    const amount = this.#number(61, 900);
    const number = { text: `${amount}`, value: amount };
    const text = this.#one(
      isGerman
        ? [
            `höchstens ${amount} Epochen`,
            `jeder Lauf unter ${amount} Sekunden`,
            `mit Batchgröße ${amount}`,
            `maximal ${amount} Läufe`,
            `bei Auflösung ${amount}`,
            `das Netz hat ${amount} Kanäle`,
          ]
        : [
            `at most ${amount} epochs a run`,
            `each run under ${amount} s`,
            `with batch size ${amount}`,
            `no more than ${amount} runs`,
            `at resolution ${amount}`,
            `the network has ${amount} channels`,
            `crop images to ${amount} pixels`,
            `${amount} features per node`,
          ],
    );
    return { text, numbers: [number] };
  }

  #seeds(isGerman: boolean): GoalPart {
    this.#used = new Set([...this.#used, 1001, 1002, 1003]);
    const numbers = [1001, 1002, 1003].map((value) => ({ text: `${value}`, value }));
    const text = isGerman
      ? 'gemittelt über die Seeds 1001, 1002 und 1003'
      : this.#one(['mean over seeds 1001, 1002, 1003', 'on each of seeds 1001, 1002 and 1003']);
    return { text, numbers, isTarget: true };
  }

  #rule(isGerman: boolean): GoalPart {
    const text = isGerman
      ? this.#one(['lass data.py in Ruhe', 'check.py muss weiterhin durchlaufen'])
      : this.#one(['leave data.py alone', 'check.py must still pass', 'use only numpy']);
    return { text, numbers: [] };
  }

  next(): { readonly goal: string; readonly parts: readonly GoalPart[] } {
    this.#used = new Set();
    const isGerman = this.#next() < 0.4;
    const main = this.#next() < 0.6 ? this.#relative(isGerman) : this.#bound(isGerman);
    const kinds = [
      () => this.#bound(isGerman),
      () => this.#demand(isGerman),
      () => this.#demand(isGerman),
      () => this.#rule(isGerman),
    ];
    const seeds = this.#next() < 0.4 ? [this.#seeds(isGerman)] : [];
    const others = Array.from({ length: this.#one([0, 1, 2, 3]) }, () => this.#one(kinds)());
    const parts = [main, ...seeds, ...others];
    const [and, joint] = [isGerman ? ' und ' : ' and ', this.#one([', ', '; ', '. '])];
    const goal = parts
      .map(({ text }) => text)
      .reduce((all, text) => `${all}${this.#next() < 0.2 ? and : joint}${text}`);
    return { goal, parts };
  }
}

/** Returns how often the number is in the target: as a value, as a share, or as a seed. */
function inTarget(target: Target | undefined, { value }: GoalNumber): number {
  if (target === undefined) return 0;
  const close = (one: number, other: number): boolean => Math.abs(one - other) < 1e-9;
  const bounds = target.conditions.filter((one) =>
    one.isRelative
      ? [1 - value / 100, 1 + value / 100].some((factor) => close(factor, one.value))
      : close(one.value, value),
  );
  return bounds.length + Number(repeatsOfTarget(target)?.seeds?.includes(value) ?? false);
}

const inList = (demands: readonly string[], { text }: GoalNumber): number =>
  demands.filter((demand) => new RegExp(String.raw`(?<![\d.,])${text}(?!\d|[.,]\d)`).test(demand))
    .length;

describe('the numbers of a goal', () => {
  it('are each in the target or among the demands that nothing checks, and never in both', () => {
    const goals = new Goals(seedOf('GOALS_SEED', 2_811));
    for (let index = 0; index < 400; index += 1) {
      const { goal, parts } = goals.next();
      const [target, demands] = [readTarget(goal), uncheckedDemands(goal)];
      for (const { numbers, isTarget } of parts)
        for (const number of numbers) {
          const [read, listed] = [inTarget(target, number), inList(demands, number)];
          const seen = `${number.text} in ${goal}: ${demands.join(' | ')}`;
          assert.deepEqual([read + listed, read >= Number(isTarget ?? false)], [1, true], seen);
        }
    }
  });

  const lost: readonly (readonly [goal: string, unchecked: readonly string[]])[] = [
    ['bring val_loss below 6, at most 6 epochs', ['at most 6 epochs']],
    ['Halve the rmse with 2 layers', ['with 2 layers']],
    ['match the paper: 76.1% top-1', ['76.1% top-1']],
    ['improve accuracy by 5 %', ['by 5 %']],
    ['accuracy 10 % above the baseline', ['accuracy 10 % above the baseline']],
    ['Lower val_loss from 1.2 to 0.8', []],
    ['1. Bring val_loss below 0.3\n2. leave data.py alone', []],
    ['Bring val_loss below 0.3; check.py must pass in 5 minutes', ['must pass in 5 minutes']],
  ];
  for (const [goal, unchecked] of lost)
    it(`are not lost: ${goal}`, () => {
      const named = uncheckedDemands(goal);
      assert.equal(named.length, unchecked.length, named.join(' | '));
      for (const [index, words] of unchecked.entries())
        assert.ok(named[index]?.includes(words), named.join(' | '));
    });
});
