import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  importanceOf,
  minSettings,
  type Importance,
  type Trial,
} from '../../../../src/experiments/importance/importance.ts';
import { Noise } from '../../../fakes/noise.ts';
import { seedOf } from '../../../fakes/random.ts';
import { amountOf, isLong } from '../../../setup/needs.ts';
import { calibrate, calibrationText, type Count } from './calibration.ts';
import { studyOf } from './studies.ts';

/** Three standard errors of a share that is counted over so many cases. */
const tolerance = (share: number, { of }: Count): number =>
  3 * Math.sqrt((share * (1 - share)) / of);

const shareOf = ({ hits, of }: Count): number => hits / of;

/** Runs of one seed each, whose value depends on what `draw` returns. */
const trialsOf = (
  count: number,
  draw: (by: Noise) => [Record<string, string>, number],
): Trial[] => {
  const by = new Noise(11);
  return Array.from({ length: count }, (_, at) => {
    const [parameters, value] = draw(by);
    return { setting: `${at}`, parameters, value };
  });
};

const claimed = ({ effects }: Importance): string[] =>
  effects.filter(({ isClaimed }) => isClaimed).map(({ name }) => name);

describe('the importance of parameters', function () {
  this.timeout(1_200_000);

  it('contains the true share in nine of ten intervals, and finds what is there', () => {
    const seed = seedOf('HELIOS_STUDIES_SEED', 1);
    const studies = amountOf('HELIOS_STUDIES', 50, 2000);
    const counts = calibrate(seed, studies);
    const text = `seed ${seed}, ${studies} studies\n${calibrationText(counts)}`;
    if (isLong) console.info(text);
    const covered = counts['intervals that contain the share'];
    const room = isLong ? 0.02 : 0.02 + tolerance(0.9, covered);
    assert.ok(Math.abs(shareOf(covered) - 0.9) <= room, text);
    const found = counts['strongest three found'];
    assert.ok(shareOf(found) >= 0.9 - tolerance(0.9, found), text);
    const noise = counts['claims in pure noise'];
    assert.ok(shareOf(noise) <= 0.05 + (isLong ? 0 : tolerance(0.05, noise)), text);
  });

  it('answers the same twice', () => {
    const { trials } = studyOf(3);
    assert.deepEqual(importanceOf(trials), importanceOf(trials));
  });

  it('tells numbers on a logarithmic scale, numbers and categories apart', () => {
    const trials = trialsOf(60, (by) => {
      const [rate, dropout] = [10 ** by.between(-5, -1), by.between(0, 0.5)];
      const optimizer = by.isHit(0.5) ? 'adam' : 'sgd';
      return [
        { lr: String(rate), dropout: String(dropout), optimizer, epochs: '3' },
        -Math.log10(rate) + (optimizer === 'adam' ? 0 : 2) + 0.3 * by.normal(),
      ];
    });
    const importance = importanceOf(trials);
    const kinds = importance.effects.map(({ name, kind, isLog }) => [name, kind, isLog]);
    assert.deepEqual(kinds.toSorted(), [
      ['dropout', 'number', false],
      ['lr', 'number', true],
      ['optimizer', 'category', false],
    ]);
    assert.deepEqual(claimed(importance).toSorted(), ['lr', 'optimizer']);
    const lr = importance.effects.find(({ name }) => name === 'lr');
    assert.ok((lr?.correlation ?? 0) < -0.5);
    assert.equal(lr?.runs, 60);
    assert.equal(importance.effects.at(-1)?.name, 'dropout');
  });

  it('names a pair that acts together, and none where each acts alone', () => {
    const draw =
      (together: number) =>
      (by: Noise): [Record<string, string>, number] => {
        const [a, b] = [by.between(-1, 1), by.between(-1, 1)];
        return [{ a: String(a), b: String(b) }, a + b + together * a * b + 0.3 * by.normal()];
      };
    const pair = importanceOf(trialsOf(80, draw(2))).interaction;
    assert.deepEqual(pair?.names, ['a', 'b']);
    assert.ok(Math.abs((pair?.share ?? 0) - 0.36) < 0.12, `${pair?.share}`);
    assert.equal(importanceOf(trialsOf(80, draw(0))).interaction, undefined);
  });

  it('counts a run that does not name a parameter, as one with another value', () => {
    const importance = importanceOf(
      trialsOf(60, (by) => {
        const isNamed = by.isHit(0.5);
        const warmup = String(by.whole(1, 9));
        return [isNamed ? { warmup } : {}, (isNamed ? 2 : 0) + 0.3 * by.normal()];
      }),
    );
    assert.deepEqual(claimed(importance), ['warmup']);
    assert.ok((importance.effects[0]?.runs ?? 60) < 60);
  });

  it('says nothing of too few settings, however many seeds they have', () => {
    const trials = Array.from({ length: 60 }, (_, at) => {
      const setting = at % (minSettings - 1);
      return { setting: `${setting}`, parameters: { lr: `${setting}` }, value: setting };
    });
    assert.deepEqual(importanceOf(trials), { settings: minSettings - 1, effects: [] });
  });

  it('survives values without noise, and parameters that change together', () => {
    const exact = importanceOf(
      trialsOf(30, (by) => {
        const depth = by.whole(1, 3);
        return [{ depth: `${depth}`, width: `${64 * depth}` }, depth];
      }),
    );
    for (const { share, low, high } of exact.effects)
      assert.ok([share, low, high].every((one) => one >= 0 && one <= 1));
    assert.deepEqual(
      exact.effects.map(({ isEntangled }) => isEntangled),
      [false, true],
    );
    const level = importanceOf(trialsOf(30, (by) => [{ depth: `${by.whole(1, 3)}` }, 1]));
    assert.deepEqual(claimed(level), []);
  });
});
