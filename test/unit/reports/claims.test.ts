import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { flagged, quotation, unmeasuredNumbers, withMarks } from '../../../src/reports/claims.ts';
import { readTarget } from '../../../src/experiments/target/readTarget.ts';
import { knownNumbers, type KnownNumbers } from '../../../src/reports/knownNumbers.ts';
import { fullNight, lossOf, Night } from '../../fakes/nights.ts';

const known: KnownNumbers = {
  measured: Float64Array.from([0.8312, 0.961, 94.6, 1234.5678, -0.25, 3.1e-5]).sort(),
  given: new Set([0.0003, 0.3]),
  byRun: new Map([
    [7, Float64Array.of(0.8312)],
    [8, Float64Array.of(0.961)],
  ]),
  means: [[0.8312, 0.961]],
  baselines: [0.961],
  ofRun: new Map([
    [7, '0.8312'],
    [8, '0.961'],
  ]),
  sizes: new Set([5947]),
  ended: { all: 32, ok: 30 },
  imported: Float64Array.of(0.7321),
  parameters: new Set(['tau', 'lr', 'hidden']),
};
const found = (text: string, numbers = known): string[] =>
  unmeasuredNumbers(text, numbers).map((one) => one.text);

describe('numbers in the words of a model', () => {
  const texts: readonly (readonly [text: string, unmeasured: readonly string[]])[] = [
    ['accuracy 0.961 in run 8', []],
    ['accuracy 0.961 in run 7', ['0.961']],
    ['runs 7 and 8: accuracy 0.961', []],
    ['Der beste Lauf ist 7 mit 0,8312 auf 1.157 Beispielen.', []],
    ['Der beste Lauf ist 7 mit accuracy 0,871 und 1.157 Beispielen.', ['0,871']],
    ['Das Modell mit seeds 0,1 ist auf loss 0,9 und accuracy 1.157.', ['0,9', '1.157']],
    ['loss 1.157 on 2,500 samples', ['1.157']],
    ['lr 0.003 to 0.01, dropout 0.15 and tau = 0.77', []],
    // A setting names the first number behind it, and the list or range that it begins.
    ['A wider net (e6, hidden 320): 0.0541, run 20.', ['0.0541']],
    ['A wider net (e6, hidden 320, 5947 parameters): 0.0541', ['0.0541']],
    ['Mean over seeds 0, 1 and 2: 0.0541.', ['0.0541']],
    ['run 14 (seed 0): 0.0541', ['0.0541']],
    ['| hidden 64 | 0.0541 |', ['0.0541']],
    ['hidden 320 and 0.0541', ['0.0541']],
    ['hidden 320, 0.0541', ['0.0541']],
    ['lr 0.002, 0.0541', ['0.0541']],
    ['error rate 0.0541', ['0.0541']],
    ['lr 1e-3 to 3e-3', []],
    ['lr from 1e-3 down to 1e-5, then loss 0.0541', ['0.0541']],
    ['lr in {0.011, 0.033, 0.12}, `dropout`: 0.15, hidden=64/128', []],
    ['try lr 0.011, 0.033 or 0.12; a learning rate of about 0.05', []],
    // A run beside a number has measured it.
    ['a wider net: 0.961, run 7', ['0.961']],
    ['0.961 (run 8) against 0.8312 (run 7)', []],
    ['0.8312 (run 8) against 0.961 (run 7)', ['0.8312', '0.961']],
    ['run 7 (seed 0): 0.961', ['0.961']],
    ['run 7: 0.8312, run 8: 0.961', []],
    ['run 7 with 0.961', ['0.961']],
    ['run 8 with 0.961, run 7 at 0.8312', []],
    ['best is run 7: loss 0.961, against run 8', ['0.961']],
    // Ratios to the baseline, and of two values of the sentence.
    ['86 % of 0.961 is 0.8312', []],
    ['0.8649 × the baseline', []],
    ['loss is 86 % of the baseline, 13.5 % less than the baseline', []],
    ['loss is 77 % of the baseline', ['77 %']],
    ['0.7649 × the baseline', ['0.7649']],
    // Counts that the ledger knows.
    ['All 32 runs succeeded.', ['32']],
    ['All 30 runs succeeded; all 32 runs ended', []],
    ['a net of 6007 parameters', ['6007']],
    ['a net of 5947 parameters, 12 runs', []],
    ['| run 7 | 0.961 |', ['0.961']],
    ['0.961 (run 7, run 8)', []],
    ['0.961 (runs 7 and 8)', []],
    ['0.961 (runs 7-7 of e1)', ['0.961']],
    ['0.961 (mean of runs 7 to 7)', ['0.961']],
    ['runs 7, 7 and 7: 0.961', ['0.961']],
    ['runs 7–7 reached 0.961', ['0.961']],
    ['0.8312 (run 7, 0.961 in run 8)', []],
    ['the runs 7 to 8 give 0.8312, runs 8-9: 0.961', []],
    // A difference of the means of two settings needs neither of them in the sentence.
    ['A gain of 13.0 points.', []],
    ['13 percentage points better, 0.1298 higher', []],
    ['A gain of 14.0 points, or of 13.0 steps', ['14.0', '13.0']],
    ['The value is 0.1298', ['0.1298']],
    ['it stays there from epoch 250 on', []],
    ['loss fell from 0.961 to 0.8312, by 13.5 %', []],
    ['0.961 is 1.156 times 0.8312, 0.13 more', []],
    ['loss fell by 12.2 %', ['12.2 %']],
    ['loss fell to 0.8312', []],
    ['the key ⟨secret WANDB_API_KEY 6806e129⟩ does not work', []],
    ['loss fell to 0.83, then 0.831', []],
    ['loss 0.84', ['0.84']],
    ['loss is 0.83.', []],
    ['loss=0.83123', ['0.83123']],
    ['.83 or 8.3e-1', []],
    ['accuracy 96.1 %', []],
    ['accuracy 96%', []],
    ['accuracy of 97 %', ['97 %']],
    ['accuracy: 95', []],
    ['accuracy reached 99', ['99']],
    ['loss 1', ['1']],
    ['score −0.25 and −0.31', ['−0.31']],
    ['fell from 1,234.57 to 1,300.2', ['1,300.2']],
    ['loss 3.1e-5, not 3.2e-5', ['3.2e-5']],
    ['1.5x faster', ['1.5']],
    // What was given is no claim.
    ['lr=3e-4, the goal of 0.3', []],
    // What counts, names, costs or takes time is no value of a metric.
    ['run 7 of 12 at step 500 with batch 64', []],
    ['it took 3.5 min and $1.25', []],
    ['2.5 GB, 7.25 hours, 1.5 kB', []],
    ['2026-11-21 at 12:30, gpt-4.1, python3.11, v1.2.3, e7', []],
    ['', []],
  ];
  for (const [text, unmeasured] of texts)
    it(`“${text}”: ${unmeasured.join(', ') || 'nothing to flag'}`, () =>
      assert.deepEqual(found(text), unmeasured));

  it('flags a whole number beside a metric even when it is near: 0 is not 0.3', () => {
    const one = { ...known, measured: Float64Array.from([0.3]), given: new Set<number>() };
    assert.deepEqual(found('loss 0', one), ['0']);
  });

  it('knows what each run measured, and what goal and commands give', () => {
    const night = new Night('bring loss < 0.75');
    night.run({
      metrics: [lossOf(0.61, { last: 0.66, mean: 1.9 })],
      command: 'train --lr 0.002 --wd 0.05',
    });
    const numbers = knownNumbers(night.facts());
    assert.deepEqual(found('0.61 0.66 1.9 4.0 0.75 0.002 0.05 0.62', numbers), ['0.62']);
  });

  it('knows the mean of repeats also beside one of their runs', () => {
    const night = new Night('lower loss');
    night.experiment(
      { hypothesis: 'x' },
      ...[0.2, 0.3].map((loss, seed) => ({ loss, command: `train --seed ${seed}` })),
    );
    const numbers = knownNumbers(night.facts());
    assert.deepEqual(found('0.25 (run 1), 0.30 (run 1)', numbers), ['0.30']);
  });

  it('knows the mean over the seeds that the goal names, not over all', () => {
    const night = new Night('lower loss, mean over seeds 0 and 1');
    night.experiment(
      { hypothesis: 'x' },
      ...[0.2, 0.3, 0.7].map((loss, seed) => ({ loss, command: `train --seed ${seed}` })),
    );
    const numbers = knownNumbers(night.facts());
    assert.deepEqual(found('0.25 (runs 1-2), 0.40 (run 1)', numbers), ['0.40']);
  });

  it('knows the mean that the result of a sweep showed, beside the one of its setting', () => {
    const night = new Night('loss below 3.3, mean over seeds 0 to 2');
    const command = (seed: number) => `train --seed ${seed}`;
    night.experiment(
      { hypothesis: 'x' },
      { loss: 3.0006, command: command(0), sweep: 's2' },
      { loss: 3.2888, command: command(1), sweep: 's3' },
      { loss: 3.2739, command: command(2), sweep: 's3' },
      { loss: 3.0432, command: command(3), sweep: 's6' },
    );
    const numbers = knownNumbers(night.facts());
    const text = 'loss 3.18777 over seeds 0-2; 3.28135 over seeds 1 and 2, not 3.15163';
    assert.deepEqual(found(text, numbers), ['3.15163']);
  });

  it('knows the number that follows from the baseline, also of an earlier target', () => {
    const night = new Night('bring loss 8 % below the baseline, mean over seeds 0 and 1');
    night.experiment(
      { hypothesis: 'x' },
      ...[0.32, 0.3488].map((loss, seed) => ({ loss, command: `train --seed ${seed}` })),
    );
    assert.deepEqual(found('needed is 0.3076, or 0.307648', knownNumbers(night.facts())), []);
    const target = readTarget('loss 12 % below the baseline');
    assert.ok(target);
    night.add({ type: 'session.target_changed', target, by: 'person' });
    const numbers = knownNumbers(night.facts());
    assert.deepEqual(found('first 0.3076, then 0.294272, not 0.2976', numbers), ['0.2976']);
  });

  it('ties a number to the range of runs beside it, with their mean', () => {
    const night = new Night('lower loss');
    for (const losses of [
      [0.9833, 0.9917, 0.9833],
      [0.9889, 0.9889, 0.9861],
    ])
      night.experiment(
        { hypothesis: 'x' },
        ...losses.map((loss, seed) => ({ loss, command: `train --seed ${seed}` })),
      );
    const numbers = knownNumbers(night.facts());
    assert.deepEqual(
      found('0.9880 (runs 4-6), 0.9861 (runs 1 to 3), 0.19 points less', numbers),
      [],
    );
    assert.deepEqual(found('loss 0.9880 (runs 1 to 3 of e1), 0.9880 (runs 1-3)', numbers), [
      '0.9880',
      '0.9880',
    ]);
  });

  it('marks them where they stand, and keeps the rest of the words as text', () => {
    assert.equal(
      flagged('*loss* 0.84, then [0.83](x)', known, 200),
      '\\*loss\\* 0.84 *(not measured)*, then \\[0.83\\](x)',
    );
  });

  it('says what was measured instead', () => {
    assert.equal(
      withMarks('run 7: 0.961. All 32 runs succeeded with 6007 parameters.', known),
      'run 7: 0.961 (run 7 measured 0.8312). All 32 (30 of 32 runs succeeded) runs succeeded with 6007 (the runs printed 5947) parameters.',
    );
    assert.equal(flagged('run 7: 0.961', known, 12), 'run 7: 0.961 *(run 7 measured 0.8312)*');
  });

  it('says which of them were imported, unless a run measured the same', () => {
    assert.equal(
      flagged(
        'loss 0.732, 73.2 % and 0.831',
        { ...known, imported: Float64Array.of(0.7321, 0.8312) },
        200,
      ),
      'loss 0.732 *(imported, not measured by Helios)*, 73.2 % *(imported, not measured by Helios)* and 0.831',
    );
  });

  it('does not let a text bring marks of its own', () => {
    assert.doesNotMatch(flagged('0.83\uE000\uE001', known, 200), /measured/);
  });

  it('quotes every line, whatever stands in it', () => {
    const lines = quotation('# a\n\n<b>\n> c 0.5', known).split('\n');
    assert.deepEqual(lines, ['> \\# a', '>', '> &lt;b>', '> \\> c 0.5 *(not measured)*']);
  });

  it('flags in a brief what the model said and no run has measured', () => {
    const facts = fullNight().facts();
    assert.deepEqual(found(facts.session.summary ?? '', knownNumbers(facts)), ['0.7']);
  });
});
