import assert from 'node:assert/strict';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { EngineSettings } from '../../../../src/agent/contract/settings.ts';
import { EventText } from '../../../../src/cli/screen/eventText.ts';
import { plainStyle } from '../../../../src/cli/screen/style.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { eventsOf, eventually, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

const sleep = { name: 'sleep', input: { reason: 'r', wake_conditions: [], deadline_minutes: 60 } };
const given = { permissionMode: 'mandate', isModeGiven: true } as const;
const standard = { permissionMode: 'ask', keepsMode: 'given' } as const;

describe('the permission mode of a resumed session', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });

  const resumedWith = async (...resumptions: readonly Partial<EngineSettings>[]) => {
    bed = await testEngine(new ScriptedModel([[sleep]]), { settings: given });
    const { id } = await bed.start().then(async (session) => {
      await eventually(session, 'sleep.started');
      return session;
    });
    const folder = path.dirname(bed.home);
    let session;
    for (const settings of resumptions) {
      await bed.engine.close();
      bed = await testEngine(new ScriptedModel([]), { settings, folder });
      session = await bed.engine.sessions.resume(id);
    }
    assert.ok(session);
    return session;
  };

  it('is the one that the session was started with, however often it is resumed', async () => {
    const session = await resumedWith(standard, standard);
    assert.equal(session.permissions()?.mode, 'mandate');
    const modes = eventsOf(session, 'session.resumed').map(({ permissions }) => permissions?.mode);
    assert.deepEqual(modes, ['mandate', 'mandate']);
  });

  it('is another if the caller names one, and that is kept', async () => {
    const session = await resumedWith({ permissionMode: 'allow', isModeGiven: true }, standard);
    assert.equal(session.permissions()?.mode, 'allow');
  });

  it('is the recorded one for a command that calls no model, given or not', async () => {
    bed = await testEngine(new ScriptedModel([]), { settings: { permissionMode: 'allow' } });
    const { id } = await bed.start();
    const folder = path.dirname(bed.home);
    const settings = { permissionMode: 'ask', keepsMode: 'recorded' } as const;
    for (const again of [settings, { ...settings, permissionMode: 'mandate' as const }]) {
      await bed.engine.close();
      bed = await testEngine(new ScriptedModel([]), { settings: again, folder, isAlone: true });
      const { permissions } = (await bed.engine.sessions.resume(id)).state;
      assert.deepEqual(permissions, { mode: 'allow' });
    }
  });

  it('is that of the settings where the user changes it there', async () => {
    assert.equal((await resumedWith({ permissionMode: 'ask' })).permissions()?.mode, 'ask');
  });

  it('is printed with the confinement, and its note on a line of its own', async () => {
    const { state } = await resumedWith(standard);
    const note = `Permission mode mandate instead of ask:${' nobody can be asked here.'.repeat(9)}`;
    const permissions = { mode: 'mandate', note } as const;
    const event = { type: 'session.resumed', by: 'process 7', permissions, confined: 'bubblewrap' };
    assert.deepEqual(
      new EventText(plainStyle).linesOf({ ...event, seq: 1, at: 0 } as never, state),
      ['Session resumed · process 7 · mode mandate · confinement: bubblewrap', note],
    );
  });
});
