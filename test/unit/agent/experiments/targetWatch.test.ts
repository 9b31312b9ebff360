import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { targetReached } from '../../../../src/agent/experiments/targetWatch.ts';
import { describeEvent } from '../../../../src/agent/journal/describeEvent.ts';
import { readTarget } from '../../../../src/experiments/target/readTarget.ts';
import { Night } from '../../../fakes/nights.ts';
import { recorded, stateOf } from '../../vscode/states.ts';

describe('the moment in which the target is reached', () => {
  /** Looks as after an event, and records what there is to tell. */
  const look = (night: Night): string | undefined => {
    const { target, ledger } = night.facts();
    assert.ok(target !== undefined);
    const reached = targetReached(night.events, target, ledger);
    if (reached !== undefined) night.add(reached);
    return reached?.text;
  };
  const seed = (number: number) => `train --seed ${number}`;

  it('is told once, with what was compared, also in the brief', () => {
    const night = new Night('bring loss < 1.0');
    night.experiment({ hypothesis: 'a' }, { loss: 1.2 });
    assert.equal(look(night), undefined);
    night.experiment({ hypothesis: 'b' }, { loss: 0.9 });
    assert.equal(look(night), 'loss 0.9 < 1 (run 2)');
    night.experiment({ hypothesis: 'c' }, { loss: 0.8 });
    assert.equal(look(night), undefined);
    assert.deepEqual(
      night.facts().happenings.map(({ text }) => text),
      ['Target reached · loss 0.9 < 1 (run 2)'],
    );
  });

  it('is dated by the end of the runs, also if Helios was gone then', () => {
    const night = new Night('bring loss < 1.0');
    night.experiment({ hypothesis: 'a' }, { loss: 0.9 });
    const [run] = night.facts().ledger.rows;
    const hourMs = 3_600_000;
    night.pass(hourMs);
    assert.equal(look(night), 'loss 0.9 < 1 (run 1)');
    const dates = () => night.facts().happenings.map(({ atMs }) => atMs - (run?.endedMs ?? 0));
    assert.deepEqual(dates(), [0]);
    const target = readTarget('bring loss < 0.95');
    assert.ok(target !== undefined);
    night.add({ type: 'session.target_changed', target, by: 'person' });
    look(night);
    assert.ok((dates().at(-1) ?? 0) >= hourMs, 'the change made them meet it');
  });

  it('comes with the last seed that the target needs', () => {
    const night = new Night('bring loss < 1.0, mean over seeds 0 and 1');
    const id = night.experiment({ hypothesis: 'a' }, { loss: 0.9, command: seed(0) });
    assert.equal(look(night), undefined);
    night.run({ loss: 0.8, command: seed(1), experimentId: id });
    assert.match(look(night) ?? '', /^loss 0\.85 < 1, mean over seeds 0, 1 \(runs 1, 2/);
  });

  it('comes again for another target, and where the first runs proved invalid', () => {
    const night = new Night('bring loss < 1.0');
    const leak = night.experiment({ hypothesis: 'a' }, { loss: 0.1 });
    assert.equal(look(night), 'loss 0.1 < 1 (run 1)');
    const decided = { decision: 'invalid', why: 'leak', by: 'agent' } as const;
    night.add({ type: 'experiment.decided', experimentId: leak, ...decided });
    assert.equal(look(night), undefined);
    night.experiment({ hypothesis: 'b' }, { loss: 0.9 });
    assert.equal(look(night), 'loss 0.9 < 1 (run 2)');
    const target = readTarget('bring loss < 0.95');
    assert.ok(target !== undefined);
    night.add({ type: 'session.target_changed', target, by: 'person' });
    assert.equal(look(night), 'loss 0.9 < 0.95 (run 2)');
  });

  it('does not come where only the best is asked for, or for a run without success', () => {
    const open = new Night('find the lowest loss');
    open.experiment({ hypothesis: 'a' }, { loss: 0.1 });
    assert.equal(look(open), undefined);
    const failed = new Night('bring loss < 1.0');
    failed.experiment({ hypothesis: 'a' }, { loss: 0.1, verdict: { kind: 'failed', code: 1 } });
    failed.experiment({ hypothesis: 'b' }, { loss: 0.2, isOpen: true });
    assert.equal(look(failed), undefined);
  });

  it('is good news of one line', () => {
    const event = recorded({
      type: 'target.reached',
      target: 'loss < 1',
      text: 'loss 0.9 < 1 (run 2)',
      runs: [2],
    });
    assert.deepEqual(describeEvent(event, stateOf()), {
      ...{
        kind: 'decision',
        tone: 'good',
        title: 'Target reached',
        detail: 'loss 0.9 < 1 (run 2)',
      },
    });
  });
});
