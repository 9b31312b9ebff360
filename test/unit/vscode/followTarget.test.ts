import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { FollowTarget } from '../../../src/vscode/window/followTarget.ts';

describe('the message that follows a session', () => {
  it('is the goal of a new session, once, and nothing else', () => {
    const target = new FollowTarget();
    assert.equal(target.want('s-1', 'bring val_loss  below 0.3'), 'bring val_loss  below 0.3');
    assert.equal(target.takeNew('use lr 0.1'), undefined);
    assert.equal(target.takeNew(' bring val_loss below 0.3 '), 's-1');
    assert.equal(target.takeNew('bring val_loss below 0.3'), undefined);
  });

  for (const goal of ['/frob now', 'see #file and fix it', '@copilot do it', 'two\nlines'])
    it(`is /follow for ${JSON.stringify(goal)}, of which the chat would read a part`, () => {
      const target = new FollowTarget();
      assert.equal(target.want('s-1', goal), '/follow');
      assert.equal(target.takeNew(goal), undefined);
      assert.equal(target.take(), 's-1');
    });

  it('is no longer the goal once /follow was wanted', () => {
    const target = new FollowTarget();
    target.want('s-1', 'a goal');
    assert.equal(target.want('s-2'), '/follow');
    assert.equal(target.takeNew('a goal'), undefined);
    assert.equal(target.take(), 's-2');
  });
});
