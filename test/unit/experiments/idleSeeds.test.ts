import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { seedNews } from '../../../src/agent/loop/seedNews.ts';
import { idleSeedTexts, isSeedIdle } from '../../../src/experiments/idleSeeds.ts';
import { resultValueText } from '../../../src/experiments/ledger.ts';
import { judgeChampion } from '../../../src/experiments/target/judgeTarget.ts';
import { buildBrief } from '../../../src/reports/brief.ts';
import { lossOf, Night } from '../../fakes/nights.ts';

const seeds = (losses: readonly number[], width = 1) =>
  losses.map((loss, seed) => ({ loss, command: `train --width ${width} --seed ${seed}` }));
const text = 'Runs 1–3 printed the same values: the seed changes nothing.';

describe('seeds that change nothing', () => {
  const nightOf = (losses: readonly number[]): Night => {
    const night = new Night('bring loss < 0.3, mean over seeds 0, 1 and 2');
    night.experiment({ hypothesis: 'a' }, ...seeds(losses));
    return night;
  };

  it('are remarked, and count as one run', () => {
    const { ledger, target } = nightOf([0.2, 0.2, 0.2]).facts();
    assert.deepEqual(idleSeedTexts(ledger.experiments), [text]);
    assert.equal(ledger.best && resultValueText(ledger.best), 'loss 0.2');
    assert.equal(ledger.best?.n, 1);
    const [condition] = (target && judgeChampion(target, ledger)?.conditions) ?? [];
    assert.equal(condition?.isMet, true);
    assert.doesNotMatch(condition.text, /±/);
    const others = nightOf([0.2, 0.2, 0.21]).facts().ledger;
    assert.deepEqual([idleSeedTexts(others.experiments), others.best?.n], [[], 3]);
  });

  it('are named in the brief', () => {
    const brief = buildBrief(nightOf([0.2, 0.2, 0.2]).facts());
    assert.match(brief, /^- Runs 1–3 printed the same values: the seed changes nothing\.$/m);
    assert.doesNotMatch(buildBrief(nightOf([0.2, 0.2, 0.21]).facts()), /the seed changes/);
  });

  it('are told once at a wake', () => {
    const night = nightOf([0.2, 0.2, 0.2]);
    const request = { triggers: [], reason: 'r', logic: 'any' } as const;
    night.add({ type: 'sleep.started', sleepId: 's1', request, callId: 'c' });
    const news = (id: string) => seedNews(id, night.events, () => night.facts().ledger);
    assert.deepEqual(news('s1'), [`[${text}]`]);
    night.add({ type: 'sleep.ended', sleepId: 's1', why: 'trigger', detail: 'd' });
    night.add({ type: 'message.added', origin: 'wake', text: 'digest' });
    const again = { loss: 0.2, command: 'train --width 1 --seed 3' };
    night.run({ ...again, experimentId: 'e1' });
    night.add({ type: 'sleep.started', sleepId: 's2', request, callId: 'c' });
    assert.deepEqual(news('s2'), []);
  });

  it('are not seen in values that may be equal by chance', () => {
    const rowsOf = (metrics: readonly ReturnType<typeof lossOf>[], commands: readonly string[]) => {
      const night = new Night();
      night.experiment({ hypothesis: 'a' }, ...commands.map((command) => ({ metrics, command })));
      return night.facts().ledger.rows;
    };
    const commands = ['train --seed 0', 'train --seed 1'];
    const one = { count: 1, last: 0.5, min: 0.5, max: 0.5, mean: 0.5, best: 0.5 };
    assert.ok(isSeedIdle(rowsOf([lossOf(0.5)], commands)));
    assert.ok(!isSeedIdle(rowsOf([lossOf(0.5, one)], commands)), 'one value');
    assert.ok(!isSeedIdle(rowsOf([lossOf(0.5)], ['train --seed 0', 'train --seed 0'])), 'one seed');
    assert.ok(!isSeedIdle(rowsOf([lossOf(0.5)], ['train', 'train'])), 'no seed');
    assert.ok(!isSeedIdle(rowsOf([], commands)), 'nothing measured');
  });
});

describe('seeds that do not fix the result', () => {
  const again = (loss: number) => {
    const night = new Night('bring loss < 0.3, mean over seeds 0, 1 and 2');
    night.experiment({ hypothesis: 'a' }, ...seeds([0.31, 0.2, 0.22]));
    const request = { triggers: [], reason: 'r', logic: 'any' } as const;
    night.add({ type: 'sleep.ended', sleepId: 's0', why: 'trigger', detail: 'd' });
    night.add({ type: 'message.added', origin: 'wake', text: 'digest' });
    night.run({ loss, command: 'train --width 1 --seed 0', experimentId: 'e1' });
    night.add({ type: 'sleep.started', sleepId: 's1', request, callId: 'c' });
    return night;
  };
  const sentence = 'Seed 0 measured loss 0.31, 0.35 in runs 1, 4: it does not fix the result.';

  it('are named at the wake and in the brief', () => {
    const night = again(0.35);
    assert.deepEqual(
      seedNews('s1', night.events, () => night.facts().ledger),
      [`[${sentence}]`],
    );
    assert.ok(buildBrief(night.facts()).split('\n').includes(`- ${sentence}`));
    night.add({ type: 'sleep.ended', sleepId: 's1', why: 'trigger', detail: 'd' });
    night.add({ type: 'message.added', origin: 'wake', text: 'digest' });
    night.run({ loss: 0.3, command: 'train --width 1 --seed 3', experimentId: 'e1' });
    const request = { triggers: [], reason: 'r', logic: 'any' } as const;
    night.add({ type: 'sleep.started', sleepId: 's2', request, callId: 'c' });
    assert.deepEqual(
      seedNews('s2', night.events, () => night.facts().ledger),
      [],
      'told once',
    );
  });

  it('are not those whose runs measured the same', () => {
    const night = again(0.31);
    assert.deepEqual(
      seedNews('s1', night.events, () => night.facts().ledger),
      [],
    );
    assert.doesNotMatch(buildBrief(night.facts()), /does not fix/);
  });
});
