import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'mocha';
import { runCli } from '../../../src/cli/cli.ts';
import { fakeDeps } from '../../fakes/cliDeps.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { ScriptedModel } from '../../fakes/scriptedModel.ts';
import { testEngine } from '../../fakes/testEngine.ts';

describe('helios reproduce', () => {
  const folder = scratchFolder();

  it('keeps the mode of the session that came from the settings', async () => {
    const calls = [
      { name: 'remote_exec_background', input: { command: 'echo loss=0.5' } },
      { name: 'sleep', input: { reason: 'r', wake_conditions: [{ type: 'process_exit' }] } },
    ];
    const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];
    const bed = await testEngine(new ScriptedModel([calls, quit]), {
      folder: folder(),
      settings: { permissionMode: 'allow' },
    });
    const session = await bed.start();
    assert.equal(await session.ended, 'blocked');
    const { id } = session;
    await bed.engine.close();

    const deps = fakeDeps({ folder: folder() });
    const code = await runCli(['--home', path.join(folder(), 'home'), 'reproduce', id, 'e1'], deps);
    assert.equal(code, 0, deps.stderr.text);

    const again = await testEngine(new ScriptedModel([]), { folder: folder() });
    const { state, events } = await again.engine.sessions.read(id);
    await again.engine.close();
    const modes = events.flatMap((event) =>
      'permissions' in event && event.permissions ? [event.permissions.mode] : [],
    );
    assert.deepEqual(new Set(modes), new Set(['allow']));
    assert.ok(modes.length >= 2, 'the resumption records the mode');
    assert.equal(state.runs.size, 2);
  });
});
