import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { OpenSessions } from '../../../src/vscode/window/openSessions.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { ScriptedModel } from '../../fakes/scriptedModel.ts';
import { testEngine } from '../../fakes/testEngine.ts';

describe('open sessions of a window', () => {
  it('fire each minute, so that relative times go on where no session works', async () => {
    const here = await testEngine(new ScriptedModel(() => 'hang'));
    const clock = new ManualClock();
    const sessions = new OpenSessions(clock);
    sessions.attach(here.engine);
    await clock.advance(1_000);
    let changes = 0;
    sessions.onDidChange(() => (changes += 1));
    await clock.advance(3 * 60_000);
    assert.ok(changes >= 3, `${changes} changes in three minutes`);
    sessions.dispose();
    assert.equal(clock.pendingTimers, 0);
    await here.dispose();
  });
});
