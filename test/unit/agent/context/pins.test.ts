import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { UserFacing } from '../../../../src/base/errors.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { testEngine } from '../../../fakes/testEngine.ts';

describe('pinned notes', () => {
  it('are twenty at most; the next is refused with what to do, and harms nothing', async () => {
    const bed = await testEngine(new ScriptedModel(() => 'hang'));
    try {
      const session = await bed.start();
      for (let number = 1; number <= 20; number += 1)
        assert.equal(await session.pin(`note ${number}`), number);
      await assert.rejects(
        () => session.pin('note 21'),
        (error) =>
          error instanceof UserFacing &&
          /20/.test(error.message) &&
          (error.action ?? '').length > 0,
      );
      assert.equal(session.state.stickies.size, 20);
      assert.equal(await session.unpin(3), true);
      assert.equal(await session.pin('one more'), 21);
    } finally {
      await bed.dispose();
    }
  });
});
