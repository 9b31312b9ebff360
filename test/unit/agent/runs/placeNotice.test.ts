import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { describeEvent } from '../../../../src/agent/journal/describeEvent.ts';
import type { Place } from '../../../../src/base/place.ts';
import { ScriptedModel, type ScriptedReply } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'enough' } }];
/** Each launches another command, since one that still runs is not started twice. */
const launch = (command = 'true') => [{ name: 'remote_exec_background', input: { command } }];

describe('warnings about the place at the first run of a session', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });
  const run = async (place: Place, script: readonly ScriptedReply[]) => {
    bed = await testEngine(new ScriptedModel(script), { place });
    const session = await bed.start();
    await session.ended;
    return session;
  };

  it('come once each, and the model does not pay for them', async () => {
    const model = new ScriptedModel([launch(), launch('echo 2'), quit]);
    bed = await testEngine(model, { place: 'codespaces' });
    const session = await bed.start();
    await session.ended;
    const warned = eventsOf(session, 'place.warned');
    assert.deepEqual(
      warned.map(({ about }) => about),
      ['runs', 'home'],
    );
    const [first] = warned;
    assert.ok(first !== undefined);
    const shown = describeEvent(first, session.state);
    assert.match(shown?.title ?? '', /^GitHub suspends this codespace/);
    assert.match(shown?.detail ?? '', /SSH host/);
    assert.ok(warned[1]?.text.includes(bed.home));
    assert.ok(!JSON.stringify(model.requests).includes('GitHub suspends'));
    const again = await bed.restart(new ScriptedModel([launch('echo 3'), quit]));
    const resumed = await again.engine.sessions.resume(session.id);
    await resumed.say('Launch it again.');
    await resumed.ended;
    assert.equal(eventsOf(resumed, 'run.started').length, 3);
    assert.equal(eventsOf(resumed, 'place.warned').length, 2);
  });

  it('do not come without a run, nor on a computer that ends none', async () => {
    assert.deepEqual(eventsOf(await run('wsl', [quit]), 'place.warned'), []);
    await bed?.dispose();
    const session = await run('computer', [launch(), quit]);
    assert.equal(eventsOf(session, 'run.started').length, 1);
    assert.deepEqual(eventsOf(session, 'place.warned'), []);
  });
});
